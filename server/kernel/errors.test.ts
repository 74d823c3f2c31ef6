import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError, defineErrors, errors, invalid, listErrorCatalogues } from './errors.ts';

test('a catalogue makes one factory for each code, filled with its parameters', () => {
  const cause = new Error('disk');
  const catalogue = defineErrors('test', {
    PLOT_NOT_FOUND: ['not-found', 'Plot {id} of {id} does not exist; {other}'],
  });
  const error = catalogue.PLOT_NOT_FOUND({ id: 7 }, { cause, retryAfterSeconds: 3 });
  assert.ok(error instanceof AppError);
  assert.deepEqual(
    { kind: error.kind, code: error.code, message: error.message, cause: error.cause, retry: error.retryAfterSeconds },
    { kind: 'not-found', code: 'PLOT_NOT_FOUND', message: 'Plot 7 of 7 does not exist; {other}', cause, retry: 3 },
  );
  assert.ok(listErrorCatalogues().has('test'));
});

test('values are not templates themselves', () => {
  assert.equal(errors.INVALID_PARAMETER({ field: '{problem}', problem: '$& is odd' }).message, '{problem} $& is odd');
});

test('a wrong parameter is named', () => {
  const error = invalid('size', 'must be at most 1000');
  assert.equal(error.field, 'size');
  assert.equal(error.message, 'size must be at most 1000');
});
