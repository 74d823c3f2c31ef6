import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findPlaces, mutate } from './places.ts';

const mutants = (source: string) => findPlaces(source).map(({ mutation }) => mutate(source, mutation));

test('operators, conditions, numbers and truth values within functions are broken, one at a time', () => {
  assert.deepEqual(mutants('const f = (a: number) => a < 2 && !done(true);'), [
    'const f = (a: number) => a < 2 || !done(true);',
    'const f = (a: number) => a <= 2 && !done(true);',
    'const f = (a: number) => a < 3 && !done(true);',
    'const f = (a: number) => a < 2 && (done(true));',
    'const f = (a: number) => a < 2 && !done(false);',
  ]);
  assert.deepEqual(mutants('function f(): 1 | 2 { return a ? b : c as 1; }'), [
    'function f(): 1 | 2 { return !(a) ? b : c as 1; }',
  ]);
});

test('types, keys and what runs as a module loads stay as they are', () => {
  assert.deepEqual(mutants(`const LIMIT = 5 * 2;\nfunction f(a: 1 | true): 2 { return { 1: a } as { 1: 2 }; }`), []);
});
