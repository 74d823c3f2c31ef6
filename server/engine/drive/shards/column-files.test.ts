import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { inflateSync } from 'node:zlib';
import { forAnyDatabase } from '../../../../tests/support/databases.ts';
import { openEngine, step, type EngineBench } from '../../../../tests/support/engine.ts';
import { askDuckDb } from '../../../../tests/support/parquet.ts';
import { readFile } from 'node:fs/promises';
import type { Run } from '../../../runs/index.ts';
import type { EngineOptions, InputFile } from '../../index.ts';

async function scratch(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-parquet-'));
  t.after(() => rm(directory, { recursive: true }));
  return directory;
}

/** A file of rows with nested columns, nulls, decimals, times and other Parquet types. */
async function parquetOf(directory: string, rows: number, options = ''): Promise<Buffer> {
  const path = join(directory, 'made.parquet');
  await askDuckDb(`copy (
    select i as id, case when i % 50 = 7 then null when i % 10 = 3 then 'x' when i % 4 = 0 then 'row  ' || i || ' 高é"' || chr(10) || 'b'
      else 'row ' || i end as text,
      {'a': i, 'b': [i, null], 'c': map {'k' || i: i / 3.0}} as nested, (i / 7)::decimal(12, 3) as amount, (i % 256)::utinyint as tiny,
      timestamp '2026-01-01 00:00:00' + to_seconds(i) as at, '\\x00\\xff'::blob as raw, uuid '00000000-0000-0000-0000-000000000001' as u
    from range(${rows}) r(i)) to '${path}' (format parquet, compression zstd, row_group_size 2048 ${options})`);
  return readFile(path);
}

const cleaning = [
  step('whitespace-normalizer', { maxBlankLines: 1 }),
  step('text-length-filter', { min: 2, max: 1000 }),
];

async function open(t: TestContext, db: EngineBench['db'], options: Partial<EngineOptions> = {}): Promise<EngineBench> {
  const bench = await openEngine(db, await scratch(t), options);
  t.after(() => bench.close());
  return bench;
}

async function run(bench: EngineBench, files: readonly InputFile[], steps = cleaning): Promise<Run> {
  return bench.ended((await bench.execute(files, { steps })).id);
}

async function outputOf(bench: EngineBench, run: Run, path: string): Promise<Buffer> {
  assert.equal(run.status, 'COMPLETED', run.error ?? '');
  const output = bench.outputs().find((file) => file.path === path);
  return bench.bytesOf(output?.blobId ?? '');
}

forAnyDatabase('Parquet comes out with its rows in order and all other columns as they were', async (t, openDb) => {
  const directory = await scratch(t);
  const content = await parquetOf(directory, 5000, `, kv_metadata {huggingface: '{"info": 1}'}`);
  const [db, stores] = [await openDb(), await scratch(t)];
  const results: Buffer[] = [];
  for (const options of [
    { workers: 1, shardBytes: 1 << 22 },
    { workers: 2, shardBytes: 2000 },
  ]) {
    const bench = await openEngine(db, stores, options);
    const source = [
      await bench.put('a.txt', 'a  b'),
      await bench.put('t.parquet', content),
      await bench.put('z.txt', 'fine'),
    ];
    const finished = await run(bench, source);
    assert.equal(finished.error, null);
    assert.deepEqual(finished.counts, {
      in: 5002,
      kept: 4402,
      changed: 1251,
      dropped: 500,
      failed: 100,
      emitted: 4502,
    });
    results.push(await outputOf(bench, finished, 't.parquet'));
    const ledger = await bench.engine.readLedger(finished, { verdict: 'FAILED' }, { page: 0, size: 200 });
    assert.deepEqual(
      ledger.entries.map(({ row }) => row),
      Array.from({ length: 100 }, (_, index) => index * 50 + 8),
    );
    assert.equal(ledger.entries[0]?.reason, '"text" is null');
    await bench.close();
  }
  assert.ok(results[0]?.equals(results[1] ?? Buffer.alloc(0)), 'the size of shards changes nothing');

  const [before, after] = [join(directory, 'before.parquet'), join(directory, 'after.parquet')];
  await writeFile(before, content);
  await writeFile(after, results[0] ?? '');
  const described = `select name, type, converted_type, logical_type from parquet_schema`;
  const typesOf = async (path: string): Promise<unknown> => askDuckDb(`${described}('${path}') offset 1`);
  assert.deepEqual(await typesOf(after), await typesOf(before));
  const [differences] = await askDuckDb(`with kept as (
      select row_number() over () as n, * from (select * from read_parquet('${before}') where id % 10 <> 3 or id % 50 = 7)),
    found as (select row_number() over () as n, * from read_parquet('${after}'))
    select count(*), count(*) filter (kept.id is distinct from found.id or kept.nested is distinct from found.nested
      or kept.amount is distinct from found.amount or kept.tiny is distinct from found.tiny or kept.at is distinct from found.at
      or kept.raw is distinct from found.raw or kept.u is distinct from found.u
      or found.text is distinct from replace(kept.text, '  ', ' '))
    from kept full join found using (n)`);
  assert.deepEqual(differences, ['4500', '0']);
  const [[kept] = []] = await askDuckDb(
    `select decode(value) from parquet_kv_metadata('${after}') where decode(key) = 'huggingface'`,
  );
  assert.equal(kept, '{"info": 1}');
});

