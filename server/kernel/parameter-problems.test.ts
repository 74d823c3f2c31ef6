import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { codeOf } from './sentence-catalogue.ts';
import { parameterProblems } from './parameter-problems.ts';

/** `invalid(…)` with a literal instead of a catalogue sentence. */
const literal = /\binvalid\(\s*(?:'[^']*'|`[^`]*`|[\w.]+)\s*,\s*['"`]/g;

test('every problem of a parameter has a code', () => {
  assert.equal(codeOf(parameterProblems.MUST_BE_STEPS_OF_RUN({ count: 3 })), 'MUST_BE_STEPS_OF_RUN');
  const found = globSync('server/**/*.ts')
    .filter((path) => !path.endsWith('.test.ts') && path !== 'server/kernel/errors.ts')
    .flatMap((path) => [...readFileSync(path, 'utf8').matchAll(literal)].map(([call]) => `${path}: ${call}`));
  assert.deepEqual(found, []);
});
