// Schemas of objects whose members have any name.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

test('objects with members of any name are `recordOf`', () => {
  const others = globSync('server/**/*.ts').filter(
    (path) => path !== 'server/kernel/record-schema.ts' && readFileSync(path, 'utf8').includes('Type.Record('),
  );
  assert.deepEqual(others, []);
});
