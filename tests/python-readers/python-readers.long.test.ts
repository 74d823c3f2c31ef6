import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { pythonWith, runProgram } from '../support/python.ts';
import type { Api } from '../support/api.ts';
import { startApp } from '../support/server.ts';
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
  [python3],
  'clients of the Hub read a dataset of more files than the rate limits have calls',
  async (t, python = '') => {
    const program = await pythonWith(t, python, join(folder, 'requirements.txt'));
    if (program === undefined) return;
    const directory = await mkdtemp(join(tmpdir(), 'tilth-many-'));
    t.after(() => rm(directory, { recursive: true, force: true }));
    const service = await startApp(t, { settings: { TILTH_RATE_LIMIT_PER_HOUR: '100' } });
    const dataset = await newDataset(service, { name: 'Many' });
    const count = Number(process.env['TILTH_TEST_HUB_FILES'] ?? 120);
    const files = Array.from({ length: count }, (_, index) => [`data/${index}.jsonl`, `{"n":${index}}\n`]);
    await upload(service, dataset, Object.fromEntries(files));
    const env = {
      ...process.env,
      HF_ENDPOINT: service.url,
      HF_TOKEN: await newKey(service),
      HF_HOME: directory,
      HF_HUB_DISABLE_TELEMETRY: '1',
      HF_HUB_DISABLE_PROGRESS_BARS: '1',
    };
    const read = await runProgram(program, [join(folder, 'hub_many.py'), dataset, String(count)], { env });
    assert.equal(read.code, 0, read.output.slice(-4000));
    t.diagnostic(read.output.trim().split('\n').at(-1) ?? '');
  },
);

