import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forAnyDatabase, longForEachDatabase } from '../../../../tests/support/databases.ts';
import { openBench, openEngine, step, type EngineBench } from '../../../../tests/support/engine.ts';

const exact = step('exact-deduplicator', { caseSensitive: true, ignoreWhitespace: false });
const near = step('minhash-deduplicator', { threshold: 0.7, ngram: 2, permutations: 64 });
const normalizer = step('whitespace-normalizer', { maxBlankLines: 1 });

/** Rows, some of them equal, some nearly equal, some broken and some too short. */
function table(rows: number, from = 0): string {
  const lines = Array.from({ length: rows }, (_, index) => {
    const row = index + from;
    if (row % 23 === 7) return '{broken';
    if (row % 13 === 5) return `{"n":${row},"text":"x"}`;
    const theme = row % 9;
    const words = Array.from({ length: 20 }, (_, word) => `word${(theme * 7 + word * (theme + 1)) % 61}`);
    if (row % 4 === 1) words[row % 20] = `changed${row}`;
    return `{"n":${row}.0, "text":"${words.join(row % 2 === 0 ? ' ' : '  ')}"}`;
  });
  return `${lines.join('\n')}\n`;
}

async function dropsOf(bench: EngineBench, runId: string): Promise<[string, number | null, string | null, number][]> {
  const run = await bench.ended(runId);
  const { entries } = await bench.engine.readLedger(run, { verdict: 'DROPPED' }, { page: 0, size: 10_000 });
  return entries.map(({ filePath, row, reason, scores }) => [filePath, row, reason, scores.at(-1)?.score ?? -1]);
}

forAnyDatabase('the first of equal samples stays, over files and shards, and the others name it', async (t, openDb) => {
  const bench = await openBench(t, await openDb(), { shardBytes: 64 });
  const source = [
    await bench.put(
      'a.jsonl',
      '{"text":"one  fine text"}\n{oops\n{"text":"two fine texts"}\n{"text":"one fine text"}\n',
    ),
    await bench.put('b.txt', 'two fine texts'),
    await bench.put('c.txt', 'three'),
  ];
  const length = step('text-length-filter', { min: 6, max: 100 });
  const { id } = await bench.execute(source, { steps: [normalizer, exact, length] });
  const run = await bench.ended(id);
  assert.equal(run.status, 'COMPLETED', run.error ?? '');
  assert.deepEqual(run.counts, { in: 6, kept: 2, changed: 1, dropped: 3, failed: 1, emitted: 3 });
  assert.deepEqual(
    [...(await bench.result())],
    [['a.jsonl', '{"text":"one fine text"}\n{oops\n{"text":"two fine texts"}\n']],
  );
  assert.deepEqual(await dropsOf(bench, id), [
    ['a.jsonl', 4, 'duplicate of a.jsonl, row 1', 1],
    ['b.txt', null, 'duplicate of a.jsonl, row 3', 1],
    ['c.txt', null, 'length 5 is below min 6', 5],
  ]);
  assert.deepEqual(
    (await bench.engine.summarizeSteps(run)).map(({ operatorId, dropped }) => [operatorId, dropped]),
    [
      ['whitespace-normalizer', 0],
      ['exact-deduplicator', 2],
      ['text-length-filter', 1],
    ],
  );
  const log = await bench.engine.listLogs(id, { page: 0, size: 100 });
  assert.ok(
    log.lines.some(({ message }) => message === 'Step 2, exact-deduplicator, compared 5 samples and leaves 2 out'),
  );
});

forAnyDatabase('the samples that are compared are counted as they pass', async (t, openDb) => {
  const bench = await openBench(t, await openDb(), { shardBytes: 600, shardFiles: 1 });
  const seen = new Map<string, number[]>();
  const source = [await bench.put('a.jsonl', table(60)), await bench.put('b.txt', 'a text')];
  const { id } = await bench.execute(source, { steps: [step('slow-passer'), exact, near] });
  const watch = async (): Promise<void> => {
    const run = await bench.db.read.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    if (run.phase !== null) seen.set(run.phase, [...(seen.get(run.phase) ?? []), run.phase_samples]);
  };
  const looks: Promise<void>[] = [];
  const forget = bench.engine.onChange(id, () => void looks.push(watch()));
  const { counts } = await bench.ended(id);
  forget();
  await Promise.all(looks);
  const compared = seen.get('COMPARE') ?? [];
  assert.ok(
    compared.some((count) => count > 0 && count < 61),
    compared.join(', '),
  );
  assert.ok(Math.max(...compared) <= 61, 'each step counts from the beginning');
  const cleaned = seen.get('CLEAN') ?? [];
  assert.ok(
    cleaned.some((count) => count > 0 && count <= counts.in),
    cleaned.join(', '),
  );
});