forAnyDatabase('Parquet: a splitter, untouched files, and files that are none', async (t, openDb) => {
  const directory = await scratch(t);
  const bench = await open(t, await openDb());
  const made = join(directory, 'small.parquet');
  await askDuckDb(`copy (select * from (values (1, 'a b'), (2, 'c')) t(n, body)) to '${made}' (format parquet)`);
  const small = await readFile(made);
  await askDuckDb(`copy (select 'x' as body, 1 as n where false) to '${made}' (format parquet)`);
  const empty = await readFile(made);
  const source = [
    await bench.put('a/split.parquet', small),
    await bench.put('b/empty.parquet', empty),
    await bench.put('c/cut.parquet', small.subarray(0, 200)),
    await bench.put('d/none.parquet', 'PAR1 is how it begins'),
    await bench.put('e/nothing.parquet', ''),
  ];
  const finished = await run(bench, source, [step('word-splitter')]);
  assert.deepEqual(finished.counts, { in: 5, kept: 2, changed: 1, dropped: 0, failed: 3, emitted: 6 });
  await writeFile(made, await outputOf(bench, finished, 'a/split.parquet'));
  assert.deepEqual(await askDuckDb(`select n, body from read_parquet('${made}')`), [
    [1, 'a'],
    [1, 'b'],
    [2, 'c'],
  ]);
  assert.ok((await outputOf(bench, finished, 'b/empty.parquet')).equals(empty), 'nothing was changed in it');
  const { entries } = await bench.engine.readLedger(finished, { verdict: 'FAILED' }, { page: 0, size: 9 });
  for (const { reason } of entries) assert.match(reason ?? '', /^UNSUPPORTED_FORMAT: \w+\.parquet: [^/]+$/);
  assert.equal(entries.length, 3);
  assert.equal(entries[2]?.reason, 'UNSUPPORTED_FORMAT: nothing.parquet: the file is empty');
});

forAnyDatabase('Parquet: which column holds the text', async (t, openDb) => {
  const directory = await scratch(t);
  const bench = await open(t, await openDb());
  const made = join(directory, 'two.parquet');
  await askDuckDb(`copy (select 'x' as body, 'y' as title, 1 as n) to '${made}' (format parquet)`);
  const source = [await bench.put('two.parquet', await readFile(made))];
  const unclear = await run(bench, source);
  assert.deepEqual([unclear.status, unclear.counts.failed], ['COMPLETED', 1]);
  const { entries } = await bench.engine.readLedger(unclear, {}, { page: 0, size: 9 });
  const reason = /^TEXT_COLUMN_UNKNOWN: two\.parquet: can't tell .*it has body, title.*input\.textField$/;
  assert.match(entries[0]?.reason ?? '', reason);
  const named = await bench.ended((await bench.execute(source, { steps: cleaning, textField: 'n' })).id);
  assert.deepEqual([named.status, named.counts.failed], ['COMPLETED', 1]);
  assert.deepEqual(await readdir(directory), ['two.parquet']);
});

/** Different tables in one folder, and the result for each when no column is configured; Parquet is separate. */
const unlike: readonly [path: string, before: string, after: string][] = [
  ['a.jsonl', '{"title":"A  a","text":"B  b"}\n', '{"title":"A  a","text":"B b"}\n'],
  ['b.csv', 'id,body\n1,B  b\n2,C  c\n', 'id,body\n1,B b\n2,C c\n'],
  ['c.tsv', 'note\ttext\nN  n\tT  t\n', 'note\ttext\nN  n\tT t\n'],
  ['d.jsonl', '{"n":1,"content":"B  b"}\n', '{"n":1,"content":"B b"}\n'],
  ['e-unclear.jsonl', '{"title":"A  a","body":"B  b"}\n', '{"title":"A  a","body":"B  b"}\n'],
  ['f-unclear.csv', 'n,m\n1,2\n3,4\n', 'n,m\n1,2\n3,4\n'],
];

