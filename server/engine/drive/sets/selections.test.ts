// Steps that keep shares of classes or split samples into parts: the same for any shards and workers, and over a
// resumed run.
import assert from 'node:assert/strict';
import { forAnyDatabase } from '../../../../tests/support/databases.ts';
import { openBench, step, type EngineBench } from '../../../../tests/support/engine.ts';
import type { EngineOptions, Step } from '../../index.ts';

type Row = Record<string, unknown>;

async function clean(
  bench: EngineBench,
  files: Readonly<Record<string, readonly Row[]>>,
  steps: readonly Step[],
): Promise<{ rows: Map<string, Row[]>; log: string[]; reasons: (string | null)[] }> {
  const source = [];
  for (const [path, rows] of Object.entries(files)) source.push(await bench.put(path, linesOf(rows)));
  const run = await bench.ended((await bench.execute(source, { steps, textField: 'text' })).id);
  assert.equal(run.error, null);
  assert.equal(run.counts.in, run.counts.kept + run.counts.dropped + run.counts.failed);
  const { lines } = await bench.engine.listLogs(run.id, { page: 0, size: 100 });
  const { entries } = await bench.engine.readLedger(run, { verdict: 'DROPPED' }, { page: 0, size: 1000 });
  return {
    rows: rowsOf(await bench.result()),
    log: lines.map(({ level, message }) => `${level} ${message}`),
    reasons: entries.map(({ reason }) => reason),
  };
}

const linesOf = (rows: readonly Row[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

function rowsOf(result: ReadonlyMap<string, string>): Map<string, Row[]> {
  return new Map(
    Array.from(result, ([path, content]) => [
      path,
      content
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Row),
    ]),
  );
}

const cuts: Partial<EngineOptions>[] = [
  { workers: 1, shardBytes: 1 << 22 },
  { workers: 2, shardBytes: 2000, shardFiles: 1 },
];

forAnyDatabase('classes are balanced over the whole input, whatever the shards', async (t, openDb) => {
  const db = await openDb();
  const rows = Array.from({ length: 300 }, (_, n) => ({ n, lang: n % 10 === 0 ? 'zh' : 'en', text: `text ${n}` }));
  const files = { 'a.jsonl': rows.slice(0, 200), 'b.jsonl': rows.slice(200) };
  const results: unknown[] = [];
  for (const options of cuts) {
    const bench = await openBench(t, db, options);
    const { rows: kept, reasons } = await clean(bench, files, [step('balance-selector', { column: 'lang', seed: 7 })]);
    const all = [...kept.values()].flat();
    assert.deepEqual([all.length, all.filter(({ lang }) => lang === 'zh').length], [60, 30]);
    assert.deepEqual(new Set(reasons), new Set(['over the share of "en": 30 of 270 samples stay']));
    results.push(all);
    await bench.close();
  }
  assert.deepEqual(results[0], results[1]);

  const bench = await openBench(t, db);
  const other = await clean(bench, files, [step('balance-selector', { column: 'lang', seed: 8 })]);
  assert.notDeepEqual([...other.rows.values()].flat(), results[0], 'another seed draws others');
  const counted = await clean(bench, files, [step('balance-selector', { column: 'lang', to: 'COUNT', count: 50 })]);
  assert.equal([...counted.rows.values()].flat().length, 80);
  assert.ok(
    counted.log.includes('WARN Step 1, balance-selector: "zh" has only 30 samples of 50'),
    counted.log.join('\n'),
  );
  const weighed = await clean(bench, files, [
    step('balance-selector', { column: 'lang', to: 'WEIGHTS', weights: 'en=2, zh=1, fr=5' }),
  ]);
  const langs = [...weighed.rows.values()].flat().map(({ lang }) => lang);
  assert.deepEqual([langs.length, langs.filter((lang) => lang === 'en').length], [90, 60]);
  assert.ok(weighed.log.includes('WARN Step 1, balance-selector: no sample is of "fr": its weight counts for nothing'));
  assert.ok(
    weighed.log.includes(
      'INFO Step 1, balance-selector: "zh" has the fewest samples for its weight, 30: 90 samples stay in all',
    ),
  );
});

forAnyDatabase('folders are mixed by weights, in samples and in tokens', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const of = (count: number, text: string): Row[] => Array.from({ length: count }, (_, n) => ({ n, text }));
  const files = {
    'books/a.jsonl': of(40, 'one two three four five six seven eight nine ten'),
    'web/a.jsonl': of(100, 'one two'),
    'web/old/a.jsonl': of(10, 'one two'),
    'x.jsonl': of(5, 'one'),
  };
  const sizes = ({ rows }: { rows: Map<string, Row[]> }): Record<string, number> =>
    Object.fromEntries(Array.from(rows, ([path, all]) => [path, all.length]));
  const percent = await clean(bench, files, [step('mix-selector', { weights: 'books=80, web/old/=20' })]);
  assert.deepEqual(sizes(percent), { 'books/a.jsonl': 40, 'web/a.jsonl': 0, 'web/old/a.jsonl': 10, 'x.jsonl': 0 });
  assert.ok(percent.reasons.includes('no share is given for "*"'));
  const tokens = await clean(bench, files, [
    step('mix-selector', { weights: 'books=50, web=50', unit: 'TOKENS', seed: 3 }),
  ]);
  assert.deepEqual(sizes(tokens), { 'books/a.jsonl': 22, 'web/a.jsonl': 100, 'web/old/a.jsonl': 10, 'x.jsonl': 0 });
  assert.ok(tokens.reasons.includes('over the share of "books": 220 of 400 tokens stay'), tokens.reasons.join('\n'));
  const counted = await clean(bench, files, [step('mix-selector', { weights: 'web=20, *=9', amount: 'COUNT' })]);
  const { 'web/a.jsonl': web = 0, 'web/old/a.jsonl': old = 0, ...others } = sizes(counted);
  assert.equal(web + old, 20);
  assert.equal(
    Object.values(others).reduce((sum, size) => sum + size, 0),
    9,
  );
});

