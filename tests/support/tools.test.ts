import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { findOnPath } from './tools.ts';

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'tilth-tools-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** The test runner's report on one test that needs a missing tool. */
function runTestThatNeeds(folder: string, path: string | undefined, env: NodeJS.ProcessEnv): string {
  const file = join(folder, 'made-up.test.ts');
  const tool = JSON.stringify({ name: 'dowser', path, howToGet: 'apt-get install dowser' });
  const tools = JSON.stringify(new URL('tools.ts', import.meta.url).href);
  writeFileSync(
    file,
    `import { testWith } from ${tools};\ntestWith([${tool}], 'finds water', (t, path) => console.log('at', path));\n`,
  );
  const { NODE_TEST_CONTEXT: _, CI: _ci, TILTH_TEST_REQUIRE_ALL: _all, ...inherited } = process.env;
  return spawnSync(process.execPath, ['--test', '--test-reporter=tap', file], {
    env: { ...inherited, ...env },
    encoding: 'utf8',
  }).stdout;
}

test('a test whose tool is there gets its path', (t) => {
  const report = runTestThatNeeds(temporaryFolder(t), '/bin/dowser', {});
  assert.match(report, /at \/bin\/dowser/);
  assert.match(report, /# pass 1/);
});

test('a test whose tool is missing is skipped and says what to install', (t) => {
  const report = runTestThatNeeds(temporaryFolder(t), undefined, {});
  assert.match(report, /finds water # SKIP needs dowser \(apt-get install dowser\)/);
  assert.match(report, /# fail 0\n[^]*# skipped 1/);
});

for (const env of [{ CI: 'true' }, { TILTH_TEST_REQUIRE_ALL: '1' }]) {
  test(`a test whose tool is missing fails under ${JSON.stringify(env)}`, (t) => {
    const report = runTestThatNeeds(temporaryFolder(t), undefined, env);
    assert.match(report, /needs dowser \(apt-get install dowser\)/);
    assert.match(report, /# fail 1/);
  });
}

test('a command is found where it can be run', (t) => {
  const folder = temporaryFolder(t);
  const [first, second, third] = ['1', '2', '3'].map((name) => join(folder, name));
  assert.ok(first !== undefined && second !== undefined && third !== undefined);
  mkdirSync(join(first, 'dowser'), { recursive: true });
  for (const place of [second, third]) mkdirSync(place);
  writeFileSync(join(second, 'dowser'), '');
  writeFileSync(join(third, 'dowser'), '');
  chmodSync(join(third, 'dowser'), 0o755);
  assert.equal(findOnPath('dowser', [first, second, third]), join(third, 'dowser'));
  assert.equal(findOnPath('dowser', [first, second]), undefined);
});
