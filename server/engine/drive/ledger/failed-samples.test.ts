import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forAnyDatabase } from '../../../../tests/support/databases.ts';
import { openEngine, step } from '../../../../tests/support/engine.ts';
import type { Run } from '../../../runs/index.ts';
import { shardLimits, type OnError } from '../../orders/shard.ts';

const steps = [step('whitespace-normalizer', { maxBlankLines: 1 }), step('text-length-filter', { min: 2, max: 1000 })];
/** A little longer than a row may be. */
const longRow = Buffer.concat([
  Buffer.from('{"text":"'),
  Buffer.alloc(shardLimits.maxRowBytes, 'é'),
  Buffer.from('"}'),
]);
const image = Buffer.from([0x50, 0x4b, 3, 4, 0, 0xff, 0xfe]);
const ends = { crlf: '\r\n', lf: '\n' };

/** Files with every kind of failure, and their results for each `onError`. */
function filesOf(): Record<string, Buffer> {
  const latin = Buffer.from('{"text":"caf\xe9"}\n', 'latin1');
  return {
    'a.jsonl': Buffer.concat([
      Buffer.from(`{"text":"good  one"}\n\n{"text":"cut\n{"n":NaN,"text":"two"}\n{"n":1}\n`),
      latin,
      Buffer.from('{"text":"x"}\n'),
    ]),
    'b.csv': Buffer.from(
      `id,text${ends.crlf}1,"two${ends.lf}lines"${ends.crlf}2,a,b${ends.crlf}3,"lone${ends.crlf}4,fine`,
    ),
    'c.zip': image,
    'd.jsonl': Buffer.concat([Buffer.from('{"text":"before"}\n'), longRow, Buffer.from('\n{"text":"after"}\n')]),
  };
}

type Line = { filePath: string; row: number | null; line: number | null; encoding: string | null; raw: string | null };

const rawOf = ({ encoding, raw }: Line): Buffer => Buffer.from(raw ?? '', encoding === 'base64' ? 'base64' : 'utf8');

for (const onError of ['SET_ASIDE', 'KEEP', 'DROP'] as const satisfies readonly OnError[]) {
  forAnyDatabase(`failed samples, whatever their size: ${onError}`, async (t, openDb) => {
    const db = await openDb();
    const directory = await mkdtemp(join(tmpdir(), 'tilth-engine-'));
    t.after(() => rm(directory, { recursive: true }));
    const bench = await openEngine(db, directory, { workers: 2 });
    t.after(() => bench.close());
    const files = filesOf();
    const source = await Promise.all(Object.entries(files).map(([path, bytes]) => bench.put(path, bytes)));
    const run = await bench.ended((await bench.execute(source, { steps, onError })).id);
    assert.equal(run.error, null);
    assert.deepEqual([run.counts.in, run.counts.failed], [14, 7]);
    assert.equal(run.counts.in, run.counts.kept + run.counts.dropped + run.counts.failed);
    const failed = await linesOf(bench.engine.streamFailed(run));
    assert.deepEqual(
      failed.map(({ filePath, row, line }) => [filePath, row, line]),
      [
        ['a.jsonl', 2, 3],
        ['a.jsonl', 4, 5],
        ['a.jsonl', 5, 6],
        ['b.csv', 2, 4],
        ['b.csv', 3, 5],
        ['c.zip', null, null],
        ['d.jsonl', 2, 2],
      ],
    );
    const raws: Buffer[] = [
      Buffer.from('{"text":"cut'),
      Buffer.from('{"n":1}'),
      Buffer.from('{"text":"caf\xe9"}', 'latin1'),
      Buffer.from('2,a,b'),
      Buffer.from('3,"lone'),
      image,
      longRow,
    ];
    // When failed samples are kept, only those that their file can't hold are set aside.
    const isAside = (index: number): boolean => onError === 'SET_ASIDE' || (onError === 'KEEP' && index === 4);
    for (const [index, raw] of raws.entries()) {
      const line = failed[index];
      assert.ok(line !== undefined);
      assert.equal(line.encoding === null, !isAside(index));
      if (isAside(index)) assert.equal(Buffer.compare(rawOf(line), raw), 0, `${index}`);
    }
    const result = await bench.result();
    assert.equal(run.counts.emitted, run.counts.kept + (onError === 'KEEP' ? 6 : 0));
    const kept = onError === 'KEEP';
    assert.equal(
      result.get('a.jsonl'),
      kept
        ? Buffer.from(filesOf()['a.jsonl'] ?? '')
            .toString()
            .replace('good  one', 'good one')
            .replace('{"text":"x"}\n', '')
        : '{"text":"good one"}\n\n{"n":NaN,"text":"two"}\n',
    );
    assert.equal(
      result.get('b.csv'),
      `id,text${ends.crlf}1,"two${ends.lf}lines"${ends.crlf}${kept ? `2,a,b${ends.crlf}` : ''}4,fine`,
    );
    assert.equal(result.has('c.zip'), kept);
    assert.equal(result.get('d.jsonl')?.length, (kept ? longRow.toString().length + 1 : 0) + 35);
  });
}

async function linesOf(stream: AsyncIterable<Buffer>): Promise<Line[]> {
  const blocks: Buffer[] = [];
  for await (const block of stream) blocks.push(block);
  const text = Buffer.concat(blocks).toString();
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);
}

