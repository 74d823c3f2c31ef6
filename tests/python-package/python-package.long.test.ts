import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestContext } from 'node:test';
import { installPythonPackage, packageFolder, type PythonPackage } from '../support/python-package.ts';
import { runProgram } from '../support/python.ts';
import type { Api } from '../support/api.ts';
import { startApp } from '../support/server.ts';
import { findTool, testWith } from '../support/tools.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const python3 = findTool('python3', 'python3-venv');

async function newKey({ api }: Api, role: string): Promise<string> {
  return (await api<{ key: string }>('POST', '/auth/api-keys', { name: role, role })).body.key;
}

/** A service, the installed package, and the environment that connects them. */
async function open(
  t: TestContext,
  python: string,
  settings: Record<string, string> = {},
): Promise<{ service: Awaited<ReturnType<typeof startApp>>; made: PythonPackage; env: NodeJS.ProcessEnv } | undefined> {
  const made = await installPythonPackage(t, python);
  if (made === undefined) return undefined;
  const service = await startApp(t, { settings });
  const env = {
    TILTH_URL: service.url,
    TILTH_API_KEY: await newKey(service, 'EDITOR'),
    VIEWER_KEY: await newKey(service, 'VIEWER'),
  };
  return { service, made, env };
}

async function newDataset({ api }: Api, name: string): Promise<string> {
  return (await api<{ id: string }>('POST', '/data-management/datasets', { name, type: 'TEXT' })).body.id;
}

testWith([python3], 'the types of the Python package hold under mypy --strict', async (t, python = '') => {
  const made = await installPythonPackage(t, python);
  if (made === undefined) return;
  const cache = join(made.folder, 'mypy');
  const strict = ['-m', 'mypy', '--config-file', 'pyproject.toml', '--cache-dir', cache];
  const checked = await runProgram(made.python, strict, { cwd: packageFolder });
  assert.equal(checked.code, 0, checked.output);
  // mypy no longer supports the oldest Python that the package supports; Python's own parser still does.
  const parse = 'import ast,sys;[ast.parse(open(f).read(),feature_version=(3,9)) for f in sys.argv[1:]]';
  const sources = (await readdir(join(packageFolder, 'src/tilth'))).filter((name) => name.endsWith('.py'));
  const parsed = await made.run(['-c', parse, ...sources.map((name) => join(packageFolder, 'src/tilth', name))]);
  assert.equal(parsed.code, 0, parsed.output);
  const use = join(made.folder, 'use.py');
  await writeFile(use, 'from tilth import Client\nn: str = Client().dataset("a").state()["version"]\n');
  const misused = await made.run(['-m', 'mypy', '--strict', '--cache-dir', cache, use]);
  assert.equal(misused.code, 1, misused.output);
  assert.match(misused.output, /expression has type "int", variable has type "str"/);
});

testWith([python3], 'the examples of the README of the Python package run', async (t, python = '') => {
  const opened = await open(t, python);
  if (opened === undefined) return;
  const { made, env } = opened;
  const readme = await readFile(join(packageFolder, 'README.md'), 'utf8');
  const examples = [...readme.matchAll(/^```python\n(.*?)^```$/gms)].map(([, code = '']) => code);
  assert.ok(examples.length >= 5);
  const corpus = join(made.folder, 'corpus');
  await mkdir(join(corpus, 'sub'), { recursive: true });
  const notes = [1, 3, 5].map((acres) => `${JSON.stringify({ text: `plot  of ${acres}`, acres })}\n`).join('');
  await writeFile(join(corpus, 'notes.jsonl'), notes);
  await writeFile(join(corpus, 'fields.csv'), 'name,acres\nhome,3\nfar,4\n');
  await writeFile(join(corpus, 'sub', 'read me.txt'), 'hello\n');
  const checks = [
    'assert str(report) == "3 files = 3 stored + 0 skipped + 0 failed", report',
    'assert frame["acres"].tolist() == back["acres"].tolist() == [3, 4] and total == [(7,)]',
    'assert "6 in = 6 kept" in repr(run) and state["status"] == "COMPLETED" and tidy.name == "harvest, tidy" and table.num_rows == 2',
    'print("done")',
  ];
  await writeFile(join(made.folder, 'examples.py'), [...examples, ...checks, ''].join('\n'));
  const run = await made.run(['examples.py'], env);
  assert.equal(run.code, 0, run.output);
  assert.match(run.output, /\{'notes': 3, 'acres': '?9'?\}/);
  assert.match(run.output, /^done$/m);
});

testWith([python3], 'tilth:// is a file system for fsspec, pandas, pyarrow and DuckDB', async (t, python = '') => {
  const opened = await open(t, python);
  if (opened === undefined) return;
  const { service, made, env } = opened;
  const dataset = await newDataset(service, 'Meadow');
  const run = await made.run([join(folder, 'filesystem.py'), dataset], env);
  assert.equal(run.code, 0, run.output);
  assert.match(run.output, /^done$/m);
});

testWith(
  [python3],
  '2,000 small files, rows, queries, refusals and runs by the Python client, within the default rate limits',
  async (t, python = '') => {
    const opened = await open(t, python, { TILTH_RATE_LIMIT_PER_MINUTE: '100', TILTH_RATE_LIMIT_PER_HOUR: '1000' });
    if (opened === undefined) return;
    const { service, made, env } = opened;
    const run = await made.run([join(folder, 'client.py'), await newDataset(service, 'Small')], env);
    assert.equal(run.code, 0, run.output);
    assert.match(run.output, /^done$/m);
    assert.doesNotMatch(run.output, /trying again/, 'nothing had to wait');
  },
);
