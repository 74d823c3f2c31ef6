import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { forAnyDatabase } from '../../../../tests/support/databases.ts';
import { openBench, step, type EngineBench } from '../../../../tests/support/engine.ts';

/** Path, row and reason of the dropped samples. */
async function dropsOf(bench: EngineBench, runId: string): Promise<string[]> {
  const run = await bench.ended(runId);
  const { entries } = await bench.engine.readLedger(run, { verdict: 'DROPPED' }, { page: 0, size: 10_000 });
  return entries.map(({ filePath, row, reason }) => `${filePath} ${row}: ${reason}`);
}

async function logOf(bench: EngineBench, runId: string): Promise<string[]> {
  const { lines } = await bench.engine.listLogs(runId, { page: 0, size: 1000 });
  return lines.map(({ level, message }) => `${level} ${message}`);
}

const rows = (texts: readonly string[], column = 'text'): string =>
  texts.map((text) => `${JSON.stringify({ n: 1, [column]: text })}\n`).join('');

const fox = 'The quick brown fox jumps over the lazy dog near the bank of the river.';
const cleaning = '数据清洗是机器学习流程的第一步，也是最重要的一步，决定了模型的上限。';

forAnyDatabase('samples that another dataset has are dropped with their place in it', async (t, openDb) => {
  const bench = await openBench(t, await openDb(), { shardBytes: 200 });
  const filler = Array.from({ length: 12 }, (_, index) => `Row number ${index} of its own in the test set, as filler.`);
  bench.references.set('tests', [
    await bench.put('a/old.csv', `id,question\n1,"${fox.toUpperCase()}"\n2,Another question of the test set\n`),
    await bench.put('b/new.jsonl.gz', gzipSync(rows([...filler, cleaning], 'question'))),
  ]);
  const texts = [
    'A text of its own, which nobody else has.',
    fox,
    `${cleaning}！`,
    'A text of its own, which nobody else has.',
  ];
  const source = [await bench.put('r.jsonl', rows(texts))];
  const references = [{ datasetId: 'tests', version: 3, field: 'question' }];
  const near = step('minhash-deduplicator', { ngram: 3, references });
  const exact = step('exact-deduplicator', { caseSensitive: false, references });
  const { id } = await bench.execute(source, { steps: [exact, near] });
  const run = await bench.ended(id);
  assert.deepEqual(run.counts, { in: 4, kept: 1, changed: 0, dropped: 3, failed: 0, emitted: 1 }, run.error ?? '');
  assert.deepEqual(await dropsOf(bench, id), [
    'r.jsonl 2: duplicate of Dataset tests, version 3: a/old.csv, row 1',
    'r.jsonl 3: near-duplicate of Dataset tests, version 3: b/new.jsonl.gz, row 13 (similarity 1.00)',
    'r.jsonl 4: duplicate of r.jsonl, row 1',
  ]);
  const log = await logOf(bench, id);
  assert.ok(log.includes('INFO Step 1, exact-deduplicator, compares with 15 samples of Dataset tests, version 3'));
  assert.ok(log.includes('INFO Step 1, exact-deduplicator, compared 4 samples and leaves 2 out'), log.join('\n'));
  const kept = await bench.db.read.selectFrom('reference_shards').selectAll().execute();
  assert.deepEqual(kept, [], 'nothing is left of it');
  for (const { blobId } of [...source, ...(bench.references.get('tests') ?? [])]) {
    const { refs } = await bench.db.read
      .selectFrom('blobs')
      .select('refs')
      .where('id', '=', blobId ?? '')
      .executeTakeFirstOrThrow();
    assert.equal(refs, 1, 'the run holds and releases nothing of what it compares with');
  }

  const { samples, compared } = await bench.engine.preview({
    inputs: (async function* () {
      yield source;
    })(),
    steps: [exact, near],
    onError: 'SET_ASIDE',
    textField: null,
    limit: 10,
    reference: async () => ({
      name: 'Test set',
      files: (async function* () {
        yield bench.references.get('tests') ?? [];
      })(),
    }),
  });
  assert.deepEqual(
    samples.map(({ reason }) => reason?.text ?? null),
    [
      null,
      'duplicate of Test set, version 3: a/old.csv, row 1',
      'near-duplicate of Test set, version 3: b/new.jsonl.gz, row 13 (similarity 1.00)',
      'duplicate of r.jsonl, row 1',
    ],
  );
  assert.deepEqual(
    compared.map(({ step: at, dataset, version, samples: count, isWhole }) => [at, dataset, version, count, isWhole]),
    [
      [0, 'Test set', 3, 15, true],
      [1, 'Test set', 3, 15, true],
    ],
  );
});

