import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Operator } from '../../../api/schema.ts';
import { inVersion, operatorOf, stepOf, stepsToSend } from '../drafts/draft.ts';

function version(number: string, properties: object): Operator {
  return { id: 'linker', version: number, paramsSchema: { type: 'object', properties } } as unknown as Operator;
}

const installed = version('1.1.0', { mark: { type: 'string', default: '-' }, width: { type: 'integer', default: 3 } });
const older = version('1.0.0', { mark: { type: 'string', default: '' } });

test('a step has the operator in the version that it names, else the installed one', () => {
  const operators = [installed, older];
  assert.equal(operatorOf(stepOf('linker', {}), operators)?.version, '1.1.0');
  assert.equal(operatorOf(stepOf('linker', {}, '1.0.0'), operators)?.version, '1.0.0');
  assert.equal(operatorOf(stepOf('linker', {}, '0.9.0'), operators), undefined);
  assert.equal(operatorOf(stepOf('other', {}), operators), undefined);
});

test('another version keeps the parameters that both have', () => {
  const step = inVersion(stepOf('linker', { mark: '!', width: 9 }), older);
  assert.deepEqual([step.version, step.params], ['1.0.0', { mark: '!' }]);
  assert.deepEqual(inVersion(step, installed).params, { mark: '!', width: 3 });
});

test('a named version is sent, and none where the installed one is meant', () => {
  const steps = [stepOf('linker', { mark: '!' }, '1.0.0'), stepOf('linker', {})];
  assert.deepEqual(stepsToSend({ steps }), [
    { operatorId: 'linker', params: { mark: '!' }, version: '1.0.0' },
    { operatorId: 'linker', params: {} },
  ]);
});
