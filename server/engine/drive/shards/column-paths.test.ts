// Texts of Parquet files by paths and in several columns, and rows by conditions: the same as for JSON Lines with the
// same rows.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openEngine, step, type RunRecipe } from '../../../../tests/support/engine.ts';
import { askDuckDb } from '../../../../tests/support/parquet.ts';
import { openNewSqlite } from '../../../../tests/support/databases.ts';
import { isLongRun } from '../../../../tests/support/long-tests.ts';
import type { LedgerEntry } from '../../index.ts';

/** Rows with nested texts beside values that JSON can't hold. */
const made = `select i as id, case when i % 3 = 0 then 'zh' else 'en' end as lang, i / 10.0 as score,
  case when i % 11 = 5 then null else 'text  ' || i end as text, 'note  ' || i as note,
  [{'role': 'user', 'content': 'ask  ' || i, 'n': i::hugeint * 1000000000000000000000}, {'role': 'system', 'content': null, 'n': 0},
    {'role': 'assistant', 'content': case when i % 7 = 2 then 'x' else 'say  ' || i end, 'n': 1}] as messages,
  {'doc': {'text': case when i % 5 = 4 then 'throw' else 'deep  ' || i end, 'at': timestamp_ns '2026-01-01 00:00:00.123456789'}, 'raw': '\\xff'::blob} as meta,
  [{'role': 'user', 'content': [{'type': 'text', 'text': 'part  ' || i, 'url': null}, {'type': 'image', 'text': null, 'url': 'u  u'},
    {'type': 'text', 'text': case when i % 13 = 3 then 'x' else 'more  ' || i end, 'url': null}]}] as parts,
  '\\x00'::blob as raw from range(300) r(i)`;

const cleaning = [
  step('word-thrower'),
  step('whitespace-normalizer', { maxBlankLines: 1 }),
  step('text-length-filter', { min: 2 }),
];

const recipes: readonly [title: string, recipe: Omit<RunRecipe, 'steps'>][] = [
  ['a path into structs', { textField: 'meta.doc.text' }],
  ['all items of a list', { textField: 'messages[*].content' }],
  ['some items of a list', { textField: 'messages[role=assistant].content' }],
  ['contents in parts', { textField: 'parts[*].content' }],
  ['one item', { textField: 'messages[0].content' }],
  [
    'several columns',
    { textFields: [{ files: '*', fields: ['note', 'meta.doc.text', 'messages[role=user].content'] }] },
  ],
  [
    'conditions',
    {
      textField: 'note',
      where: [
        { field: 'lang', op: 'EQ', value: 'zh' },
        { field: 'score', op: 'GE', value: 5 },
      ],
    },
  ],
  [
    'conditions and paths',
    {
      textField: 'meta.doc.text',
      where: [
        { field: 'messages[*].role', op: 'CONTAINS', value: 'user' },
        { field: 'id', op: 'LT', value: 200 },
      ],
    },
  ],
];

for (const [title, recipe] of recipes.filter((_, index) => isLongRun || index % 2 === 1)) {
  test(`Parquet as JSON Lines: ${title}`, async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'tilth-parquet-'));
    t.after(() => rm(directory, { recursive: true }));
    const db = await openNewSqlite(join(directory, 'tilth.db'));
    t.after(() => db.close());
    const bench = await openEngine(db, directory, { workers: 2, shardBytes: 4000 });
    t.after(() => bench.close());
    const [parquet, jsonl] = [join(directory, 'made.parquet'), join(directory, 'made.jsonl')];
    await askDuckDb(`copy (${made}) to '${parquet}' (format parquet)`);
    await askDuckDb(`copy (${made}) to '${jsonl}' (format json)`);
    const asked: RunRecipe = { steps: cleaning, onError: 'SET_ASIDE', ...recipe };
    const ledgers: object[][] = [];
    const outputs: unknown[][][] = [];
    for (const path of [parquet, jsonl]) {
      const name = path === parquet ? 'a.parquet' : 'a.jsonl';
      const run = await bench.ended((await bench.execute([await bench.put(name, await readFile(path))], asked)).id);
      assert.equal(run.error, null);
      const { entries } = await bench.engine.readLedger(run, {}, { page: 0, size: 1000 });
      ledgers.push(
        entries.map((entry: LedgerEntry) => ({ ...entry, sampleId: '', filePath: '', line: 0, rawText: null })),
      );
      const written = join(directory, `out-${name}`);
      const [output] = bench.outputs();
      await writeFile(written, await bench.bytesOf(output?.blobId ?? ''));
      const source = name === 'a.parquet' ? `'${written}'` : `read_json('${written}', maximum_depth = -1)`;
      const texts = `id, lang, text, note, [m.content for m in messages], [m.role for m in messages], meta.doc.text, parts`;
      outputs.push(await askDuckDb(`select ${texts} from ${source} order by id`));
      if (name !== 'a.parquet') continue;
      // Values other than texts stay, with their type, even within the same column.
      const kept = `id, messages[1].n, meta.doc.at, meta.raw, raw`;
      const others = `select count(*) from (select ${kept} from '${written}' except select ${kept} from '${parquet}')`;
      assert.deepEqual(await askDuckDb(others), [['0']]);
      assert.deepEqual(
        await askDuckDb(`select column_name, column_type from (describe select * from '${written}')`),
        await askDuckDb(`select column_name, column_type from (describe select * from '${parquet}')`),
      );
      assert.ok(run.counts.changed > 10, JSON.stringify(run.counts));
    }
    assert.deepEqual(ledgers[0], ledgers[1]);
    assert.deepEqual(outputs[0], outputs[1]);
  });
}
