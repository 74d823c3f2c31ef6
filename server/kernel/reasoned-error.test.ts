import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError, errors } from './errors.ts';
import { reasonOf } from './reasoned-error.ts';

test('the reason of a failed call has the code and the values of its error', () => {
  const error = errors.METHOD_NOT_ALLOWED({ method: 'The path /x', allowed: 'GET' });
  assert.ok(error instanceof AppError);
  assert.deepEqual(reasonOf(error), {
    text: 'The path /x is not allowed here; allowed: GET',
    sentence: { code: 'METHOD_NOT_ALLOWED', params: { method: 'The path /x', allowed: 'GET' } },
  });
});

test('the reason of an error of a library has no code, whatever its words', () => {
  for (const text of ['out of cheese', 'GET is not allowed here; allowed: POST'])
    assert.deepEqual(reasonOf(new Error(text)), { text, sentence: null });
});
