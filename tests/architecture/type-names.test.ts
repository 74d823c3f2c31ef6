// Names of exported types.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

test('an exported type name means one thing', () => {
  const paths = new Map<string, string[]>();
  for (const path of globSync('server/**/*.ts').filter((path) => !path.endsWith('.test.ts'))) {
    for (const [, name = ''] of readFileSync(path, 'utf8').matchAll(/^export (?:type|interface|class) (\w+)/gm))
      paths.set(name, [...(paths.get(name) ?? []), path]);
  }
  assert.ok(paths.size > 100);
  assert.deepEqual(
    [...paths].filter(([, declared]) => declared.length > 1),
    [],
  );
});
