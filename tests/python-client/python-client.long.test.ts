import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pythonWith, runProgram } from '../support/python.ts';
import { adminPassword, startApp } from '../support/server.ts';
import { findTool, testWith } from '../support/tools.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));

testWith(
  [findTool('python3', 'python3-venv')],
  'a Python client generated from the OpenAPI document does what it says',
  async (t, python = '') => {
    const program = await pythonWith(t, python, join(folder, 'requirements.txt'));
    if (program === undefined) return;
    const directory = await mkdtemp(join(tmpdir(), 'tilth-python-'));
    t.after(() => rm(directory, { recursive: true, force: true }));

    const service = await startApp(t);
    const document = join(directory, 'api.json');
    await writeFile(document, await (await fetch(`${service.url}/api/v1/openapi.json`)).text());
    const client = join(directory, 'client');
    const generated = await runProgram(program, [
      '-m',
      'openapi_python_client',
      'generate',
      `--path=${document}`,
      `--output-path=${join(client, 'tilth_client')}`,
      `--config=${join(folder, 'generator.yaml')}`,
      '--meta=none',
      '--fail-on-warning',
    ]);
    assert.equal(generated.code, 0, generated.output);

    const env = { ...process.env, PYTHONPATH: client };
    const calls = await runProgram(program, [join(folder, 'calls.py'), service.url, adminPassword], { env });
    assert.equal(calls.code, 0, calls.output);
    assert.match(calls.output, /^done$/m);
  },
);