forAnyDatabase('a run that is erased takes what it has set aside with it', async (t, openDb) => {
  const db = await openDb();
  const directory = await mkdtemp(join(tmpdir(), 'tilth-engine-'));
  t.after(() => rm(directory, { recursive: true }));
  const bench = await openEngine(db, directory, { workers: 1 });
  t.after(() => bench.close());
  const source = [await bench.put('a.jsonl', 'x\n{"text":"good"}\n'), await bench.put('b.zip', image)];
  const run: Run = await bench.ended((await bench.execute(source, { steps, onError: 'SET_ASIDE' })).id);
  const row = await db.read.selectFrom('shards').select('set_aside').where('run_id', '=', run.id).executeTakeFirst();
  const { blobId, files } = JSON.parse(row?.set_aside ?? '') as { blobId: string; files: string[] };
  const refs = async (id: string): Promise<number | undefined> =>
    (await db.read.selectFrom('blobs').select('refs').where('id', '=', id).executeTakeFirst())?.refs;
  assert.equal(await refs(blobId), 1);
  const before = await refs(files[0] ?? '');
  await db.write((tx) => bench.engine.deleteRuns(tx, run.taskId));
  assert.equal(await refs(files[0] ?? ''), (before ?? 0) - 1);
  assert.ok(((await refs(blobId)) ?? 0) === 0);
});

forAnyDatabase('pictures in a task for text are skipped, and each file says how it was read', async (t, openDb) => {
  const db = await openDb();
  const directory = await mkdtemp(join(tmpdir(), 'tilth-engine-'));
  t.after(() => rm(directory, { recursive: true }));
  const bench = await openEngine(db, directory, { workers: 1, shardBytes: 400, shardFiles: 2 });
  t.after(() => bench.close());
  const source = [
    await bench.put('a.png', Buffer.from([0x89, 0x50])),
    await bench.put('b.csv', Buffer.from(`id,text\n${'1,d\xe9j\xe0 vu tr\xe8s fran\xe7ais\n'.repeat(60)}`, 'latin1')),
    await bench.put('c.jsonl', '{"body":"good"}\n'),
    await bench.put('d.txt', Buffer.from('\ufeffgood', 'utf16le')),
    await bench.put('e.zip', image),
  ];
  const run = await bench.ended((await bench.execute(source, { steps, onError: 'SET_ASIDE' })).id);
  assert.equal(run.error, null);
  assert.deepEqual([run.skipped, run.counts.in, run.counts.failed], [1, 63, 1]);
  const skipped = await bench.engine.readLedger(run, { verdict: 'SKIPPED' }, { page: 0, size: 9 });
  assert.deepEqual(
    skipped.entries.map(({ filePath, row, reason }) => [filePath, row, reason]),
    [['a.png', null, 'NOT_MEANT: the steps are for text, and the file is image/png']],
  );
  const first = await bench.engine.readInputs(run, { page: 0, size: 2 });
  const second = await bench.engine.readInputs(run, { page: 1, size: 2 });
  const third = await bench.engine.readInputs(run, { page: 2, size: 2 });
  assert.deepEqual([first.total, second.total, third.total], [5, 5, 5]);
  assert.deepEqual(
    [...first.inputs, ...second.inputs, ...third.inputs].map((input) => [
      input.filePath,
      input.format,
      input.encoding,
      input.certainty,
      input.guessed,
      input.fields,
      input.samples,
      input.skipped !== null,
    ]),
    [
      ['a.png', 'png', null, null, false, null, 0, true],
      ['b.csv', 'csv', 'windows-1252', 'LIKELY', true, ['text'], 60, false],
      ['c.jsonl', 'jsonl', 'utf-8', 'CERTAIN', false, ['body'], 1, false],
      ['d.txt', 'text', 'utf-16le', 'CERTAIN', false, null, 1, false],
      ['e.zip', null, null, null, false, null, 1, false],
    ],
  );
  assert.deepEqual([...(await bench.result()).keys()], ['b.csv', 'c.jsonl', 'd.txt']);
});

forAnyDatabase(
  'the failed samples are the same for any size of shards and any number of workers',
  async (t, openDb) => {
    const db = await openDb();
    const rows = Array.from({ length: 400 }, (_, row) =>
      row % 7 === 3 ? `{"text":"cut ${row}` : `{"text":"row ${row}"}`,
    );
    const cells = Array.from({ length: 200 }, (_, row) => (row % 9 === 2 ? `${row},a,b` : `${row},"two\nlines"`));
    const streams: string[] = [];
    for (const options of [
      { workers: 1, shardBytes: 1 << 22 },
      { workers: 2, shardBytes: 300 },
    ]) {
      const directory = await mkdtemp(join(tmpdir(), 'tilth-engine-'));
      t.after(() => rm(directory, { recursive: true }));
      const bench = await openEngine(db, directory, options);
      t.after(() => bench.close());
      const source = [
        await bench.put('a.jsonl', rows.join('\n')),
        await bench.put('b.csv', ['id,text', ...cells].join('\n')),
        await bench.put('c.zip', image),
        await bench.put('d.jsonl', Buffer.from(rows.join('\n'), 'utf16le')),
      ];
      const run = await bench.ended((await bench.execute(source, { steps, onError: 'SET_ASIDE' })).id);
      assert.equal(run.error, null);
      const lines = await linesOf(bench.engine.streamFailed(run));
      assert.ok(lines.length > 100 && lines.every(({ raw }) => raw !== null));
      // Each run's files have other ids.
      streams.push(JSON.stringify(lines.map((line) => ({ ...line, sampleId: '' }))));
    }
    assert.equal(streams[1], streams[0]);
  },
);