/** Rows of clusters: near-duplicates by text, and rows of the same author. */
function clustered(): { rows: Row[]; clusterOf: Map<number, string> } {
  const rows: Row[] = [];
  const clusterOf = new Map<number, string>();
  for (let cluster = 0; cluster < 120; cluster += 1) {
    const words = Array.from({ length: 60 }, (_, at) => `w${(cluster * 7919 + at * 104_729) % 99_991}`);
    for (let copy = 0; copy <= cluster % 4; copy += 1) {
      const text = [...words, `end${copy}`].join(' ');
      clusterOf.set(rows.length, cluster < 8 ? 'author' : `c${cluster}`);
      rows.push({ n: rows.length, by: cluster < 8 ? 'Wang' : null, text });
    }
  }
  // Copies lie far apart.
  return { rows: rows.toSorted((a, b) => ((Number(a['n']) * 37) % 101) - ((Number(b['n']) * 37) % 101)), clusterOf };
}

const split = step('split-writer', { group: 'by', train: 70, validation: 20, test: 10 });

forAnyDatabase('near-duplicates and groups are in one part, and nothing is lost', async (t, openDb) => {
  const db = await openDb();
  const { rows, clusterOf } = clustered();
  const files = { 'a.jsonl': rows.slice(0, 150), 'b.jsonl': rows.slice(150) };
  const results: unknown[] = [];
  for (const options of cuts) {
    const bench = await openBench(t, db, options);
    const { rows: found, log } = await clean(bench, files, [split]);
    const all = [...found.values()].flat();
    assert.deepEqual(
      all.map(({ split: _split, ...row }) => row),
      rows,
      'every row is there once, in its place',
    );
    const partOf = new Map<string, unknown>();
    const sizes = new Map<unknown, number>();
    for (const { n, split: part } of all) {
      const cluster = clusterOf.get(Number(n)) ?? '';
      assert.equal(partOf.get(cluster) ?? part, part, `${cluster} is in two parts`);
      partOf.set(cluster, part);
      sizes.set(part, (sizes.get(part) ?? 0) + 1);
    }
    assert.deepEqual(
      ['train', 'validation', 'test'].map((part) => Math.round((100 * (sizes.get(part) ?? 0)) / all.length)),
      [70, 20, 10],
    );
    assert.match(
      log.join('\n'),
      /INFO Step 1, split-writer: train 210, validation 60, test 30 of 300 samples; \d+ clusters/,
    );
    results.push(all);
    await bench.close();
  }
  assert.deepEqual(results[0], results[1]);
});