for (const [title, shardBytes] of [
  ['whole', 4 << 20],
  ['in parts', 1000],
] as const) {
  forAnyDatabase(`each table of a folder has a text column of its own, ${title}`, async (t, openDb) => {
    const directory = await scratch(t);
    const db = await openDb();
    const bench = await open(t, db, { shardBytes });
    const made = join(directory, 'made.parquet');
    await askDuckDb(`copy (select i as n, 'P  ' || i as words from range(300) r(i)) to '${made}' (format parquet)`);
    const many = (text: string): string => {
      const [header = '', ...rows] = text.trimEnd().split('\n');
      const body = rows.length === 0 ? header : rows.join('\n');
      return `${rows.length === 0 ? '' : `${header}\n`}${`${body}\n`.repeat(100)}`;
    };
    const source = [
      ...(await Promise.all(unlike.map(([path, before]) => bench.put(path, many(before))))),
      await bench.put('g.parquet', await readFile(made)),
    ];
    const recipe = { steps: cleaning };
    const first = await bench.execute(source, recipe, { taskId: 'task' });
    await bench.engine.stopRun(first.id);
    assert.equal((await bench.ended(first.id)).status, 'STOPPED');
    // A continued run finds the same columns.
    const finished = await bench.ended((await bench.execute(source, recipe, { taskId: 'task', resume: first.id })).id);
    assert.equal(finished.status, 'COMPLETED', finished.error ?? '');
    assert.equal(finished.counts.failed, 2);
    const results = await bench.result();
    for (const [path, , after] of unlike) assert.equal(results.get(path), many(after), path);
    await writeFile(made, await outputOf(bench, finished, 'g.parquet'));
    assert.deepEqual(await askDuckDb(`select words from read_parquet('${made}') where n = 7`), [['P 7']]);
    const { entries } = await bench.engine.readLedger(finished, { verdict: 'FAILED' }, { page: 0, size: 9 });
    assert.deepEqual(
      entries.map(({ filePath, row, reason }) => [filePath, row, reason]),
      [
        ['e-unclear.jsonl', 'it has body, title'],
        ['f-unclear.csv', 'it has no string column'],
      ].map(([path, found]) => [
        path,
        null,
        `TEXT_COLUMN_UNKNOWN: ${path}: can't tell which column holds the text (${found}); set input.textField`,
      ]),
    );
    async function* inputs(): AsyncGenerator<readonly InputFile[]> {
      yield source.filter(({ path }) => !path.endsWith('.parquet'));
    }
    const { samples: shown } = await bench.engine.preview({
      inputs: inputs(),
      ...recipe,
      onError: 'KEEP',
      textField: null,
      limit: 100,
    });
    assert.deepEqual(
      shown[0]?.texts.map(({ text }) => text),
      ['B b'],
    );

    const left = await bench.ended((await bench.execute(source, { ...recipe, onError: 'DROP' })).id);
    assert.equal(left.counts.failed, 2);
    assert.ok(!bench.outputs().some(({ path }) => path.includes('unclear')), 'left out where failed samples are');

    const named = await bench.ended((await bench.execute(source, { ...recipe, textField: 'body' })).id);
    const rows = {
      'a.jsonl': 100,
      'b.csv': 200,
      'c.tsv': 100,
      'd.jsonl': 100,
      'e-unclear.jsonl': 100,
      'f-unclear.csv': 200,
    };
    assert.equal(
      named.counts.in,
      Object.values(rows).reduce((sum, count) => sum + count, 1),
    );
    // Tables without the named column: all rows of four tables, and the Parquet file.
    assert.equal(named.counts.failed, rows['a.jsonl'] + rows['c.tsv'] + rows['d.jsonl'] + rows['f-unclear.csv'] + 1);
  });
}