longForEachDatabase(
  'the result of several set steps is the same for any shards and workers, and nothing is left',
  async (t, openDb) => {
    const db = await openDb();
    const directory = await mkdtemp(join(tmpdir(), 'tilth-sets-'));
    t.after(() => rm(directory, { recursive: true }));
    const outcomes: string[] = [];
    for (const options of [
      { workers: 1, shardBytes: 1 << 22 },
      { workers: 2, shardBytes: 900, shardFiles: 1 },
      { workers: 2, shardBytes: 900, shardFiles: 1, comparison: { wholeBytes: 0, partitionSamples: 60, fanIn: 3 } },
    ]) {
      const bench = await openEngine(db, directory, options);
      try {
        const source = [
          await bench.put('big.jsonl', table(150)),
          await bench.put('one.txt', 'text of its own'),
          await bench.put('other.jsonl', table(40, 200)),
        ];
        const steps = [
          exact,
          step('word-thrower'),
          normalizer,
          near,
          step('text-length-filter', { min: 2, max: 1000 }),
        ];
        const { id } = await bench.execute(source, { steps });
        const run = await bench.ended(id);
        assert.equal(run.status, 'COMPLETED', run.error ?? '');
        assert.equal(run.progress, 100);
        const drops = await dropsOf(bench, id);
        assert.ok(drops.some(([, , reason]) => /^duplicate of big\.jsonl, row \d+$/.test(reason ?? '')));
        assert.ok(
          drops.some(
            ([path, , reason]) => path === 'other.jsonl' && /near-duplicate of big\.jsonl, row/.test(reason ?? ''),
          ),
        );
        outcomes.push(JSON.stringify([...(await bench.result()), run.counts, drops]));
        for (const name of ['shard_signatures', 'set_parts', 'set_verdicts'] as const) {
          assert.deepEqual(await db.read.selectFrom(name).selectAll().execute(), []);
        }
        assert.deepEqual(await readdir(join(directory, 'scratch')), []);
      } finally {
        await bench.close();
      }
    }
    assert.equal(outcomes[1], outcomes[0]);
    assert.equal(outcomes[2], outcomes[0]);
  },
);

forAnyDatabase('parts of a split sample are judged each on their own', async (t, openDb) => {
  const bench = await openBench(t, await openDb(), { shardBytes: 30 });
  const source = [await bench.put('r.jsonl', '{"text":"a b a"}\n{"text":"throw"}\n{"text":"b"}\n{"text":"c b"}\n')];
  const { id } = await bench.execute(source, { steps: [step('word-thrower'), step('word-splitter'), exact] });
  const run = await bench.ended(id);
  assert.deepEqual(run.counts, { in: 4, kept: 2, changed: 2, dropped: 1, failed: 1, emitted: 4 }, run.error ?? '');
  assert.deepEqual(
    [...(await bench.result())],
    [['r.jsonl', '{"text":"a"}\n{"text":"b"}\n{"text":"throw"}\n{"text":"c"}\n']],
  );
});

forAnyDatabase('a sample that takes a worker down stays out of every later pass', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const source = [await bench.put('r.jsonl', '{"text":"a"}\n{"text":"kill"}\n{"text":"a"}\n')];
  const { id } = await bench.execute(source, { steps: [step('word-killer'), exact] });
  const run = await bench.ended(id);
  assert.deepEqual(run.counts, { in: 3, kept: 1, changed: 0, dropped: 1, failed: 1, emitted: 2 }, run.error ?? '');
  const log = await bench.engine.listLogs(id, { page: 0, size: 100 });
  assert.equal(log.lines.filter(({ message }) => message.includes('A worker was lost')).length, 2, 'in one pass alone');
});