forAnyDatabase('references that are the same do not crowd others out, and none is dropped', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  bench.references.set('tests', [
    await bench.put('t.jsonl', rows([...Array<string>(500).fill(fox), `${fox} Indeed.`])),
  ]);
  const source = [await bench.put('r.jsonl', rows([`${fox} Indeed!`, fox]))];
  const references = [{ datasetId: 'tests' }];
  const { id } = await bench.execute(source, { steps: [step('minhash-deduplicator', { references })] });
  assert.deepEqual(await dropsOf(bench, id), [
    'r.jsonl 1: near-duplicate of Dataset tests: t.jsonl, row 501 (similarity 1.00)',
    'r.jsonl 2: near-duplicate of Dataset tests: t.jsonl, row 1 (similarity 1.00)',
  ]);
  assert.ok((await logOf(bench, id)).every((line) => !line.includes('was not remembered')));
});

forAnyDatabase(
  'unreadable rows of a reference are named, one without a readable row fails the run',
  async (t, openDb) => {
    const bench = await openBench(t, await openDb());
    bench.references.set('broken', [await bench.put('t.jsonl', `${rows([fox])}{oops\n${rows(['another one'])}`)]);
    bench.references.set('foreign', [await bench.put('t.jsonl', '{oops\n{again\n')]);
    bench.references.set('empty', []);
    const source = [await bench.put('r.jsonl', rows([fox, 'mine']))];
    const run = async (datasetId: string) => {
      const { id } = await bench.execute(source, {
        steps: [step('exact-deduplicator', { references: [{ datasetId }] })],
      });
      return bench.ended(id);
    };
    const done = await run('broken');
    assert.deepEqual(await dropsOf(bench, done.id), ['r.jsonl 1: duplicate of Dataset broken: t.jsonl, row 1']);
    const log = await logOf(bench, done.id);
    const step1 = 'Step 1, exact-deduplicator';
    assert.ok(log.includes(`INFO ${step1}, compares with 2 samples of Dataset broken`), log.join('\n'));
    assert.ok(log.includes(`WARN ${step1}: 1 of 3 samples of Dataset broken can not be read and is not compared with`));
    assert.ok(
      log.some((line) => line.startsWith('WARN Dataset broken, t.jsonl, row 2, can not be read: the line is not JSON')),
    );
    assert.match(
      (await run('foreign')).error ?? '',
      /^Step 1, exact-deduplicator, can not compare with Dataset foreign: none of its 2 samples can be read \(t\.jsonl can't be read: the line is not JSON/,
    );
    assert.match(
      (await run('empty')).error ?? '',
      /^Step 1, exact-deduplicator, can not compare with Dataset empty: it holds no samples/,
    );
    assert.equal((await run('gone')).error, 'There is no dataset gone');
  },
);

forAnyDatabase('stopped while it reads the references, a run resumes with what it has read', async (t, openDb) => {
  const bench = await openBench(t, await openDb(), { shardBytes: 100 });
  const test = Array.from({ length: 300 }, (_, index) => `The test set has a row with the number ${index}`);
  bench.references.set('tests', [await bench.put('t.jsonl', rows(test))]);
  const source = [await bench.put('r.jsonl', rows(['mine', test[299] ?? '', 'mine too']))];
  const steps = [step('exact-deduplicator', { references: [{ datasetId: 'tests', version: 1 }] })];
  const first = await bench.execute(source, { steps }, { taskId: 'task' });
  const read = async (): Promise<number> => {
    const done = await bench.db.read
      .selectFrom('reference_shards')
      .select('shard_no')
      .where('blob_id', 'is not', null)
      .execute();
    return done.length;
  };
  while ((await read()) < 5) await new Promise((resolve) => setTimeout(resolve, 1));
  await bench.engine.stopRun(first.id);
  await bench.ended(first.id);
  const before = await read();
  assert.ok(before >= 5 && before < 150, `${before} shards were read`);
  const second = await bench.execute(source, { steps }, { taskId: 'task', resume: first.id });
  const run = await bench.ended(second.id);
  assert.equal(run.status, 'COMPLETED', run.error ?? '');
  assert.equal(run.progress, 100);
  assert.deepEqual(await dropsOf(bench, second.id), [
    'r.jsonl 2: duplicate of Dataset tests, version 1: t.jsonl, row 300',
  ]);
});

forAnyDatabase(
  'what a test set contains is told with its place in the text, and kept when it is only scored',
  async (t, openDb) => {
    const bench = await openBench(t, await openDb(), { shardBytes: 300 });
    const filler = Array.from(
      { length: 9 },
      (_, index) => `Question number ${index} asks for nothing but its own number.`,
    );
    bench.references.set('tests', [
      await bench.put('q.jsonl', rows([...filler, fox], 'question')),
      await bench.put('zh/q.txt', cleaning),
    ]);
    const page = `A page of its own. ${fox.toUpperCase()} And more words behind it, which nobody asks for.`;
    const chinese = `引言：${cleaning}结束。`;
    const source = [await bench.put('r.jsonl', rows(['Nothing of the kind.', page, chinese]))];
    const references = [{ datasetId: 'tests', version: 3, field: 'question' }];
    const filter = (max: number) => step('decontamination-filter', { max, references });
    const { id } = await bench.execute(source, { steps: [filter(1), step('exact-deduplicator'), filter(0)] });
    const run = await bench.ended(id);
    assert.deepEqual(run.counts, { in: 3, kept: 1, changed: 0, dropped: 2, failed: 0, emitted: 1 }, run.error ?? '');
    const { entries } = await bench.engine.readLedger(run, {}, { page: 0, size: 10 });
    const place = { dataset: 'Dataset tests, version 3', path: 'q.jsonl', row: 10, line: 10 };
    const [start, end] = [page.indexOf('THE QUICK'), page.indexOf('. And more')];
    const found = { start, end, text: page.slice(start, end), ...place };
    const [clean, dropped, foreign] = entries;
    assert.deepEqual([clean?.verdict, clean?.matches], ['KEPT', []]);
    assert.deepEqual(dropped?.matches, [
      { step: 0, ...found },
      { step: 2, ...found },
    ]);
    const score = dropped.scores[0]?.score ?? 0;
    assert.ok(score > 0 && score < 1);
    assert.equal(
      dropped.reason,
      `share of runs of 13 words that other datasets have ${score} is above max 0: Dataset tests, version 3: q.jsonl, row 10`,
    );
    assert.deepEqual(
      foreign?.matches.map(({ path, row, text }) => [path, row, text]),
      Array.from({ length: 2 }, () => ['zh/q.txt', null, cleaning.slice(0, -1)]),
    );

    const sample = await bench.engine.findSample(run, dropped.sampleId);
    const traced = sample === undefined ? undefined : await bench.engine.traceSample(run, sample);
    assert.deepEqual(
      traced?.steps.map((one) => [one.verdict, one.score, one.matches.length]),
      [
        ['KEPT', score, 1],
        ['KEPT', null, 0],
        ['DROPPED', score, 1],
      ],
      'as the ledger tells, without reading the test set again',
    );
  },
);
