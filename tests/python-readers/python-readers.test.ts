import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { pythonWith, runProgram } from '../support/python.ts';
import { startApp, type Api } from '../support/server.ts';
import { findTool, testWith } from '../support/tools.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const python3 = findTool('python3', 'python3-venv');

/** Uploads whole files; returns their ids by path. */
async function upload(
  { api }: Api,
  dataset: string,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<Map<string, string>> {
  const form = new FormData();
  for (const [path, content] of Object.entries(files)) form.append('files', new Blob([content]), path);
  const path = `/data-management/datasets/${dataset}/files/upload`;
  const { status, body } = await api<{ id: string; filePath: string }[]>('POST', path, form);
  assert.equal(status, 201, JSON.stringify(body));
  return new Map(body.map(({ id, filePath }) => [filePath, id]));
}

async function newDataset({ api }: Api, body: object): Promise<string> {
  return (await api<{ id: string }>('POST', '/data-management/datasets', { type: 'TEXT', ...body })).body.id;
}

async function newKey({ api }: Api): Promise<string> {
  return (await api<{ key: string }>('POST', '/auth/api-keys', { name: 'reader', role: 'VIEWER' })).body.key;
}

testWith(
  [python3],
  'load_dataset and the client of the Hub read datasets, and are told why not',
  async (t, python = '') => {
    const program = await pythonWith(t, python, join(folder, 'requirements.txt'));
    if (program === undefined) return;
    const directory = await mkdtemp(join(tmpdir(), 'tilth-hub-'));
    t.after(() => rm(directory, { recursive: true, force: true }));
    const service = await startApp(t);
    const dataset = await newDataset(service, { name: 'Letters', tags: ['alphabet'] });
    await upload(service, dataset, { 'data/train.jsonl': '{"text":"one","n":1}\n{"text":"two","n":2}\n' });
    await service.api('POST', `/data-management/datasets/${dataset}/versions`, { name: 'first' });
    await upload(service, dataset, {
      'data/train.jsonl': '{"n":3,"text":"three"}\n{"n":4,"text":"x"}\n{"n":5,"text":"y"}\n',
      'data/test.jsonl': '{"text":"four","n":4}\n',
      'README.md': '---\nlicense: mit\n---\n# Letters\n',
      'deep/er/notes.txt': 'notes',
      'space and ü.txt': 'here',
      'empty.txt': '',
    });
    const env = {
      ...process.env,
      HF_ENDPOINT: service.url,
      HF_TOKEN: await newKey(service),
      HF_HOME: directory,
      HF_HUB_DISABLE_TELEMETRY: '1',
      HF_HUB_DISABLE_PROGRESS_BARS: '1',
    };
    const read = await runProgram(program, [join(folder, 'hub.py'), dataset], { env });
    assert.equal(read.code, 0, read.output.slice(-4000));
    assert.match(read.output, /^done$/m);
  },
);

testWith(
  [python3, findTool('curl')],
  'pandas, pyarrow and curl read files over HTTP with an API key, ranges included',
  async (t, python = '', curl = '') => {
    const program = await pythonWith(t, python, join(folder, 'requirements.txt'));
    if (program === undefined) return;
    const directory = await mkdtemp(join(tmpdir(), 'tilth-http-'));
    t.after(() => rm(directory, { recursive: true, force: true }));
    const service = await startApp(t);
    const made = join(directory, 'n.parquet');
    const write = `import pyarrow,pyarrow.parquet as p;p.write_table(pyarrow.table({"n":range(5000)}),"${made}",row_group_size=1000)`;
    const written = await runProgram(program, ['-c', write]);
    assert.equal(written.code, 0, written.output);
    const dataset = await newDataset(service, { name: 'Files' });
    const lines = '{"text":"three","n":3}\n{"text":"three again","n":4}\n{"text":"five","n":5}\n';
    const ids = await upload(service, dataset, {
      'a.jsonl': lines,
      'a.csv': 'n,t\n1,x\n2,y\n',
      'n.parquet': await readFile(made),
    });
    const urls = ['a.jsonl', 'a.csv', 'n.parquet'].map(
      (path) => `${service.url}/api/v1/data-management/datasets/${dataset}/files/${ids.get(path)}/download`,
    );
    const key = await newKey(service);
    const read = await runProgram(program, [join(folder, 'plain_http.py'), ...urls, key]);
    assert.equal(read.code, 0, read.output.slice(-4000));
    assert.match(read.output, /^done$/m);
    const [url = ''] = urls;
    const part = await runProgram(curl, ['-sS', '-r', '9-13', '-H', `X-API-Key: ${key}`, url]);
    assert.deepEqual(part, { code: 0, output: lines.slice(9, 14) });
    const hub = `${service.url}/datasets/Files/resolve/main/a.jsonl`;
    const tail = await runProgram(curl, ['-sS', '-r', '-7', '-H', `Authorization: Bearer ${key}`, hub]);
    assert.deepEqual(tail, { code: 0, output: lines.slice(-7) });
  },
);

testWith(
  [python3],
  'the validator of MLCommons accepts the Croissant document of a dataset',
  async (t, python = '') => {
    const program = await pythonWith(t, python, join(folder, 'requirements.txt'));
    if (program === undefined) return;
    const directory = await mkdtemp(join(tmpdir(), 'tilth-croissant-'));
    t.after(() => rm(directory, { recursive: true, force: true }));
    const service = await startApp(t);
    const dataset = await newDataset(service, { name: 'Soils', license: 'CC-BY-4.0', tags: ['earth', 'rows'] });
    const made = join(directory, 'n.parquet');
    const write = `import pyarrow,pyarrow.parquet as p;p.write_table(pyarrow.table({"n":range(9),"x":[1.5]*9}),"${made}")`;
    assert.equal((await runProgram(program, ['-c', write])).code, 0);
    await upload(service, dataset, {
      'train.jsonl': '{"text":"loam","n":1,"ok":true,"deep":{"a":[1]}}\n',
      'test.csv': 'text,"odd, name"\nclay,3\n',
      'data/n.parquet': await readFile(made),
      'README.md': '# Soils\n',
      'empty.txt': '',
    });
    for (;;) {
      const { status, body } = await service.api('GET', `/data-management/datasets/${dataset}/croissant`);
      if (status === 503) {
        await setTimeout(100);
        continue;
      }
      assert.equal(status, 200, JSON.stringify(body));
      await writeFile(join(directory, 'croissant.json'), JSON.stringify(body));
      break;
    }
    const read = await runProgram(program, [join(folder, 'croissant.py'), join(directory, 'croissant.json')]);
    assert.equal(read.code, 0, read.output.slice(-4000));
    assert.match(read.output, /^done$/m);
  },
);
