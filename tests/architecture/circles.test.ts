// Files that import each other in a circle are found.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findViolations } from '../support/import-rules.ts';
import { serverMap } from './server-map.ts';

test('circles of files are found, of types as well', () => {
  const circle = (types: string) =>
    findViolations(
      serverMap,
      new Map([
        ['server/kernel/a.ts', `import { b } from './b.ts';`],
        ['server/kernel/b.ts', `import { c } from './c.ts';`],
        ['server/kernel/c.ts', `import ${types}{ a } from './a.ts';`],
      ]),
    );
  const found = ['circle: server/kernel/a.ts → server/kernel/b.ts → server/kernel/c.ts → server/kernel/a.ts'];
  assert.deepEqual(circle(''), found);
  assert.deepEqual(circle('type '), found);
});
