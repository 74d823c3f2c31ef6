import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestContext } from 'node:test';
import { adminPassword, startApp } from '../support/server.ts';
import { areAllToolsRequired, findTool, testWith } from '../support/tools.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));

type Outcome = { code: number; output: string };

/** Runs a program to its end; both of its outputs are kept. */
function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(program, args, { env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
      resolve({ code, output: stdout + stderr });
    });
  });
}

/** A Python of its own with the generator in it; undefined, and the test skipped, where that can't be had. */
async function installGenerator(t: TestContext, python: string, directory: string): Promise<string | undefined> {
  const home = join(directory, 'python');
  const venv = await run(python, ['-m', 'venv', home]);
  const pip = [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '-r',
    join(folder, 'requirements.txt'),
  ];
  const installed = venv.code === 0 ? await run(join(home, 'bin', 'python'), pip) : venv;
  if (installed.code === 0) return join(home, 'bin');
  const reason = `needs python3-venv and a registry of Python packages: ${installed.output.trim().slice(-500)}`;
  if (areAllToolsRequired()) assert.fail(reason);
  t.skip(reason);
  return undefined;
}

testWith(
  [findTool('python3', 'python3-venv')],
  'a Python client generated from the OpenAPI document does what it says',
  async (t, python = '') => {
    const directory = await mkdtemp(join(tmpdir(), 'tilth-python-'));
    t.after(() => rm(directory, { recursive: true, force: true }));
    const programs = await installGenerator(t, python, directory);
    if (programs === undefined) return;

    const service = await startApp(t);
    const document = join(directory, 'api.json');
    await writeFile(document, await (await fetch(`${service.url}/api/v1/openapi.json`)).text());
    const client = join(directory, 'client');
    const generated = await run(join(programs, 'openapi-python-client'), [
      'generate',
      `--path=${document}`,
      `--output-path=${join(client, 'tilth_client')}`,
      `--config=${join(folder, 'generator.yaml')}`,
      '--meta=none',
      '--fail-on-warning',
    ]);
    assert.equal(generated.code, 0, generated.output);

    const env = { ...process.env, PYTHONPATH: client };
    const calls = await run(join(programs, 'python'), [join(folder, 'calls.py'), service.url, adminPassword], env);
    assert.equal(calls.code, 0, calls.output);
    assert.match(calls.output, /^done$/m);
  },
);