forAnyDatabase('stopped between the passes, a run resumes with what was taken down', async (t, openDb) => {
  const bench = await openBench(t, await openDb(), { shardBytes: 400 });
  const source = [await bench.put('r.jsonl', table(120))];
  const recipe = { steps: [step('slow-passer'), exact] };
  const undisturbed = await bench.ended((await bench.execute(source, recipe)).id);
  const expected = [...(await bench.result())];

  const first = await bench.execute(source, recipe, { taskId: 'task' });
  await new Promise<void>((resolve) => {
    const forget = bench.engine.onChange(first.id, () => {
      void bench.engine.findRun(bench.db.read, 'test', 'task', first.id).then((seen) => {
        if (seen === undefined || seen.progress < 20) return;
        forget();
        resolve();
      });
    });
  });
  await bench.engine.stopRun(first.id);
  await bench.ended(first.id);
  const taken = await bench.db.read.selectFrom('shard_signatures').select('shard_no').execute();
  assert.ok(taken.length > 0);
  const second = await bench.execute(source, recipe, { taskId: 'task', resume: first.id });
  assert.ok(second.progress >= 20);
  const run = await bench.ended(second.id);
  assert.deepEqual([run.status, run.counts], ['COMPLETED', undisturbed.counts], run.error ?? '');
  assert.deepEqual([...(await bench.result())], expected);
});

longForEachDatabase('a run that nobody resumes gives back what its set steps kept', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const source = [await bench.put('r.jsonl', '{"text":"a"}\n'.repeat(3))];
  const { id } = await bench.execute(source, { steps: [exact, step('slow-passer')] }, { taskId: 'task' });
  await bench.engine.stopRun(id);
  await bench.ended(id);
  await bench.db.write((tx) => bench.engine.deleteRuns(tx, 'task'));
  const used = await bench.db.read.selectFrom('blobs').select('id').where('refs', '>', 0).execute();
  assert.deepEqual(
    used.map((blob) => blob.id),
    source.map(({ blobId }) => blobId),
  );
});

forAnyDatabase('where a result came from stays known when its task is gone', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const source = [await bench.put('r.jsonl', '{"text":"a"}\n'.repeat(3))];
  const { id } = await bench.execute(source, { steps: [exact] }, { taskId: 'task' });
  const run = await bench.ended(id);
  await bench.db.write((tx) => bench.engine.deleteRuns(tx, 'task'));
  const [lineage, ...others] = await bench.engine.listLineage('source', 'source');
  assert.deepEqual(others, []);
  assert.deepEqual(
    { ...lineage, steps: lineage?.steps.map((figures) => ({ ...figures, ms: 0 })) },
    {
      runId: id,
      area: 'test',
      taskId: 'task',
      source: { datasetId: 'source', version: 1 },
      moreSources: [],
      target: { datasetId: 'task', version: 2 },
      recipe: run.recipe,
      details: run.areaDetails,
      counts: { in: 3, kept: 1, changed: 0, dropped: 2, failed: 0, emitted: 1 },
      steps: [
        {
          step: 0,
          operatorId: 'exact-deduplicator',
          version: exact.version,
          digest: null,
          in: 3,
          changed: 0,
          dropped: 2,
          failed: 0,
          ms: 0,
        },
      ],
      createdBy: 'tester',
      startedAt: run.startedAt,
      finishedAt: run.finishedAt,
    },
  );
  assert.deepEqual(await bench.engine.listLineage('target', 'task'), [lineage]);
});

forAnyDatabase('a sample that a whole-set step can not sign fails with the cause', async (t, openDb) => {
  const bench = await openBench(t, await openDb());
  const source = await bench.put('a.jsonl', ['one', 'throw', 'two'].map((text) => `{"text":"${text}"}\n`).join(''));
  const steps = [step('sign-thrower'), normalizer];
  const { id } = await bench.execute([source], { steps, onError: 'SET_ASIDE' });
  const run = await bench.ended(id);
  assert.deepEqual([run.status, run.counts.kept, run.counts.failed], ['COMPLETED', 2, 1], run.error ?? '');
  const { entries } = await bench.engine.readLedger(run, { verdict: 'FAILED' }, { page: 0, size: 9 });
  assert.deepEqual(
    entries.map(({ row, reason }) => [row, reason]),
    [[2, 'it can not sign the word throw']],
  );
});
