// Columns that steps write into rewritten Parquet files.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { forAnyDatabase } from '../../../../tests/support/databases.ts';
import { openBench, step, type EngineBench, type RunRecipe } from '../../../../tests/support/engine.ts';
import { askDuckDb } from '../../../../tests/support/parquet.ts';
import { sized } from '../../../../tests/support/long-tests.ts';
import { loadArrow } from '../../../tables/arrow/arrow-library.ts';
import type { EngineOptions, InputFile, RecipeRun } from '../../index.ts';

type Bench = EngineBench & {
  directory: string;
  /** Cleans one Parquet file made by a query; returns the run and the result's path. */
  clean(sql: string, recipe: RunRecipe): Promise<{ run: RecipeRun; before: string; after: string }>;
};

async function open(t: TestContext, db: EngineBench['db'], options: Partial<EngineOptions> = {}): Promise<Bench> {
  const bench = await openBench(t, db, options);
  const { directory } = bench;
  return {
    ...bench,
    directory,
    async clean(sql, recipe) {
      const [before, after] = [join(directory, 'before.parquet'), join(directory, 'after.parquet')];
      await askDuckDb(`copy (${sql}) to '${before}' (format parquet, compression zstd, row_group_size 2048)`);
      const source = [await bench.put('t.parquet', await readFile(before))];
      const run = await bench.ended((await bench.execute(source, recipe)).id);
      assert.equal(run.status, 'COMPLETED', run.error ?? '');
      await writeFile(after, await bench.bytesOf(bench.outputs()[0]?.blobId ?? ''));
      return { run, before, after };
    },
  };
}

async function reasonsOf(bench: Bench, run: RecipeRun): Promise<(string | null)[]> {
  const { entries } = await bench.engine.readLedger(run, { verdict: 'FAILED' }, { page: 0, size: 50 });
  return entries.map(({ reason }) => reason);
}

async function infosOf(bench: Bench, run: RecipeRun): Promise<string[]> {
  const { lines } = await bench.engine.listLogs(run.id, { page: 0, size: 100 });
  return lines.flatMap(({ message }) => (/columns added/.test(message) ? [message] : []));
}

/** Rows with nested columns, nulls, decimals, times and more; every 50th has no text. */
const rows = (count: number): string => `
  select i as id, case when i % 50 = 7 then null else 'row  ' || i || ' 高é"' || chr(10) end as text,
    {'a': i, 'b': [i, null], 'c': map {'k' || i: i / 3.0}} as nested, (i / 7)::decimal(12, 3) as amount,
    (i % 256)::utinyint as tiny, timestamp '2026-01-01 00:00:00' + to_seconds(i) as at, '\\x00\\xff'::blob as raw,
    case when i % 3 = 0 then 'nan'::double else i / 3 end as ratio, 9007199254740993 + i as big
  from range(${count}) r(i)`;

const schemaOf = (path: string): Promise<unknown[][]> =>
  askDuckDb(`select name, type, converted_type, logical_type, repetition_type from parquet_schema('${path}') offset 1`);

