// Follows the recipe of CONTRIBUTING.md to the letter in a copy: one file makes an operator.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Operator } from '../server/operators/operator.ts';
import { renderOperatorTexts } from './operator-texts.mjs';
import { renderOperatorRegistry } from './registries.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const copied = [
  'package.json',
  'server/operators',
  'server/chunking',
  'server/html',
  'server/kernel',
  'web/messages',
  'tests/support/any-text.ts',
  'tests/support/model-effects.ts',
  'tests/web/operator-texts.test.ts',
];

test('the file of the recipe is all that a new operator takes', async (t) => {
  const copy = await mkdtemp(join(tmpdir(), 'tilth-recipe-'));
  t.after(() => rm(copy, { recursive: true }));
  for (const path of copied) {
    await mkdir(dirname(join(copy, path)), { recursive: true });
    await cp(join(root, path), join(copy, path), { recursive: true });
  }
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  const recipe = await readFile(join(root, 'CONTRIBUTING.md'), 'utf8');
  const [, operator = ''] = /\*\*An operator\.\*\*.*?```ts\n(.*?)```/s.exec(recipe) ?? assert.fail('no recipe');

  await writeFile(join(copy, 'server/operators/filters/word-count-filter.ts'), operator);
  const registry = await renderOperatorRegistry(join(copy, 'server/operators'));
  await writeFile(join(copy, 'server/operators/registry.ts'), registry);
  const { operators } = (await import(join(copy, 'server/operators/registry.ts'))) as { operators: Operator[] };
  await writeFile(join(copy, 'web/messages/zh/operator-texts.ts'), renderOperatorTexts(operators));

  const tests = ['server/operators/operators.test.ts', 'tests/web/operator-texts.test.ts'];
  const { stdout } = await promisify(execFile)(process.execPath, ['--test', '--test-reporter=spec', ...tests], {
    cwd: copy,
    // A test started by a test would report to its parent instead of writing to its output.
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
    maxBuffer: 1 << 24,
  });
  assert.match(stdout, /✔ word-count-filter: Too few/);
  assert.match(stdout, /✔ word-count-filter is documented/);
  assert.match(stdout, /✔ every built-in operator has its name, description and parameters/);
});

test('the registry holds what the folder declares', async () => {
  const registry = await readFile(join(root, 'server/operators/registry.ts'), 'utf8');
  assert.equal(registry, await renderOperatorRegistry(join(root, 'server/operators')));
});
