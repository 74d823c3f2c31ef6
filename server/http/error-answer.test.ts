import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errors, invalid, type AppError } from '../kernel/errors.ts';
import { archiveProblems, foreign } from '../kernel/sentences/index.ts';
import { parameterProblems } from '../kernel/parameter-problems.ts';
import { errorAnswer } from './error-answer.ts';

function paramsOf(error: AppError): unknown {
  const { body } = errorAnswer(error, { servicePath: '/api/v1/rag', basePath: '', now: new Date(0) });
  return (JSON.parse(body) as { errorParams: unknown }).errorParams;
}

test('values of an error are those that it was thrown with, whatever sentences they resemble', () => {
  const path = 'The path /api/v1/none';
  assert.deepEqual(paramsOf(errors.NOT_FOUND({ what: path })), { what: path });
  assert.deepEqual(paramsOf(errors.NOT_FOUND({ what: '12' })), { what: '12' });
  const words = archiveProblems.NAME_REFUSED({ problem: 'is odd' });
  assert.deepEqual(paramsOf(errors.UNAVAILABLE({ reason: foreign(words), seconds: 5 })), { reason: words, seconds: 5 });
});

test('a value that is a reason is given by its code and values', () => {
  const problem = parameterProblems.MUST_BE_AT_MOST.reason({ limit: 9 });
  assert.deepEqual(paramsOf(invalid('size', problem)), {
    field: 'size',
    problem: { code: 'MUST_BE_AT_MOST', params: { limit: 9 } },
  });
});