forAnyDatabase('a Parquet file gains the columns that steps write; the others stay', async (t, openDb) => {
  const db = await openDb();
  const results: Buffer[] = [];
  for (const options of [
    { workers: 1, shardBytes: 1 << 22 },
    { workers: 2, shardBytes: sized(20_000, 3000) },
  ]) {
    const bench = await open(t, db, options);
    const steps = [
      step('whitespace-normalizer', { maxBlankLines: 1 }),
      step('split-writer', { train: 70, validation: 20, test: 10 }),
      step('column-template-writer', { column: 'label', template: 'no. {id}' }),
    ];
    const { run, before, after } = await bench.clean(rows(5000), { steps, onError: 'KEEP', textField: 'text' });
    assert.deepEqual([run.counts.in, run.counts.failed, run.counts.emitted], [5000, 100, 5000]);
    assert.deepEqual(await infosOf(bench, run), [
      't.parquet: columns added to the Parquet file: split VARCHAR, label VARCHAR',
    ]);
    const schema = await schemaOf(before);
    assert.deepEqual(await schemaOf(after), [
      ...schema,
      ['split', 'BYTE_ARRAY', 'UTF8', null, 'OPTIONAL'],
      ['label', 'BYTE_ARRAY', 'UTF8', null, 'OPTIONAL'],
    ]);
    const [same] = await askDuckDb(`
      select count(*),
        count(*) filter (where kept is distinct from found),
        count(*) filter (where label is distinct from case when kept.id % 50 <> 7 then 'no. ' || kept.id end),
        count(*) filter (where split is null), count(*) filter (where split = 'train'),
        count(*) filter (where kept.id % 50 <> 7 and text not like 'row ' || kept.id || '%')
      from (select row_number() over () as n, * exclude (text) from read_parquet('${before}')) kept
      join (select row_number() over () as n, * exclude (text, split, label) from read_parquet('${after}')) found using (n)
      join (select row_number() over () as n, text, split, label from read_parquet('${after}')) others using (n)`);
    assert.deepEqual(same, ['5000', '0', '0', '100', '3430', '0']);
    results.push(await readFile(after));
  }
  assert.ok(results[0]?.equals(results[1] ?? Buffer.alloc(0)), 'the size of shards changes nothing');
});

forAnyDatabase('types of new columns follow their values; columns of plain types can be written', async (t, openDb) => {
  const bench = await open(t, await openDb(), { shardBytes: 1 });
  const sql = `select 'text ' || i as text, i::bigint as n, 'old' as label, {'x': ['a' || i]} as doc,
    case when i % 2 = 0 then '{"score": ' || i || '.5, "rank": ' || i || ', "odd": true, "list": [' || i || '], "mixed": ' || i || '}'
      else '{"score": 1, "rank": 2, "odd": false, "list": [], "mixed": "a"}' end as given from range(40) r(i)`;
  const steps = ['score', 'rank', 'odd', 'list', 'mixed'].map((path) =>
    step('json-path-extractor', { path: `given.${path}`, column: path }),
  );
  const { run, before, after } = await bench.clean(sql, {
    steps: [...steps, step('column-template-writer', { column: 'label', template: '{n}' })],
    textField: 'text',
  });
  assert.equal(run.counts.changed, 40);
  assert.deepEqual(await infosOf(bench, run), [
    't.parquet: columns added to the Parquet file: score DOUBLE, rank BIGINT, odd BOOLEAN, list BIGINT[], mixed JSON',
  ]);
  assert.deepEqual(await askDuckDb(`select * exclude (doc, given) from read_parquet('${after}') where n in (3, 4)`), [
    ['text 3', '3', '3', 1, '2', false, [], '"a"'],
    ['text 4', '4', '4', 4.5, '4', true, ['4'], '4'],
  ]);
  const nested = (path: string): Promise<unknown[][]> => askDuckDb(`select doc, given from read_parquet('${path}')`);
  assert.deepEqual(await nested(after), await nested(before));
});

forAnyDatabase('what a Parquet file can not hold fails the sample with its reason', async (t, openDb) => {
  const bench = await open(t, await openDb());
  const sql = `select 'a text' as text, 1::integer as n, {'x': 'y'} as doc`;
  const sentences = [
    [step('column-remover', { columns: 'n' }), /"n" can not be taken out or renamed/],
    [step('column-renamer', { names: 'n = m' }), /"n" can not be taken out or renamed/],
    [step('column-template-writer', { column: 'n', template: 'x' }), /types of its columns: "n" holds INTEGER/],
    [step('column-template-writer', { column: 'N', template: 'x' }), /"N" is "n" to readers/],
    [step('column-template-writer', { column: 'doc', template: 'x' }), /types of its columns: "doc" holds STRUCT/],
    [step('column-template-writer', { column: 'FILE_row_number', template: 'x' }), /can not have a column named/],
  ] as const;
  for (const [failing, reason] of sentences) {
    const { run, before, after } = await bench.clean(sql, { steps: [failing], onError: 'KEEP', textField: 'text' });
    const [found] = await reasonsOf(bench, run);
    assert.match(found ?? '', reason);
    assert.ok((await readFile(after)).equals(await readFile(before)), 'the file stays as it was');
  }
});

