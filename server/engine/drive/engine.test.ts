import { foreign } from '../../kernel/sentences/index.ts';
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forAnyDatabase, forEachDatabase } from '../../../tests/support/databases.ts';
import { ledgerOf, openBench, openEngine, runToEnd, step } from '../../../tests/support/engine.ts';
import { insertLog } from '../../runs/queries/logs.ts';
import { listShards } from './queries/shards.ts';

const cleaning = [
  step('control-character-remover', { zeroWidth: true, bidi: false }),
  step('whitespace-normalizer', { maxBlankLines: 1 }),
  step('text-length-filter', { min: 2, max: 1000 }),
];

/** Rows with every kind of fate, long enough for many shards. */
function table(rows: number): string {
  const lines: string[] = [];
  for (let row = 0; row < rows; row += 1) {
    if (row % 17 === 3) lines.push('{broken');
    else if (row % 11 === 5) lines.push(`{"id":${row},"text":"x"}`);
    else if (row % 7 === 2) lines.push('');
    else lines.push(`{ "id" : ${row}.50, "text":"row  ${row}\\u0007 ${'word '.repeat(row % 13)}高", "z":[1, 2]}`);
  }
  return lines.join('\r\n');
}

forAnyDatabase('every sample is accounted for, and files come out as they should', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const source = [
    await bench.put('LICENSE', 'All  rights\n\n\n\nreserved'),
    await bench.put('a.txt', 'nothing to do\n'),
    await bench.put('b.md', 'x'),
    await bench.put('latin.txt', Buffer.from('d\xe9j\xe0 vu', 'latin1')),
    await bench.put('picture.zip', Buffer.from([0x89, 0x50, 0x4e, 0x47])),
    await bench.put('rows.jsonl', '{"text":"a  b","n":1.0}\n{"text":"x"}\n{oops\n{"text":7}\n{"text":"fine"}'),
    await bench.put('tool', Buffer.from([1, 0, 2, 3])),
  ];
  const finished = await runToEnd(bench, source, { steps: cleaning });
  assert.equal(finished.status, 'COMPLETED', finished.error ?? '');
  assert.equal(finished.progress, 100);
  assert.deepEqual(finished.counts, { in: 11, kept: 5, changed: 2, dropped: 2, failed: 4, emitted: 9 });
  assert.deepEqual(
    [...(await bench.result())],
    [
      ['LICENSE', 'All rights\n\nreserved'],
      ['a.txt', 'nothing to do\n'],
      ['latin.txt', 'déjà vu'],
      ['picture.zip', Buffer.from([0x89, 0x50, 0x4e, 0x47]).toString()],
      ['rows.jsonl', '{"text":"a b","n":1.0}\n{oops\n{"text":7}\n{"text":"fine"}'],
      ['tool', '\u0001\u0000\u0002\u0003'],
    ],
  );
  const ledger = await ledgerOf(bench, finished.id);
  assert.equal(ledger.length, 11);
  const short = { code: 'LENGTH_BELOW_MIN', params: { length: 1, min: 2 } };
  assert.deepEqual(ledger.slice(0, 3), [
    [0, null, 'CHANGED', null, null, { 2: 20 }],
    [1, null, 'KEPT', null, null, { 2: 14 }],
    [2, null, 'DROPPED', 2, 'length 1 is below min 2', { 2: 1 }, null, null, null, null, short],
  ]);
  assert.match(String(ledger[4]?.[4]), /^UNSUPPORTED_FORMAT: picture\.zip: it is an archive; /);
  const [, row, verdict, , reason, , raw] = ledger[7] ?? [];
  assert.deepEqual([row, verdict, raw], [2, 'FAILED', { text: '{oops', start: 37, lengthBytes: 5 }]);
  assert.match(String(reason), /^the line is not JSON/);
  assert.equal(ledger[8]?.[4], '"text" is not a string');
});