forAnyDatabase('a split that was stopped resumes with the same parts', async (t, openDb) => {
  const db = await openDb();
  const { rows } = clustered();
  const recipe = { steps: [step('slow-passer'), split], textField: 'text' };
  const bench = await openBench(t, db, { shardBytes: 1500, shardFiles: 1 });
  const source = [await bench.put('a.jsonl', linesOf(rows))];
  const whole = await bench.ended((await bench.execute(source, recipe)).id);
  assert.equal(whole.error, null);
  const expected = await bench.result();
  const first = await bench.execute(source, recipe, { taskId: 'task' });
  const isUnderWay = async (): Promise<boolean> =>
    (await db.read.selectFrom('shard_signatures').select('shard_no').where('run_id', '=', first.id).execute()).length >
    2;
  while (!(await isUnderWay())) await new Promise((resolve) => setTimeout(resolve, 10));
  await bench.engine.stopRun(first.id);
  assert.equal((await bench.ended(first.id)).status, 'STOPPED');
  const second = await bench.execute(source, recipe, { taskId: 'task', resume: first.id });
  const resumed = await bench.ended(second.id);
  assert.equal(resumed.error, null);
  assert.deepEqual(resumed.counts, whole.counts);
  assert.deepEqual(await bench.result(), expected);
});

forAnyDatabase('columns that are missing, taken or the text are told', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const rows = [
    { text: 'one', by: 'Li', split: 'old' },
    { text: 'two', by: 'Li', split: 'train' },
    { text: 'three', split: null },
    { text: 'four', by: null },
  ];
  const fails = async (failing: Step): Promise<string | null> => {
    const source = [await bench.put('a.jsonl', linesOf(rows))];
    const run = await bench.ended((await bench.execute(source, { steps: [failing], textField: 'text' })).id);
    assert.equal(run.status, 'FAILED');
    return run.error;
  };
  const nowhere = 'none of 4 samples has the column "By": look at its spelling, upper and lower case differ';
  assert.equal(await fails(step('split-writer', { group: 'By' })), nowhere);
  assert.equal(await fails(step('balance-selector', { column: 'By' })), nowhere);

  const { log } = await clean(bench, { 'a.jsonl': rows }, [
    step('split-writer', { group: 'by' }),
    step('balance-selector', { column: 'by', to: 'COUNT', count: 9 }),
    step('mix-selector', { column: 'by' }),
  ]);
  for (const line of [
    'WARN Step 1, split-writer: 1 of 4 samples lack the column "by"',
    'WARN Step 1, split-writer: 1 of 4 samples had another value in the column "split": it was replaced',
    'WARN Step 2, balance-selector: 1 of 4 samples lack the column "by"',
    'WARN Step 3, mix-selector: 2 of 4 samples had another value in the column "by": it was replaced',
  ])
    assert.ok(log.includes(line), log.join('\n'));

  for (const writing of [step('split-writer', { column: 'text' }), step('mix-selector', { column: 'text' })]) {
    const source = [await bench.put('a.jsonl', linesOf(rows))];
    const run = await bench.ended((await bench.execute(source, { steps: [writing], textField: 'text' })).id);
    assert.equal(run.counts.failed, 4);
    const { entries } = await bench.engine.readLedger(run, { verdict: 'FAILED' }, { page: 0, size: 1 });
    assert.equal(entries[0]?.reason, '"text" holds the text: it is written as text, not as a field');
  }
});

forAnyDatabase('weights name classes with commas', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const rows = ['red, blue', 'red, blue', 'red, blue', 'green'].map((hue, n) => ({ text: `row ${n}`, hue }));
  for (const weights of ['"red, blue"=2, green=1', '"red, blue=2", green=1']) {
    const { rows: kept } = await clean(bench, { 'a.jsonl': rows }, [
      step('balance-selector', { column: 'hue', to: 'WEIGHTS', weights }),
    ]);
    assert.deepEqual(
      [...kept.values()].flat().map(({ hue }) => hue),
      ['red, blue', 'red, blue', 'green'],
    );
  }
});