forAnyDatabase('several texts of a row, its splits and conditions go with new columns', async (t, openDb) => {
  const bench = await open(t, await openDb());
  const label = step('column-template-writer', { column: 'label', template: 'n{n}' });
  const several = await bench.clean(
    `select i as n, {'x': ['a  ' || i, 'b  ' || i]} as doc, 'c  ' || i as body from range(6) r(i)`,
    {
      steps: [step('whitespace-normalizer'), label],
      textFields: [{ files: '**', fields: ['doc.x[*]', 'body'] }],
      where: [{ field: 'n', op: 'GT', value: 3 }],
    },
  );
  assert.deepEqual(await askDuckDb(`select n, doc.x, body, label from read_parquet('${several.after}')`), [
    ['4', ['a 4', 'b 4'], 'c 4', 'n4'],
    ['5', ['a 5', 'b 5'], 'c 5', 'n5'],
  ]);
  const parts = await bench.clean(`select 1 as n, 'x y' as text`, {
    steps: [step('word-splitter'), label],
    textField: 'text',
  });
  assert.deepEqual(await askDuckDb(`select n, text, label from read_parquet('${parts.after}')`), [
    [1, 'x', 'n1'],
    [1, 'y', 'n1'],
  ]);
});

forAnyDatabase('the Arrow schema of a file names its new columns', async (t, openDb) => {
  const bench = await open(t, await openDb());
  const arrow = loadArrow();
  const writer = new arrow.RecordBatchStreamWriter();
  const fields = [
    new arrow.Field('text', new arrow.LargeUtf8(), true),
    new arrow.Field('took', new arrow.DurationMillisecond(), true),
  ];
  writer.reset(undefined, new arrow.Schema(fields));
  writer.finish();
  const schema = Buffer.from(writer.toUint8Array(true)).toString('base64');
  const made = join(bench.directory, 'arrow.parquet');
  await askDuckDb(
    `copy (select 'a text' as text, 5::bigint as took) to '${made}' (format parquet, kv_metadata {'ARROW:schema': '${schema}'})`,
  );
  const source: InputFile[] = [await bench.put('a.parquet', await readFile(made))];
  const steps = [step('column-template-writer', { column: 'label', template: '{took}' })];
  const run = await bench.ended((await bench.execute(source, { steps, textField: 'text' })).id);
  assert.equal(run.counts.changed, 1, run.error ?? '');
  await writeFile(made, await bench.bytesOf(bench.outputs()[0]?.blobId ?? ''));
  const [[kept] = []] = await askDuckDb(`select decode(value) from parquet_kv_metadata('${made}')`);
  const read = new arrow.MessageReader(Buffer.from(String(kept), 'base64')).readSchema();
  assert.deepEqual(
    read?.fields.map(({ name, type }) => `${name} ${String(type)}`),
    ['text LargeUtf8', 'took Duration<MILLISECOND>', 'label Utf8'],
  );
});

forAnyDatabase('a preview shows what a run writes into a Parquet file', async (t, openDb) => {
  const bench = await open(t, await openDb());
  const made = join(bench.directory, 'made.parquet');
  await askDuckDb(`copy (select 'a text' as text, i as n from range(5) r(i)) to '${made}' (format parquet)`);
  const source = [await bench.put('t.parquet', await readFile(made))];
  async function* inputs(): AsyncGenerator<readonly InputFile[]> {
    yield source;
  }
  const steps = [step('column-template-writer', { column: 'label', template: 'n{n}' })];
  const asked = { steps, onError: 'KEEP', textField: null, limit: 2 } as const;
  for (const sample of [undefined, { seed: 1 }]) {
    const { samples } = await bench.engine.preview({ inputs: inputs(), ...asked, ...(sample && { sample }) });
    assert.deepEqual(
      samples.map(({ verdict }) => verdict),
      ['CHANGED', 'CHANGED'],
    );
  }
});