testWith(
  [python3],
  'pandas, pyarrow, polars, DuckDB and datasets read CSV, JSON Lines and Parquet of the Hub alike',
  async (t, python = '') => {
    const program = await pythonWith(t, python, join(folder, 'requirements.txt'));
    if (program === undefined) return;
    const directory = await mkdtemp(join(tmpdir(), 'tilth-matrix-'));
    t.after(() => rm(directory, { recursive: true, force: true }));
    const service = await startApp(t, { settings: { TILTH_RATE_LIMIT_PER_HOUR: '200' } });
    const made = join(directory, 't.parquet');
    const texts = ['one', 'zwei, ü', '三'];
    const write = `import pyarrow,pyarrow.parquet as p;p.write_table(pyarrow.table({"n":[1,2,3],"text":${JSON.stringify(texts)}}),"${made}")`;
    const written = await runProgram(program, ['-c', write]);
    assert.equal(written.code, 0, written.output);
    const dataset = await newDataset(service, { name: 'Matrix' });
    const count = 300;
    const many = Array.from({ length: count }, (_, index) => [`many/${index}.jsonl`, `{"n":${index}}\n`]);
    await upload(service, dataset, {
      't.csv': 'n,text\n1,one\n2,"zwei, ü"\n3,三\n',
      't.jsonl': texts.map((text, index) => `${JSON.stringify({ n: index + 1, text })}\n`).join(''),
      't.parquet': await readFile(made),
      ...(Object.fromEntries(many) as Record<string, string>),
    });
    const env = {
      ...process.env,
      HF_ENDPOINT: service.url,
      HF_TOKEN: await newKey(service),
      HF_HOME: directory,
      HF_HUB_DISABLE_TELEMETRY: '1',
      HF_HUB_DISABLE_PROGRESS_BARS: '1',
    };
    const read = await runProgram(program, [join(folder, 'matrix.py'), dataset, String(count)], { env });
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

/** A column of each type whose values are difficult for readers. */
const writeParquet = `
import sys, datetime, decimal, pyarrow as pa, pyarrow.parquet as p
when = datetime.datetime(2024, 2, 29, 12, tzinfo=datetime.timezone.utc)
p.write_table(pa.table({
  "n": range(2), "x": [1.5, None], "time": pa.array([datetime.time(8, 30), None]), "day": pa.array([datetime.date(2024, 2, 29), None]),
  "at": pa.array([when, None], pa.timestamp("ms", "UTC")), "price": pa.array([decimal.Decimal("1.5"), None]), "bytes": pa.array([b"a", None]),
  "list": pa.array([[1, 2], None]), "place": pa.array([{"lat": 1.5, "tags": ["a"]}, None]),
  "turns": pa.array([[{"role": "user", "calls": [{"id": "1"}]}], []]), "map": pa.array([[("k", 1)], None], pa.map_(pa.string(), pa.int64())),
}), sys.argv[1])
`;

testWith(
  [python3],
  'the library of MLCommons accepts the Croissant document of a dataset and reads its records; what it can not read is told',
  async (t, python = '') => {
    const program = await pythonWith(t, python, join(folder, 'requirements.txt'));
    if (program === undefined) return;
    const directory = await mkdtemp(join(tmpdir(), 'tilth-croissant-'));
    t.after(() => rm(directory, { recursive: true, force: true }));
    const service = await startApp(t);
    const dataset = await newDataset(service, { name: 'Soils', license: 'CC-BY-4.0', tags: ['earth', 'rows'] });
    const made = join(directory, 'n.parquet');
    const written = await runProgram(program, ['-c', writeParquet, made]);
    assert.equal(written.code, 0, written.output);
    const files = {
      'train.jsonl':
        '{"text":"loam","n":1,"ok":true,"deep":{"a":[1],"b":{"c":"x"}},"m":{"k":1}}\n{"text":"sand","n":2,"ok":null,"deep":null,"m":"y"}\n',
      'chat.jsonl':
        '{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":null,"score":0.5}],"created_at":"2024-01-01T00:00:00Z"}\n{"messages":[]}\n',
      'sparse.json': '[{"a b":1,"o":{"p":[{"q":"x"}]}},{"c":"y"},{"a b":3}]',
      'test.csv': 'text,"odd, name"\nclay,3\n',
      'tabs.tsv': 'text\tn\nclay\t3\n',
      'semicolons.csv': 'text;n\nclay;3\n',
      'umlauts.csv': Buffer.from('name,city\nJürgen,Köln\nBjörn,Düsseldorf\nJörg,München\n', 'latin1'),
      'torn.jsonl': '{"a":1}\n{"a":\n',
      'mark.jsonl': '\uFEFF{"a":1}\n',
      'huge.jsonl': '{"a":34028236692093846346337460743176821145}\n',
      'years.jsonl': '{"2020":1,"2021":2}\n',
      'mixed.jsonl': '{"a":[1]}\n{"a":"x"}\n',
      'n.parquet': await readFile(made),
      'README.md': '# Soils\n',
      'empty.txt': '',
    };
    await upload(service, dataset, files);
    for (const [path, content] of Object.entries(files)) await writeFile(join(directory, path), content);
    const described = await describe(service, dataset);
    await writeFile(join(directory, 'croissant.json'), JSON.stringify(described));
    const read = await runProgram(program, [
      join(folder, 'croissant.py'),
      join(directory, 'croissant.json'),
      directory,
    ]);
    assert.equal(read.code, 0, read.output.slice(-4000));
    assert.match(read.output, /^done$/m);

    assert.deepEqual(JSON.parse(await readFile(join(directory, 'records.json'), 'utf8')), {
      'chat.jsonl': [
        {
          messages: [
            { role: 'user', content: 'q', score: null },
            { role: 'assistant', content: null, score: 0.5 },
          ],
        },
        { messages: [] },
      ],
      'n.parquet': [
        {
          n: 0,
          x: 1.5,
          time: '08:30:00',
          day: '2024-02-29 00:00:00',
          at: '2024-02-29 12:00:00+00:00',
          price: 1.5,
          bytes: 'a',
          list: [1, 2],
          place: { lat: 1.5, tags: ['a'] },
          turns: [{ role: 'user' }],
        },
        {
          n: 1,
          x: null,
          time: null,
          day: null,
          at: null,
          price: null,
          bytes: null,
          list: null,
          place: { lat: null, tags: null },
          turns: [],
        },
      ],
      'sparse.json': [
        { 'a b': 1, p: [{ q: 'x' }], c: null },
        { 'a b': null, p: [{ q: null }], c: 'y' },
        { 'a b': 3, p: [{ q: null }], c: null },
      ],
      'tabs.tsv': [{ text: 'clay', n: 3 }],
      'test.csv': [{ text: 'clay', 'odd, name': 3 }],
      'train.jsonl': [
        { text: 'loam', n: 1, ok: true, deep: { a: [1] }, b: { c: 'x' } },
        { text: 'sand', n: 2, ok: null, deep: { a: null }, b: { c: null } },
      ],
    });

    const told = [...described.distribution, ...described.recordSet].filter(
      ({ description }) => description !== undefined,
    );
    assert.deepEqual(Object.fromEntries(told.map(({ name, description }) => [name, description])), {
      'chat.jsonl': 'Without created_at: readers of Croissant have no type for these values',
      'n.parquet': 'Without turns.calls, map: readers of Croissant have no type for these values',
      'train.jsonl': 'Without m: readers of Croissant have no type for these values',
      'huge.jsonl':
        'Table without a record set: it has whole numbers of more than 64 bits, at which readers of Croissant stop',
      'mark.jsonl': 'Table without a record set: it begins with a byte order mark, at which readers of Croissant stop',
      'mixed.jsonl': 'Table without a record set: Without a: readers of Croissant have no type for these values',
      'semicolons.csv':
        'Table without a record set: its cells are separated by semicolons, readers of Croissant expect commas',
      'torn.jsonl':
        'Table without a record set: 1 of its rows can not be read, and readers of Croissant stop at the first',
      'umlauts.csv': 'Table without a record set: it is in WINDOWS-1252, readers of Croissant read UTF-8',
      'years.jsonl':
        'Table without a record set: the names of its columns are numbers or dates, which readers of Croissant do not take for names',
    });
  },
);

type Described = Record<'distribution' | 'recordSet', { name: string; description?: string }[]>;

/** The Croissant document, as soon as checksums and types are known. */
async function describe({ api }: Api, dataset: string): Promise<Described> {
  for (;;) {
    const { status, body } = await api<Described>('GET', `/data-management/datasets/${dataset}/croissant`);
    if (status !== 503) {
      assert.equal(status, 200, JSON.stringify(body));
      return body;
    }
    await setTimeout(100);
  }
}