forAnyDatabase('onError DROP leaves failed samples out', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const source = [
    await bench.put('p.zip', 'x'),
    await bench.put('r.jsonl', '{"text":"throw"}\n{"text":"fine"}\n{"a":1}\n'),
  ];
  const finished = await runToEnd(bench, source, { steps: [step('word-thrower')], onError: 'DROP' });
  assert.deepEqual(finished.counts, { in: 4, kept: 1, changed: 0, dropped: 0, failed: 3, emitted: 1 });
  assert.deepEqual([...(await bench.result())], [['r.jsonl', '{"text":"fine"}\n']]);
  assert.equal(finished.phase, 'WRITE');
  assert.deepEqual(
    finished.failures.map(({ count }) => count),
    [1, 1, 1],
  );
  assert.ok(finished.failures.some(({ reason }) => reason.startsWith('UNSUPPORTED_FORMAT')));
});

forAnyDatabase(
  'the result is the same to the byte for any number of workers and any size of shards',
  async (t, openDb) => {
    const db = await openDb();
    const directory = await mkdtemp(join(tmpdir(), 'tilth-engine-'));
    t.after(() => rm(directory, { recursive: true }));
    const results: string[] = [];
    const counts: unknown[] = [];
    for (const options of [
      { workers: 1, shardBytes: 1 << 22 },
      { workers: 1, shardBytes: 700 },
      { workers: 2, shardBytes: 501, shardFiles: 1 },
    ]) {
      const bench = await openEngine(db, directory, options);
      const source = [
        await bench.put('big.jsonl', table(400)),
        await bench.put('one.txt', 'a  b'),
        await bench.put('other.jsonl', table(30)),
        await bench.put('same.jsonl', '{"text":"fine"}\n'.repeat(200)),
      ];
      const finished = await runToEnd(bench, source, { steps: cleaning });
      assert.equal(finished.status, 'COMPLETED', finished.error ?? '');
      results.push(JSON.stringify([...(await bench.result())]));
      counts.push(finished.counts);
      assert.equal((await ledgerOf(bench, finished.id)).length, finished.counts.in);
      await bench.close();
    }
    assert.equal(results[1], results[0]);
    assert.equal(results[2], results[0]);
    assert.deepEqual(counts[1], counts[0]);
    assert.deepEqual(counts[2], counts[0]);
  },
);

forAnyDatabase('a file that nothing was changed in keeps its blob, and rows know their number', async (t, openDb) => {
  const bench = await openBench(t, await openDb(), { shardBytes: 100 });
  const source = [await bench.put('same.jsonl', '{"text":"fine"}\n'.repeat(50))];
  const finished = await runToEnd(bench, source, { steps: cleaning });
  const shards = await listShards(bench.db.read, finished.id, -1, 100);
  assert.ok(shards.length > 5);
  let before = 0;
  for (const shard of shards) {
    assert.equal(shard.first_row, before);
    before += shard.count_in;
  }
  assert.equal(before, 50);
  const { refs } = await bench.db.read
    .selectFrom('blobs')
    .select('refs')
    .where('id', '=', source[0]?.blobId ?? '')
    .executeTakeFirstOrThrow();
  assert.equal(refs, 2, 'one of the source, one of the result');
});

