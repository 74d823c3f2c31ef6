import assert from 'node:assert/strict';
import { constants, gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { forAnyDatabase } from '../../../../tests/support/databases.ts';
import { openBench, step, type EngineBench } from '../../../../tests/support/engine.ts';
import type { InputFile } from '../../index.ts';

const steps = [step('whitespace-normalizer', { maxBlankLines: 1 }), step('text-length-filter', { min: 2, max: 1000 })];

/** Two streams: rows `a  b` and `x`, then `c  d`. */
const bzip2Rows = Buffer.from(
  'QlpoOTFBWSZTWdUS6JcAAAzZgAAQUAAAEDIABEogACEpGm0NQgGmmhlTgmce7CR4mGM6fF3JFOFCQ1RLolxCWmg5MUFZJlNZCwgwCAAAB1mAABBQAAAQDgAESiAAIoxo1P1CAaaaBS7G+JEhGi7kinChIBYQYBA=',
  'base64',
);
const bzip2Text = Buffer.from('QlpoOTFBWSZTWcJgNZcAAANRgAAQQAACAYSAIAAxDAEDymiCTmeLuSKcKEhhMBrLgA==', 'base64');

async function outputsOf(bench: EngineBench): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>();
  for (const { path, blobId } of bench.outputs()) found.set(path, await bench.bytesOf(blobId));
  return found;
}

function table(rows: number): string {
  return Array.from({ length: rows }, (_, row) => `{"id":${row}.0,"text":"row  ${row}"}\n`).join('');
}

forAnyDatabase('compressed files are read, and written compressed as they were', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const csv = 'id,text\r\n1,a  b\r\n2,x\r\n';
  const untouched = gzipSync('{"text":"fine"}\n');
  const source = [
    await bench.put('README.gz', gzipSync('all  rights')),
    await bench.put('a.jsonl.gz', Buffer.concat([gzipSync('{"text":"a  b","n":1.0}\n'), gzipSync('{"text":"x"}\n')])),
    await bench.put('b.csv.zst', Buffer.concat([zstdCompressSync(csv), zstdCompressSync('3,c  d\r\n')])),
    await bench.put('c.txt.bz2', bzip2Text),
    await bench.put('d.html.gz', gzipSync('<html><body><h1>Title</h1><p>some  words</p></body></html>')),
    await bench.put('e.jsonl.bz2', bzip2Rows),
    await bench.put('f.tar.gz', gzipSync('an archive')),
    await bench.put('g.jsonl.gz', untouched),
    await bench.put('h.txt.zst', zstdCompressSync('fine')),
  ];
  const { id } = await bench.execute(source, { steps, onError: 'SET_ASIDE' });
  await bench.engine.start();
  const run = await bench.ended(id);
  assert.equal(run.status, 'COMPLETED', run.error ?? '');
  assert.deepEqual(run.counts, { in: 14, kept: 10, changed: 7, dropped: 3, failed: 1, emitted: 10 });
  const outputs = await outputsOf(bench);
  assert.deepEqual([...outputs.keys()].toSorted(), [
    'README.gz',
    'a.jsonl.gz',
    'b.csv.zst',
    'c.txt.gz',
    'd.html.gz.md',
    'e.jsonl.gz',
    'g.jsonl.gz',
    'h.txt.zst',
  ]);
  const unpacked = (path: string): string => {
    const bytes = outputs.get(path) ?? Buffer.alloc(0);
    return (path.endsWith('.zst') ? zstdDecompressSync(bytes) : gunzipSync(bytes)).toString();
  };
  assert.equal(unpacked('README.gz'), 'all rights');
  assert.equal(unpacked('a.jsonl.gz'), '{"text":"a b","n":1.0}\n');
  assert.equal(unpacked('b.csv.zst'), 'id,text\r\n1,a b\r\n3,c d\r\n');
  assert.equal(unpacked('c.txt.gz'), 'one two\n');
  assert.equal(unpacked('e.jsonl.gz'), '{"text":"a b"}\n{"text":"c d"}\n');
  assert.match(outputs.get('d.html.gz.md')?.toString() ?? '', /some words/);
  // A file that no step changes keeps the bytes of its source.
  assert.deepEqual(outputs.get('g.jsonl.gz'), untouched);

  const { inputs } = await bench.engine.readInputs(run, { page: 0, size: 20 });
  assert.deepEqual(
    inputs.map(({ filePath, format, compression, samples }) => [filePath, format, compression, samples]),
    [
      ['README.gz', 'text', 'gzip', 1],
      ['a.jsonl.gz', 'jsonl', 'gzip', 2],
      ['b.csv.zst', 'csv', 'zstd', 3],
      ['c.txt.bz2', 'text', 'bzip2', 1],
      ['d.html.gz', 'html', 'gzip', 1],
      ['e.jsonl.bz2', 'jsonl', 'bzip2', 3],
      ['f.tar.gz', null, null, 1],
      ['g.jsonl.gz', 'jsonl', 'gzip', 1],
      ['h.txt.zst', 'text', 'zstd', 1],
    ],
  );
  assert.deepEqual(
    run.failures.map(({ reason }) => reason),
    ['UNSUPPORTED_FORMAT: f.tar.gz: it is an archive; upload it again with "Unpack archives", or upload its files'],
  );
  // The unpacked contents are deleted when the run ends; a sample is shown from the compressed file again.
  assert.equal((await bench.db.read.selectFrom('unpacked_files').selectAll().execute()).length, 0);
  const { entries } = await bench.engine.readLedger(run, { filePath: 'e.jsonl.bz2' }, { page: 0, size: 10 });
  assert.deepEqual(
    entries.map(({ row, line, verdict }) => [row, line, verdict]),
    [
      [1, 1, 'CHANGED'],
      [2, 2, 'DROPPED'],
      [3, 3, 'CHANGED'],
    ],
  );
  const found = await bench.engine.findSample(run, entries[2]?.sampleId ?? '');
  assert.ok(found);
  const shown = await bench.engine.traceSample(run, found);
  assert.deepEqual([shown?.verdict, shown?.texts[0]?.text], ['CHANGED', 'c d']);
});

