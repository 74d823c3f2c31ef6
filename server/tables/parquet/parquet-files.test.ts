import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { killStarted } from '../../../tests/support/started-processes.ts';
import { DuckDBInstance } from '@duckdb/node-api';
import { mayMount, mountSmallDisk } from '../../../tests/faults/small-disk.ts';
import { createParquetFiles, type ParquetFiles } from './index.ts';

const never = new AbortController().signal;

type Bench = { files: ParquetFiles; directory: string; make: (name: string, sql: string) => Promise<string> };

async function open(t: TestContext, memoryBytes?: number): Promise<Bench> {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-parquet-'));
  const files = createParquetFiles({
    scratchDirectory: join(directory, 'scratch'),
    ...(memoryBytes === undefined ? {} : { memoryBytes }),
  });
  t.after(async () => {
    files.close();
    await rm(directory, { recursive: true });
  });
  const make = async (name: string, sql: string): Promise<string> => {
    const path = join(directory, name);
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
    const connection = await instance.connect();
    await connection.run(`copy (${sql}) to '${path}' (format parquet)`);
    connection.closeSync();
    instance.closeSync();
    return path;
  };
  return { files, directory, make };
}

test('a file says what it holds', async (t) => {
  const { files, make } = await open(t);
  const path = await make('a.parquet', `select i as "the ""id""", 'x' || i as text, [i] as list from range(3000) r(i)`);
  const facts = await files.inspect({ path }, { decodesAll: true, signal: never });
  assert.equal(facts.rows, 3000);
  const whole = { kind: 'other', type: 'BIGINT' } as const;
  assert.deepEqual(facts.columns, [
    { name: 'the "id"', type: 'BIGINT', shape: whole, kind: { kind: 'integer' } },
    { name: 'text', type: 'VARCHAR', shape: { kind: 'text' }, kind: { kind: 'text' } },
    {
      name: 'list',
      type: 'BIGINT[]',
      shape: { kind: 'list', item: whole },
      kind: { kind: 'list', item: { kind: 'integer' } },
    },
  ]);
  assert.ok((facts.columnBytes['text'] ?? 0) > 3000);
});

test('rows are extracted and written anew, one request after the other in few processes', async (t) => {
  const { files, directory, make } = await open(t);
  const path = await make('a.parquet', `select i as id, 'x' || i || chr(0) || '"' as text from range(5000) r(i)`);
  const column = 'text';
  for (let from = 0; from < 5000; from += 400) {
    const outputPath = join(directory, 'scratch', 'texts.jsonl');
    const to = Math.min(5000, from + 400);
    assert.equal(await files.extract({ source: { path }, columns: column, from, to, outputPath }, never), to - from);
    const [first = ''] = (await readFile(outputPath, 'utf8')).split('\n');
    assert.deepEqual(JSON.parse(first), { t: `x${from}\u0000"` });
  }
  const textsPath = join(directory, 'scratch', 'new.jsonl');
  const lines = Array.from({ length: 5000 }, (_, row) =>
    JSON.stringify({ t: row === 0 ? ['高\u0000', ''] : row < 4990 ? [] : null }),
  );
  await writeFile(textsPath, `${lines.join('\n')}\n`);
  const outputPath = join(directory, 'scratch', 'new.parquet');
  const request = { source: { path }, column, textsPath, longestLineBytes: 100, outputPath };
  assert.deepEqual(await files.rewrite(request, never), { rows: 12, losses: [] });
  const read = join(directory, 'scratch', 'read.jsonl');
  await files.extract({ source: { path: outputPath }, columns: column, from: 0, to: 12, outputPath: read }, never);
  const texts = (await readFile(read, 'utf8')).trimEnd().split('\n');
  assert.deepEqual(
    texts.slice(0, 3).map((line) => (JSON.parse(line) as { t: string }).t),
    ['高\u0000', '', 'x4990\u0000"'],
  );
});

test('what is no Parquet file says why, without a path of this machine', async (t) => {
  const { files, directory, make } = await open(t);
  const good = await readFile(
    await make('good.parquet', `select i, 'text ' || hash(i) as text from range(20000) r(i)`),
  );
  const broken: readonly [name: string, bytes: Uint8Array][] = [
    ['empty', Buffer.alloc(0)],
    ['text', Buffer.from('PAR1 and then nothing of the kind, but longer. PAR1')],
    ['cut', good.subarray(0, good.length - 100)],
    [
      'without its pages',
      Buffer.concat([good.subarray(0, 100), Buffer.alloc(good.length - 4000 - 100), good.subarray(-4000)]),
    ],
    [
      'hostile footer',
      Buffer.concat([good.subarray(0, -8), Buffer.from([0xff, 0xff, 0xff, 0x7f]), Buffer.from('PAR1')]),
    ],
  ];
  for (const [name, bytes] of broken) {
    const path = join(directory, 'broken.parquet');
    await writeFile(path, bytes);
    await assert.rejects(files.inspect({ path }, { decodesAll: true, signal: never }), (error: Error) => {
      assert.equal(error.name, 'ParquetUnreadable', name);
      assert.doesNotMatch(error.message, /tilth-parquet|\n/, name);
      return true;
    });
  }
});

test('a stopped request ends at once, and so does one that needs too much', async (t) => {
  const { files, make } = await open(t);
  const path = await make('a.parquet', `select i, 'x' as text from range(10) r(i)`);
  const stop = new AbortController();
  const asked = files.inspect({ path }, { decodesAll: true, signal: stop.signal });
  stop.abort(new Error('The run was stopped'));
  await assert.rejects(asked, /The run was stopped/);
  const small = await open(t, 16 << 20);
  await assert.rejects(
    small.files.inspect({ path }, { decodesAll: true, signal: never }),
    /more than 16 MiB|[Mm]emory/,
  );
});

test('a reader that is ended from outside is no fault of the file: it is tried again, and then told', async (t) => {
  const { files, directory, make } = await open(t);
  const path = await make('a.parquet', `select i, 'x' as text from range(10) r(i)`);
  assert.equal((await files.inspect({ path }, { decodesAll: true, signal: never })).rows, 10);
  const outputPath = join(directory, 'scratch', 'a.jsonl');
  const request = { source: { path }, columns: 'text', from: 0, to: 10, outputPath };
  const extracted = files.extract(request, never);
  killStarted('parquet-process');
  assert.equal(await extracted, 10);
  const refused = assert
    .rejects(files.inspect({ path }, { decodesAll: true, signal: never }), { code: 'UNAVAILABLE' })
    .then(() => true);
  while (!(await Promise.race([refused, pause(5, false)]))) killStarted('parquet-process');
});

test('a full disk is no fault of the file', { skip: !mayMount() }, async (t) => {
  const { make } = await open(t);
  const path = await make('a.parquet', 'select repeat(md5(i::varchar), 100) as text from range(5000) r(i)');
  const scratchDirectory = await mkdtemp(join(tmpdir(), 'tilth-parquet-'));
  const files = createParquetFiles({ scratchDirectory });
  t.after(() => files.close());
  await mountSmallDisk(t, scratchDirectory, 'size=1m');
  t.after(() => rm(scratchDirectory, { recursive: true }));
  const outputPath = join(scratchDirectory, 'a.jsonl');
  const request = { source: { path }, columns: 'text', from: 0, to: 5000, outputPath };
  await assert.rejects(files.extract(request, never), { code: 'ENOSPC' });
});
