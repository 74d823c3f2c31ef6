// Parameters of operators: defaults, refusals, and what is no parameter.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operators, parseParams } from './index.ts';

const filter = operators.find(({ id }) => id === 'text-length-filter');

const refused: readonly [title: string, params: unknown, field: string, problem: RegExp][] = [
  ['below its range', { min: -1 }, 'min', /^must be at least 0$/],
  ['another type', { min: '1' }, 'min', /^must be an integer$/],
  ['null', { max: null }, 'max', /^must be an integer$/],
  ['a relation', { min: 5, max: 4 }, 'min', /^must not be greater than max/],
  ['no object', [], '', /^must be an object$/],
];
for (const [title, params, field, problem] of refused) {
  test(`parameters are refused: ${title}`, () => {
    assert.ok(filter !== undefined);
    const parsed = parseParams(filter, params);
    assert.ok(!parsed.ok);
    assert.equal(parsed.field, field);
    assert.match(parsed.problem.text, problem);
  });
}

test('parameters: defaults come in, unknown fields go, the caller keeps what it had', () => {
  assert.ok(filter !== undefined);
  const given = { min: 2, other: 1 };
  assert.deepEqual(parseParams(filter, given), {
    ok: true,
    params: { min: 2, max: 1_000_000_000, unit: 'CHARACTERS' },
  });
  assert.deepEqual(given, { min: 2, other: 1 });
});