forEachDatabase('the ledger answers for every row, page by page and by verdict', async (t, openDb) => {
  const bench = await openBench(t, await openDb(), { shardBytes: 150 });
  const rows = Array.from({ length: 60 }, (_, row) => {
    if (row % 10 === 7) return '{broken';
    return row % 10 === 3 ? `{"text":"x"}` : `{"text":"row ${row}"}`;
  });
  const source = [await bench.put('a.txt', 'text'), await bench.put('r.jsonl', rows.join('\n'))];
  const finished = await runToEnd(bench, source, { steps: cleaning });
  const all = await bench.engine.readLedger(finished, {}, { page: 0, size: 100 });
  assert.equal(all.total, 61);
  assert.deepEqual(
    all.entries.map(({ filePath, row }) => [filePath, row]),
    [['a.txt', null], ...rows.map((_, row) => ['r.jsonl', row + 1])],
  );
  assert.equal(new Set(all.entries.map(({ sampleId }) => sampleId)).size, 61);

  const paged: string[] = [];
  for (let page = 0; page < 9; page += 1) {
    const { entries, total } = await bench.engine.readLedger(finished, {}, { page, size: 7 });
    assert.equal(total, 61);
    paged.push(...entries.map(({ sampleId }) => sampleId));
  }
  assert.deepEqual(
    paged,
    all.entries.map(({ sampleId }) => sampleId),
  );

  const dropped = await bench.engine.readLedger(finished, { verdict: 'DROPPED' }, { page: 1, size: 4 });
  assert.deepEqual([dropped.total, dropped.entries.map(({ row }) => row)], [6, [44, 54]]);
  const [{ operatorId, reason, scores } = { operatorId: '', reason: '', scores: [] }] = dropped.entries;
  assert.deepEqual([operatorId, reason], ['text-length-filter', 'length 1 is below min 2']);
  assert.deepEqual(scores, [{ step: 2, operatorId: 'text-length-filter', name: null, score: 1, highest: null }]);
  const byOperator = await bench.engine.readLedger(
    finished,
    { operatorId: 'text-length-filter' },
    { page: 0, size: 9 },
  );
  assert.equal(byOperator.total, 6);
  const found = await bench.engine.readLedger(finished, { search: 'BROKEN' }, { page: 0, size: 2 });
  assert.deepEqual(
    [found.total, found.entries.map(({ row, rawText }) => [row, rawText])],
    [
      6,
      [
        [8, '{broken'],
        [18, '{broken'],
      ],
    ],
  );

  const steps = await bench.engine.summarizeSteps(finished);
  const common = { failed: 0, ms: 0, digest: null, isVersioned: true };
  assert.deepEqual(
    steps.map(({ version, ...figures }) => ({ ...figures, ms: 0, isVersioned: /^\d+\.\d+\.\d+$/.test(version ?? '') })),
    [
      { step: 0, operatorId: 'control-character-remover', in: 55, changed: 0, dropped: 0, ...common },
      { step: 1, operatorId: 'whitespace-normalizer', in: 55, changed: 0, dropped: 0, ...common },
      { step: 2, operatorId: 'text-length-filter', in: 55, changed: 0, dropped: 6, ...common },
    ],
  );
});

forAnyDatabase('a splitter writes more than came in', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const source = [await bench.put('d.txt', 'a b'), await bench.put('r.jsonl', '{"text":"c d e","n":1}')];
  const finished = await runToEnd(bench, source, { steps: [step('word-splitter')] });
  assert.deepEqual(finished.counts, { in: 2, kept: 2, changed: 2, dropped: 0, failed: 0, emitted: 5 });
  assert.deepEqual(
    [...(await bench.result())],
    [
      ['d.part-0001.txt', 'a'],
      ['d.part-0002.txt', 'b'],
      ['r.jsonl', '{"text":"c","n":1}\n{"text":"d","n":1}\n{"text":"e","n":1}'],
    ],
  );
});

forEachDatabase('lines that are logged at once are numbered one after the other', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const { id } = await bench.execute([await bench.put('a.txt', 'text')], { steps: [step('word-thrower')] });
  await bench.ended(id);
  const { total: before } = await bench.engine.listLogs(id, { page: 0, size: 1 });
  const time = new Date().toISOString();
  const messages = Array.from({ length: 40 }, (_, number) => `line ${number}`);
  await Promise.all(
    messages.map((message) =>
      bench.db.write((tx) => insertLog(tx, { run_id: id, time, level: 'INFO', message: foreign(message) })),
    ),
  );
  const { lines } = await bench.engine.listLogs(id, { page: 0, size: 100 });
  assert.deepEqual(
    lines.map(({ seq }) => seq),
    Array.from({ length: before + 40 }, (_, index) => index + 1),
  );
  assert.deepEqual(new Set(lines.slice(before).map(({ message }) => message)), new Set(messages));
});