/** Made by PyArrow: `fixed` of two bytes, `half` of 16 bits, `none` without a type, and `kind`, a dictionary. */
const lossyTypes = inflateSync(
  Buffer.from(
    'eNp1VM1u00AQ3rjGqqqop65lSz74EksIWkhEEY1o1XHamIhEJBGhtOrFdlw71PlpmpIg3oHn4cAD8Ag8C+LAzqxjopKu7N2d+b755htLSRu6Zc64w52nXBUXjWsWY0wRr1pQxe7bdlAQZyjAHb6zhuUHfvAgyI7YscgVefF/kInY5vaaKmy4wO0LV810nxnabZhEQ59vCamSYqizaDErsSZW8G1RrxiPrgaLqL+M1MRPr9I/CCvIH41HUfoDQyq/Hoz6WbmumpZ56TCLF82SxkypzUVeb+pNZ7NhcfSpsNf6lqmZDsOPgvRtSZd9iV/Vq877f/zHa9jkKyd/KzzAVjI22iZ2Ra84P++xkcxWjeNUxK7rdef3ClvMuFTXvyu66myKg5mWUYRu991ZVX5c49fGM1zl2AWADsj1FmAObgx1gBhqMeVcQTjFy01b8OdErROA6Rbeaj3cfUoS3kGRGoAHEMIJxR0pQmivB8umNcrkkMy6U/9s/1rGcUbpZOcctwaeIn6DeLbcBil9EiafAI5GFruEnUu/+aJ+wfDg7oJMuHPky/mwVYuyXu4na0DJJAk8koMh8g9OxPYKJdunUurePDiqO/Q/JukFScao42WjkWid5jnH0lZWvGzqutJ/uM5/3/vwop/HnQw/PGSGPfGnN3fRbDecTHb96XQ8tz9H09vBeGRXXu493yubl+LXsPqwrxuMtcXfw1+4oM3s',
    'base64',
  ),
);
/** Made by PyArrow: `text` is a large string, `kind` a dictionary, which only the file's Arrow schema shows. */
const arrowTypes = inflateSync(
  Buffer.from(
    'eNptUsFOwkAQ3Tabhhiuu+kmPfRCTwXFBKOGyxRFiBhpI+Fca1MRBSzV4m/4BX6qs7sN1MRJOrP73pt90+xOIeoywjzm+YziwmKWQwgx8aMGxRy77qOBNUHSZe4/KsnuZPpiVPR7xLa2yXP6FjNKWLNl2rRId0WLTGSHBpaL1VMFcCoc4XvEYU3RsojQaoY4n/CJ1xg7aEeYSfr8SFjCI3KmulyepeRDPvQeanK6l/Nvg1OvgYUIx25CFN3PL/WM9o95LOMCZISg4xaghCCDIUAGg0xhQQBwLRfFFPWlkg5kShUb6n5sQvAGIIErtQ91k2Jns72J6jxQGg3yeN5b6n1WScKqljKNZcX9SPJVBGOZ715wqHPlV/NHtmYShcp69OdXlQTB6DUdhXBoOfDEdjdx/v6RFu1ks2nHeb4u3c803y7WK/f0rHPS6Qofr1LepoEvYoov6hd8U3rp',
    'base64',
  ),
);

forAnyDatabase('types of columns that the writer lacks are named; all others stay', async (t, openDb) => {
  const bench = await open(t, await openDb());
  const source = [await bench.put('a.parquet', lossyTypes), await bench.put('b.parquet', arrowTypes)];
  const asked = { steps: cleaning, textField: 'text' };
  const done = await bench.ended((await bench.execute(source, asked)).id);
  const { lines } = await bench.engine.listLogs(done.id, { page: 0, size: 100 });
  assert.deepEqual(
    lines.filter(({ level }) => level === 'WARN').map(({ message }) => message),
    [
      'a.parquet: the Parquet writer lacks types of its columns: fixed: FIXED_LEN_BYTE_ARRAY(2) → BYTE_ARRAY (2 values); half: FLOAT16 → FLOAT (2 values); none: NULL → INT32 (2 values); the Arrow schema is left out (dictionaries, large and fixed-size types, durations, names of time zones)',
    ],
  );
  const directory = await scratch(t);
  const kept: unknown[] = [];
  for (const path of ['a.parquet', 'b.parquet']) {
    const file = join(directory, path);
    await writeFile(file, await outputOf(bench, done, path));
    kept.push(await askDuckDb(`select decode(key) from parquet_kv_metadata('${file}')`));
    assert.deepEqual((await askDuckDb(`select text from '${file}'`)).flat(), ['a b']);
  }
  assert.deepEqual(kept, [[], [['ARROW:schema']]]);
});
