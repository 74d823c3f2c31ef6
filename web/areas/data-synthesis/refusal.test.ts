import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../../api/errors.ts';
import { problemAt, refusalOf } from './refusal.ts';

function refused(field: string, problem: unknown): ApiError {
  return new ApiError({
    status: 400,
    code: 'Bad Request',
    message: `${field} has an undeclared variable: tone`,
    sentence: { code: 'INVALID_PARAMETER', params: { field, problem } },
    requestId: undefined,
    retryAfterSeconds: undefined,
  });
}

test('a refusal stands at its field, or at the one that holds it', () => {
  const refusal = refusalOf(refused('variables[1].name', 'has an undeclared variable: tone'), 'en');
  assert.equal(problemAt(refusal, 'variables'), 'has an undeclared variable: tone');
  assert.equal(problemAt(refusal, 'variable'), undefined);
  assert.equal(
    problemAt(refusalOf(refused('checks.grounding.field', 'x'), 'en'), 'checks.grounding'),
    'has an undeclared variable: tone',
  );
  assert.equal(refusalOf(new Error('offline'), 'en'), undefined);
});