forAnyDatabase('a problem of a file names it whole, whatever words its name has', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const otherwiseNamed = { code: 'COMPRESSED_OTHERWISE_NAMED', params: {} };
  const cells = { code: 'ROW_CELLS', params: { cells: 3, columns: 2 } };
  const expected = [
    ['Q1: sales.csv.gz', 'UNREADABLE_COMPRESSION', otherwiseNamed],
    ['Q2 holds bytes that are no text.csv', 'UNSUPPORTED_BECAUSE', { code: 'BYTES_NO_TEXT', params: {} }],
    ['row 3 of 4, expected {why}: no.arrow', 'UNSUPPORTED_BECAUSE', { code: 'ARROW_NONE', params: {} }],
    ['the row has 9 cells, the header 1.csv', cells],
  ];
  const source = [
    await bench.put('Q1: sales.csv.gz', 'not packed'),
    await bench.put('Q2 holds bytes that are no text.csv', Buffer.from([0, 1, 2, 0, 0xff, 0xfe, 0, 3])),
    await bench.put('row 3 of 4, expected {why}: no.arrow', 'no Arrow data at all'),
    await bench.put('the row has 9 cells, the header 1.csv', 'id,text\n1,one,two\n'),
  ];
  const { id } = await bench.execute(source, { steps, onError: 'SET_ASIDE' });
  await bench.engine.start();
  const run = await bench.ended(id);
  const { entries } = await bench.engine.readLedger(run, { verdict: 'FAILED' }, { page: 0, size: 10 });
  const told = entries.map(({ filePath, sentence }) => [filePath, sentence]);
  const { samples } = await bench.engine.preview({
    inputs: (async function* () {
      yield source;
    })(),
    steps,
    onError: 'DROP',
    textField: null,
    limit: 10,
  });
  assert.deepEqual(
    samples.map(({ filePath, reason }) => [filePath, reason?.sentence]),
    told,
  );
  assert.deepEqual(
    told,
    expected.map(([path, code, why]) => [
      path,
      typeof code === 'string' ? { code, params: { file: path, why } } : code,
    ]),
  );
});

