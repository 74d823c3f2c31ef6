// Rows of Parquet files in a chosen output format equal those of JSON Lines with the same rows.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { openEngine, step, type EngineBench, type RunRecipe } from '../../../../tests/support/engine.ts';
import { askDuckDb } from '../../../../tests/support/parquet.ts';
import { isLongRun } from '../../../../tests/support/long-tests.ts';
import { openNewSqlite } from '../../../../tests/support/databases.ts';
import { withoutNonFinite } from '../../../tables/parquet/index.ts';
import type { RecipeRun } from '../recipe-run.ts';

/** 200 rows: every eleventh has no text; the text 'throw' fails; the text 'x' is dropped. */
const made = `select i as id, 9007199254740993 + i as large, i::utinyint as tiny, (i % 3)::double as whole, i / 10.0::double as score,
  case when i % 3 = 0 then 'zh' else 'en' end as lang, (i / 7)::decimal(12, 3) as amount, i % 2 = 0 as even,
  case when i % 11 = 5 then null else 'text  ' || i end as text, 'note  ' || i as note,
  [{'role': 'user', 'content': 'ask  ' || i, 'n': i}, {'role': 'assistant', 'content': case when i % 7 = 2 then 'x' else 'say  ' || i end, 'n': 1}] as messages,
  {'doc': {'text': case when i % 5 = 4 then 'throw' when i % 7 = 2 then 'x' else 'deep  "' || i || '"' || chr(10) end, 'weights': [i, 1]::float[]}, 'raw': '\\xff'::blob} as meta,
  timestamp '2026-01-01 00:00:00' + to_seconds(i) as at, date '2026-01-01' as day, null::integer as nothing,
  []::bigint[] as none from range(200) r(i)`;

const cleaning = [
  step('word-thrower'),
  step('whitespace-normalizer', { maxBlankLines: 1 }),
  step('text-length-filter', { min: 2 }),
];

const recipes: readonly [title: string, recipe: Partial<RunRecipe>][] = [
  ['a column', { textField: 'text' }],
  ['a column, with failed rows kept', { textField: 'text', onError: 'KEEP' }],
  ['a path into structs', { textField: 'meta.doc.text', onError: 'KEEP' }],
  ['some items of a list', { textField: 'messages[role=assistant].content' }],
  ['several columns', { textFields: [{ files: '*', fields: ['note', 'meta.doc.text', 'messages[*].content'] }] }],
  [
    'conditions and paths',
    {
      textField: 'meta.doc.text',
      where: [
        { field: 'lang', op: 'EQ', value: 'zh' },
        { field: 'id', op: 'LT', value: 150 },
      ],
    },
  ],
];

type Finished = { run: RecipeRun; files: Record<string, Buffer> };

async function finish(bench: EngineBench, file: { name: string; path: string }, recipe: RunRecipe): Promise<Finished> {
  const source = await bench.put(file.name, await readFile(file.path));
  const run = await bench.ended((await bench.execute([source], recipe)).id);
  assert.equal(run.status, 'COMPLETED', run.error ?? '');
  const files: Record<string, Buffer> = {};
  for (const { path, blobId } of bench.outputs()) files[path] = await bench.bytesOf(blobId);
  return { run, files };
}

async function scratch(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-parquet-'));
  t.after(() => rm(directory, { recursive: true }));
  return directory;
}

for (const [index, [title, recipe]] of recipes.entries()) {
  if (!isLongRun && index % 2 === 0) continue;
  // The fullest recipe alone checks that the number of workers changes nothing.
  const workerCounts = isLongRun || index === recipes.length - 1 ? [1, 2] : [1];
  test(`rows of Parquet files are those of JSON Lines: ${title}`, async (t) => {
    const directory = await scratch(t);
    const db = await openNewSqlite(join(directory, 'tilth.db'));
    t.after(() => db.close());
    const parquet = { name: 'a.parquet', path: join(directory, 'made.parquet') };
    const jsonl = { name: 'a.jsonl', path: join(directory, 'made.jsonl') };
    await askDuckDb(`copy (${made}) to '${parquet.path}' (format parquet)`);
    await askDuckDb(`copy (${made}) to '${jsonl.path}' (format json)`);
    const asked = { steps: cleaning, onError: 'SET_ASIDE' as const, ...recipe };
    const rows = { format: 'JSONL', shardBytes: 5000 } as const;
    const results: Finished['files'][] = [];
    for (const workers of workerCounts) {
      const bench = await openEngine(db, directory, { workers, shardBytes: 4000 });
      try {
        const expected = await finish(bench, jsonl, { ...asked, output: rows });
        const found = await finish(bench, parquet, { ...asked, output: rows });
        const textOf = ({ files }: Finished): string => Buffer.concat(Object.values(files)).toString();
        assert.equal(textOf(found), textOf(expected));
        const { counts } = found.run;
        assert.deepEqual(counts, expected.run.counts);
        assert.equal(counts.in, counts.kept + counts.dropped + counts.failed);
        assert.ok(counts.failed + counts.dropped > 0 && counts.changed > 0, JSON.stringify(counts));
        assert.equal(textOf(found).split('\n').length - 1, counts.emitted);
        if (recipe.onError === 'KEEP') assert.equal(counts.emitted, counts.kept + counts.failed);
        const written = await finish(bench, parquet, { ...asked, output: { ...rows, format: 'PARQUET' } });
        assert.deepEqual(written.run.counts, counts);
        results.push({ ...found.files, ...written.files });
      } finally {
        await bench.close();
      }
    }
    for (const result of results) assert.deepEqual(result, results[0]);
    assert.ok(Object.keys(results[0] ?? {}).length > 3, Object.keys(results[0] ?? {}).join());
  });
}

