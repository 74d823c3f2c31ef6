// What every pool of workers must do: the same cases with threads and with the processes of a cluster, over one object
// store.
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import type { TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { workerArgs } from '../../../../tests/support/cluster.ts';
import { forAnyDatabase, longForEachDatabase } from '../../../../tests/support/databases.ts';
import { docxOf } from '../../../../tests/support/document-files.ts';
import { step, type RunRecipe } from '../../../../tests/support/engine.ts';
import { sized } from '../../../../tests/support/long-tests.ts';
import { packageOf } from '../../../../tests/support/operator-packages.ts';
import { parquetOfTexts } from '../../../../tests/support/parquet.ts';
import {
  damageFile,
  openClusterBench,
  openPoolPlace,
  openThreadBench,
  outcomeOf,
  putAll,
  rowsOf,
  type Outcome,
  type PoolBenchOptions,
  type PoolPlace,
} from '../../../../tests/support/pools.ts';
import { versitygw } from '../../../../tests/support/versitygw.ts';
import { digestOf, packFiles } from '../../../operator-packages/index.ts';
import type { Database } from '../../../storage/database/database.ts';
import type { InputFile } from '../job.ts';

type Case = {
  files: Readonly<Record<string, string | Uint8Array>>;
  /** Files of the dataset `other`, which steps may compare with. */
  others?: Readonly<Record<string, string | Uint8Array>>;
  recipe: RunRecipe;
  options?: PoolBenchOptions;
  prepare?: (place: PoolPlace, source: readonly InputFile[]) => Promise<void>;
};

/** The outcome of a case, which must be the same with threads and on a cluster. */
async function inBoth(
  t: TestContext,
  open: () => Promise<Database>,
  { files, others = {}, recipe, options = {}, prepare }: Case,
): Promise<{ outcome: Outcome; sent: readonly string[] }> {
  const place = await openPoolPlace(t, await open());
  const { args: _args, ...engineOptions } = options;
  const threads = await openThreadBench(place, engineOptions);
  const source = await putAll(threads, files);
  const other = await putAll(threads, others);
  await prepare?.(place, source);
  threads.references.set('other', other);
  const outcome = await outcomeOf(threads, source, recipe);
  await threads.close();
  const bench = await openClusterBench(t, place, options);
  bench.references.set('other', other);
  const again = await outcomeOf(bench, source, recipe);
  assert.deepEqual(again, outcome);
  assert.ok(bench.cluster.sent.length > 0, 'the cluster did the work');
  assert.deepEqual(bench.lost, []);
  return { outcome, sent: bench.cluster.sent };
}

/** Two streams: rows `a  b` and `x`, then `c  d`. */
const bzip2Rows = Buffer.from(
  'QlpoOTFBWSZTWdUS6JcAAAzZgAAQUAAAEDIABEogACEpGm0NQgGmmhlTgmce7CR4mGM6fF3JFOFCQ1RLolxCWmg5MUFZJlNZCwgwCAAAB1mAABBQAAAQDgAESiAAIoxo1P1CAaaaBS7G+JEhGi7kinChIBYQYBA=',
  'base64',
);

forAnyDatabase(
  'every kind of file becomes the same bytes and the same ledger in real worker processes',
  async (t, open) => {
    const { outcome } = await inBoth(t, open, {
      files: {
        'a.jsonl': rowsOf(200, (row) => `row  ${row % 50} of some   text`),
        'b.csv': `text,n\n${'"two  spaces",1\n'.repeat(300)}`,
        'c.jsonl.gz': gzipSync(rowsOf(100, (row) => `packed   ${row}`)),
        'd.parquet': await parquetOfTexts(Array.from({ length: 300 }, (_, row) => `column  ${row}`)),
        'e.docx': docxOf(['A  paragraph', 'and another']),
        'f.txt': 'plain   text\n',
        'g.jsonl.bz2': bzip2Rows,
        'h.bin': 'no text',
      },
      recipe: {
        steps: [step('whitespace-normalizer'), step('exact-deduplicator'), step('text-length-filter', { min: 2 })],
      },
      options: { args: workerArgs },
    });
    assert.equal(outcome.status, 'COMPLETED', outcome.error ?? '');
    assert.ok(outcome.counts.dropped > 400 && outcome.counts.kept > 400, JSON.stringify(outcome.counts));
  },
  [versitygw],
);

longForEachDatabase(
  'steps compare with another dataset alike, over the whole set and sample by sample',
  async (t, open) => {
    const { outcome } = await inBoth(t, open, {
      files: { 'a.jsonl': rowsOf(300, (row) => `some words of the row with the number ${row} and its end`) },
      others: {
        'o.jsonl': rowsOf(200, (row) => `some words of the row with the number ${row * 3} and its end`),
        'p.csv': 'text\nsome words of the row with the number 7 and its end\n',
      },
      recipe: {
        steps: [
          step('exact-deduplicator', { references: [{ datasetId: 'other', prefix: 'p', field: 'text' }] }),
          step('decontamination-filter', {
            ngram: 5,
            references: [{ datasetId: 'other', prefix: 'o', field: 'text' }],
          }),
        ],
      },
    });
    assert.equal(outcome.status, 'COMPLETED', outcome.error ?? '');
    assert.ok(outcome.counts.dropped >= 100, JSON.stringify(outcome.counts));
  },
  [versitygw],
);

forAnyDatabase(
  'partitions of a set are compared alike, each by a worker of its own',
  async (t, open) => {
    const theme = (row: number): string =>
      Array.from({ length: 12 }, (_, at) => (at === row % 12 ? `own${row % 40}` : `word${row % 5}-${at}`)).join(' ');
    const { outcome, sent } = await inBoth(t, open, {
      files: { 'a.jsonl': rowsOf(200, theme), 'b.jsonl': rowsOf(60, (row) => `row ${row % 20}`) },
      others: { 'o.jsonl': rowsOf(20, (row) => theme(row * 7)) },
      recipe: {
        steps: [
          step('exact-deduplicator'),
          step('minhash-deduplicator', {
            threshold: 0.6,
            ngram: 1,
            permutations: 32,
            bands: 4,
            references: [{ datasetId: 'other', prefix: 'o', field: 'text' }],
          }),
        ],
      },
      options: { comparison: { wholeBytes: 0, fanIn: 3 } },
    });
    assert.equal(outcome.status, 'COMPLETED', outcome.error ?? '');
    assert.ok(outcome.counts.dropped > 150 && outcome.counts.kept > 5, JSON.stringify(outcome.counts));
    for (const stage of ['COLLATE', 'MERGE', 'MATCH', 'JOIN', 'SETTLE']) {
      assert.ok(
        sent.some((order) => order.includes(`"stage":"${stage}"`)),
        stage,
      );
    }
  },
  [versitygw],
);

forAnyDatabase(
  'a published operator does the same, and its package is sent once, not with each order',
  async (t, open) => {
    const padding = `// ${'x'.repeat(50_000)}\n`;
    const files = packageOf(
      {},
      `${padding}export default { each: ({ end }) => ({ text }) => ({ text: text + end }) };`,
    );
    const held = new Map(Object.entries(files).map(([path, content]) => [path, Buffer.from(content)]));
    const published = { operatorId: 'end-writer', version: '1.0.0', params: { end: '.' }, digest: digestOf(held) };
    const { outcome, sent } = await inBoth(t, open, {
      files: { 'a.jsonl': rowsOf(300, (row) => `row ${row}`) },
      recipe: { steps: [published] },
      options: { sandbox: { lane: 'SAFE', source: { read: async () => packFiles(held) } } },
    });
    assert.equal(outcome.status, 'COMPLETED', outcome.error ?? '');
    const [[, content] = ['', '']] = outcome.outputs;
    assert.match(Buffer.from(content, 'base64').toString(), /"row 299\."/);
    for (const order of sent) assert.ok(order.length < 20_000, `an order has ${order.length} characters`);
  },
  [versitygw],
);

// One way to harm a worker suffices to show that its process reports it as a thread does; engine.test.ts tries all with
// threads.
const harmful = [
  ['kills its thread', 'word-killer', 'kill'],
  ['hangs', 'word-hanger', 'hang'],
  ['eats the memory', 'memory-eater', 'eat'],
] as const;
for (const [name, operatorId, word] of harmful.slice(0, sized(1, harmful.length))) {
  forAnyDatabase(
    `a sample that ${name} fails alone`,
    async (t, open) => {
      const { outcome } = await inBoth(t, open, {
        files: { 'a.jsonl': rowsOf(5, (row) => (row === 3 ? word : `row ${row}`)) },
        recipe: { steps: [step(operatorId)] },
        options: { sampleTimeoutMs: word === 'hang' ? 1500 : 30_000, workerMemoryMb: 128 },
      });
      assert.deepEqual([outcome.counts.in, outcome.counts.failed], [5, 1]);
    },
    [versitygw],
  );
}

for (const [name, harm] of [
  ['damaged', damageFile],
  ['missing', (path: string) => rm(path)],
] as const) {
  forAnyDatabase(
    `files whose bytes are ${name} in the object store fail alone, each with its reason`,
    async (t, open) => {
      const content = {
        'a-scanned.jsonl': rowsOf(200, (row) => `row ${row}`),
        'b-columns.parquet': await parquetOfTexts(Array.from({ length: 300 }, (_, row) => `column ${row}`)),
        'c-packed.jsonl.gz': gzipSync(rowsOf(100, (row) => `packed ${row}`)),
        'd-short.jsonl': rowsOf(3, (row) => `row ${row}`),
        'e-document.docx': docxOf(['A paragraph']),
        'f-bzip2.jsonl.bz2': bzip2Rows,
      };
      const { outcome } = await inBoth(t, open, {
        files: { ...content, 'g-whole.jsonl': rowsOf(10, (row) => `row ${row}`) },
        recipe: { steps: [step('whitespace-normalizer')] },
        async prepare(place, source) {
          for (const file of source.slice(0, -1)) await harm(await place.objectOf(file));
        },
      });
      assert.equal(outcome.status, 'COMPLETED', outcome.error ?? '');
      assert.deepEqual([outcome.counts.kept, outcome.counts.failed], [10, Object.keys(content).length]);
      const reasons = new Set(outcome.entries.flatMap(({ reason }) => reason ?? []));
      assert.ok(reasons.size > 0, 'each failure has a reason');
    },
    [versitygw],
  );
}