forAnyDatabase('what can not be unpacked fails with its reason, and rows before a cut are read', async (t, openDb) => {
  const bench = await openBench(t, await openDb(), {
    shardBytes: 2000,
    unpackLimits: { maxRatio: 200, ratioFreeBytes: 1 << 20 },
  });
  const packed = gzipSync(table(3000));
  const damaged = Buffer.from(zstdCompressSync(table(3000), { params: { [constants.ZSTD_c_checksumFlag]: 1 } }));
  damaged.fill(0x55, damaged.length >> 1, (damaged.length >> 1) + 40);
  const source = [
    await bench.put('a.jsonl.gz', packed.subarray(0, Math.floor(packed.length * 0.7))),
    await bench.put('b.csv.gz', Buffer.concat([gzipSync('id,text\n1,one  two\n'), Buffer.from('garbage')])),
    await bench.put('c.jsonl.zst', damaged),
    await bench.put('d.jsonl.gz', gzipSync(Buffer.alloc(8 << 20, 'a'))),
    await bench.put('e.txt.gz', gzipSync('one  two').subarray(0, -4)),
    await bench.put('f.csv.gz', 'id,text\n1,not packed\n'),
  ];
  const { id } = await bench.execute(source, { steps, onError: 'SET_ASIDE' });
  await bench.engine.start();
  const run = await bench.ended(id);
  assert.equal(run.status, 'COMPLETED', run.error ?? '');
  const failures: [string, number | null, string][] = [];
  const { entries } = await bench.engine.readLedger(run, { verdict: 'FAILED' }, { page: 0, size: 10 });
  for (const { filePath, row, reason } of entries) failures.push([filePath, row, reason ?? '']);
  assert.deepEqual(
    failures.map(([path]) => path),
    ['a.jsonl.gz', 'b.csv.gz', 'c.jsonl.zst', 'd.jsonl.gz', 'e.txt.gz', 'f.csv.gz'],
  );
  const reasons = failures.map(([, , reason]) => reason);
  assert.match(reasons[0] ?? '', /^UNREADABLE_COMPRESSION: a\.jsonl\.gz: .*cut off; the rows before, .* were read$/);
  assert.match(reasons[1] ?? '', /^UNREADABLE_COMPRESSION: b\.csv\.gz: other bytes follow/);
  assert.match(reasons[2] ?? '', /damaged|checksum/);
  assert.match(reasons[3] ?? '', /more than 200 times its size/);
  assert.match(reasons[4] ?? '', /cut off$/);
  assert.match(reasons[5] ?? '', /not compressed the way its name says/);
  // All rows before the cut are there, and no partial one.
  const outputs = await outputsOf(bench);
  const rows = gunzipSync(outputs.get('a.jsonl.gz') ?? Buffer.alloc(0)).toString();
  const read = rows.split('\n').length - 1;
  assert.ok(read > 1500 && read < 3000);
  assert.equal(rows, table(read).replaceAll('  ', ' '));
  assert.equal(gunzipSync(outputs.get('b.csv.gz') ?? Buffer.alloc(0)).toString(), 'id,text\n1,one two\n');
  assert.deepEqual(run.counts, {
    in: read + 7,
    kept: read + 1,
    changed: read + 1,
    dropped: 0,
    failed: 6,
    emitted: read + 1,
  });
  assert.equal(outputs.size, 2);
  // Whole files are set aside as stored in the source.
  const failed: { filePath: string; encoding: string; raw: string }[] = [];
  let text = '';
  for await (const bytes of bench.engine.streamFailed(run)) text += bytes.toString();
  for (const line of text.trimEnd().split('\n')) failed.push(JSON.parse(line) as (typeof failed)[number]);
  const aside = failed.find(({ filePath }) => filePath === 'c.jsonl.zst');
  assert.equal(aside?.encoding, 'base64');
  assert.deepEqual(Buffer.from(aside?.raw ?? '', 'base64'), damaged);
});