test('columns beside the text keep what JSON has of their types', async (t) => {
  const directory = await scratch(t);
  const db = await openNewSqlite(join(directory, 'tilth.db'));
  t.after(() => db.close());
  const bench = await openEngine(db, directory);
  t.after(() => bench.close());
  const parquet = { name: 'a.parquet', path: join(directory, 'made.parquet') };
  await askDuckDb(`copy (${made}) to '${parquet.path}' (format parquet)`);
  const output = { format: 'PARQUET', shardBytes: 1 << 20 } as const;
  const { run, files } = await finish(bench, parquet, { steps: cleaning, onError: 'DROP', textField: 'text', output });
  assert.deepEqual(run.counts, { in: 200, kept: 182, changed: 182, dropped: 0, failed: 18, emitted: 182 });
  const path = join(directory, 'out.parquet');
  await writeFile(path, files['data/train-00000-of-00001.parquet'] ?? '');
  assert.deepEqual(await askDuckDb(`select column_name, column_type from (describe select * from '${path}')`), [
    ['id', 'BIGINT'],
    ['large', 'BIGINT'],
    ['tiny', 'BIGINT'],
    ['whole', 'DOUBLE'],
    ['score', 'DOUBLE'],
    ['lang', 'VARCHAR'],
    ['amount', 'DOUBLE'],
    ['even', 'BOOLEAN'],
    ['text', 'VARCHAR'],
    ['note', 'VARCHAR'],
    ['messages', 'STRUCT("role" VARCHAR, "content" VARCHAR, n BIGINT)[]'],
    ['meta', 'STRUCT(doc STRUCT("text" VARCHAR, weights DOUBLE[]), raw VARCHAR)'],
    ['at', 'VARCHAR'],
    ['day', 'VARCHAR'],
    ['nothing', 'BIGINT'],
    ['none', 'BIGINT[]'],
  ]);
  const { lines } = await bench.engine.listLogs(run.id, { page: 0, size: 100 });
  assert.deepEqual(
    lines.filter(({ level }) => level === 'WARN').map(({ message }) => message),
    [
      'Types of columns that PARQUET rows do not keep, in 1 file with 200 rows, the first of which is a.parquet: tiny: UTINYINT → BIGINT; ' +
        'amount: DECIMAL(12,3) → DOUBLE; meta.doc.weights[*]: FLOAT → DOUBLE; meta.raw: BLOB → VARCHAR; at: TIMESTAMP → VARCHAR; ' +
        'day: DATE → VARCHAR; nothing: INTEGER → BIGINT',
    ],
  );
  const kept = `id, large, tiny, whole, score, lang, even, note, messages, meta.doc.weights, "at"::timestamp, "day"::date, nothing, none`;
  const given = `select ${kept}, amount::double, replace(text, '  ', ' ') from '${parquet.path}' where text is not null`;
  const taken = `select ${kept}, amount, text from '${path}'`;
  assert.deepEqual(await askDuckDb(`select count(*) from (${given} except ${taken})`), [['0']]);
  assert.deepEqual(await askDuckDb(`select count(*) from (${taken} except ${given})`), [['0']]);
});

test('NaN and infinities, which JSON lacks, become null and are counted; Parquet has them', async (t) => {
  const directory = await scratch(t);
  const db = await openNewSqlite(join(directory, 'tilth.db'));
  t.after(() => db.close());
  const bench = await openEngine(db, directory);
  t.after(() => bench.close());
  const parquet = { name: 'a.parquet', path: join(directory, 'made.parquet') };
  await askDuckDb(`copy (select 'a  NaN' as text, 'nan'::double as x, ['inf'::float, 1, '-inf'::float] as list, {'NaN': 'Infinity "NaN'} as s)
    to '${parquet.path}' (format parquet)`);
  const recipe = { steps: cleaning, textField: 'text', output: { format: 'JSONL', shardBytes: 1 << 20 } } as const;
  const { run, files } = await finish(bench, parquet, recipe);
  assert.equal(run.counts.kept, 1);
  const row = '{"text":"a NaN","x":null,"list":[null,1.0,null],"s":{"NaN":"Infinity \\"NaN"}}\n';
  assert.equal(files['data/train-00000-of-00001.jsonl']?.toString(), row);
  const { lines } = await bench.engine.listLogs(run.id, { page: 0, size: 100 });
  assert.ok(
    lines.some(
      ({ message }) => message === 'NaN and infinities, which JSON lacks, became null; values by column: x 1, list 2',
    ),
    lines.map(({ message }) => message).join('\n'),
  );
  const written = await finish(bench, parquet, { ...recipe, output: { ...recipe.output, format: 'PARQUET' } });
  await writeFile(join(directory, 'out.parquet'), written.files['data/train-00000-of-00001.parquet'] ?? '');
  assert.deepEqual(await askDuckDb(`select text, isnan(x), list, s from '${join(directory, 'out.parquet')}'`), [
    ['a NaN', true, ['Infinity', 1, '-Infinity'], { NaN: 'Infinity "NaN' }],
  ]);
  // Conditions read whole columns of a file that keeps its format and its values.
  const where = [{ field: 's.NaN', op: 'CONTAINS', value: 'NaN' }] as const;
  const same = await finish(bench, parquet, { steps: cleaning, textField: 'text', where });
  await writeFile(join(directory, 'same.parquet'), same.files['a.parquet'] ?? '');
  assert.deepEqual(await askDuckDb(`select text, isnan(x) from '${join(directory, 'same.parquet')}'`), [
    ['a NaN', true],
  ]);
  assert.equal(
    Buffer.from(withoutNonFinite(Buffer.from('{"a":"\\\\","b":-Infinity}'))).toString(),
    '{"a":"\\\\","b":null}',
  );
});
