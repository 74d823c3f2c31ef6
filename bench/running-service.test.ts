import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { startCommand } from './running-service.ts';

test('benchmarks start what `npm start` starts', async () => {
  const args = await startCommand();
  const file = args.find((arg) => arg.endsWith('.js')) ?? '';
  assert.match(file, /\/dist\/server\/main\.js$/);
  assert.equal(args.at(-1), 'serve');
  const version = execFileSync(process.execPath, [...args.slice(0, -1), '--version'], { encoding: 'utf8' });
  assert.match(version, /^\d+\.\d+\.\d+/);
});
