import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { test } from 'node:test';
import { connectors } from './index.ts';

test('a connector is at most three files named after it, and its test', () => {
  const types = connectors.map(({ type }) => type);
  const files = globSync('*.ts', { cwd: import.meta.dirname });
  for (const type of types) {
    const isOwn = (name: string): boolean => name === type || name.startsWith(`${type}-`);
    const own = files.filter((file) => isOwn(basename(file).replace(/(?:\.test)?\.ts$/, '')));
    const code = own.filter((file) => !file.endsWith('.test.ts'));
    assert.ok(code.length >= 1 && code.length <= 3, `${type}: ${code.join(', ')}`);
    assert.ok(own.includes(`${type}.test.ts`), `${type} has no test`);
  }
});
