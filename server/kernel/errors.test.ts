import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError, defineErrors, errors, invalid, listErrorCatalogues, unavailable } from './errors.ts';
import { parameterProblems } from './parameter-problems.ts';
import { causesOfDelay } from './sentences/index.ts';

test('a catalogue makes one factory for each code, filled with its parameters', () => {
  const cause = new Error('disk');
  const catalogue = defineErrors('test', {
    PLOT_NOT_FOUND: ['not-found', 'Plot {id} of {id} does not exist; choose {other}'],
  });
  const error = catalogue.PLOT_NOT_FOUND({ id: 7, other: 'plot 8' }, { cause, retryAfterSeconds: 3 });
  assert.ok(error instanceof AppError);
  assert.deepEqual(
    { kind: error.kind, code: error.code, message: error.message, cause: error.cause, retry: error.retryAfterSeconds },
    {
      kind: 'not-found',
      code: 'PLOT_NOT_FOUND',
      message: 'Plot 7 of 7 does not exist; choose plot 8',
      cause,
      retry: 3,
    },
  );
  assert.ok(listErrorCatalogues().has('test'));
});

test('values are not templates themselves', () => {
  assert.equal(errors.INVALID_PARAMETER({ field: '{problem}', problem: '$& is odd' }).message, '{problem} $& is odd');
});

test('a wrong parameter is named', () => {
  const error = invalid('size', parameterProblems.MUST_BE_AT_MOST.reason({ limit: 1000 }));
  assert.equal(error.field, 'size');
  assert.equal(error.message, 'size must be at most 1000');
  const problem = { code: 'MUST_BE_AT_MOST', params: { limit: 1000 } };
  assert.deepEqual(error.params, { field: 'size', problem });
});

test('what may work later says when', () => {
  const error = unavailable(causesOfDelay.SHUTTING_DOWN.reason({}), 5);
  assert.equal(error.message, 'The service is shutting down; try again in 5 s');
  assert.equal(error.retryAfterSeconds, 5);
});

test('every message says something of its own', () => {
  const codes = [...listErrorCatalogues().values()].flatMap((catalogue) => Object.entries(catalogue));
  const empty = codes.filter(([, [, message]]) => /^\{\w+\}$/.test(message));
  assert.deepEqual(empty, []);
});

// Never called: the compiler is the test, because it reports a `@ts-expect-error` without an error.
export function missingParametersDoNotCompile(): void {
  const catalogue = defineErrors('types', {
    PLOT_NOT_FOUND: ['not-found', 'Plot {id} of {field} does not exist'],
    FIELD_FLOODED: ['conflict', 'The field is flooded; wait until it dries'],
  });
  catalogue.PLOT_NOT_FOUND({ id: 7, field: 'north' });
  catalogue.FIELD_FLOODED();
  // @ts-expect-error `field` is missing.
  catalogue.PLOT_NOT_FOUND({ id: 7 });
  // @ts-expect-error All parameters are missing.
  catalogue.PLOT_NOT_FOUND();
  // @ts-expect-error The message has no `colour`.
  catalogue.PLOT_NOT_FOUND({ id: 7, field: 'north', colour: 'red' });
  // @ts-expect-error The message has no parameters.
  catalogue.FIELD_FLOODED({ id: 7 });
}