forAnyDatabase('the result of compressed files is the same for any workers and shards', async (t, openDb) => {
  const db = await openDb();
  const results: Record<string, string>[] = [];
  for (const options of [
    { workers: 1, shardBytes: 1 << 22 },
    { workers: 1, shardBytes: 3000 },
    { workers: 2, shardBytes: 5000 },
  ]) {
    const bench = await openBench(t, db, options);
    const source: InputFile[] = [
      await bench.put('a.jsonl.gz', gzipSync(table(2000))),
      await bench.put('b.jsonl.zst', zstdCompressSync(table(2500))),
      await bench.put('c.jsonl.bz2', bzip2Rows),
    ];
    const { id } = await bench.execute(source, { steps });
    await bench.engine.start();
    const run = await bench.ended(id);
    assert.equal(run.status, 'COMPLETED', run.error ?? '');
    assert.equal(run.counts.in, 4503);
    const entries = [...(await outputsOf(bench))].map(([path, bytes]) => [path, bytes.toString('base64')]);
    results.push(Object.fromEntries(entries) as Record<string, string>);
  }
  assert.deepEqual(results[1], results[0]);
  assert.deepEqual(results[2], results[0]);
});

forAnyDatabase('a preview shows the first rows of compressed tables', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const packed = gzipSync(table(5000));
  const file = await bench.put('a.jsonl.gz', packed);
  const { samples, uncheckedFiles } = await bench.engine.preview({
    steps,
    onError: 'SET_ASIDE',
    textField: null,
    inputs: (async function* () {
      yield [file];
    })(),
    limit: 2,
  });
  assert.deepEqual(
    samples.map(({ filePath, row, texts }) => [filePath, row, texts[0]?.text]),
    [
      ['a.jsonl.gz', 1, 'row 0'],
      ['a.jsonl.gz', 2, 'row 1'],
    ],
  );
  assert.deepEqual(uncheckedFiles, []);
  const ambiguous = await bench.put('b.csv.zst', zstdCompressSync('title,body\nsome words,more words\n'));
  assert.deepEqual(await bench.engine.findTextField(ambiguous), { ok: false, candidates: ['body', 'title'] });
  assert.deepEqual(await bench.engine.findTextField(file), { ok: true, field: 'text' });
});

forAnyDatabase('results whose names meet get names that differ, told in the log', async (t, openDb) => {
  const db = await openDb();
  const bench = await openBench(t, db);
  const source = [
    await bench.put('a.jsonl (1).gz', gzipSync('plain')),
    await bench.put('a.jsonl.bz2', bzip2Rows),
    await bench.put('a.jsonl.gz', gzipSync('{"text":"a  b"}\n')),
    await bench.put('a.jsonl.zst', zstdCompressSync('{"text":"a  b"}\n')),
  ];
  const { id } = await bench.execute(source, { steps });
  await bench.engine.start();
  const run = await bench.ended(id);
  assert.equal(run.status, 'COMPLETED', run.error ?? '');
  const outputs = await outputsOf(bench);
  assert.deepEqual([...outputs.keys()], ['a.jsonl (1).gz', 'a.jsonl.gz', 'a.jsonl (2).gz', 'a.jsonl.zst']);
  assert.equal(gunzipSync(outputs.get('a.jsonl (2).gz') ?? '').toString(), '{"text":"a b"}\n');
  const lines = await db.read.selectFrom('run_logs').select('message').where('level', '=', 'WARN').execute();
  assert.deepEqual(lines, [
    { message: '1 result was renamed, because another result has its name: a.jsonl.gz → a.jsonl (2).gz' },
  ]);
});
