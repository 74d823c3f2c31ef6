import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { forAnyDatabase } from '../../../../tests/support/databases.ts';
import { openBench, type EngineBench } from '../../../../tests/support/engine.ts';
import { parquetOfTexts } from '../../../../tests/support/parquet.ts';
import { newId } from '../../../kernel/ids.ts';
import { operators } from '../../../operators/index.ts';
import type { Run } from '../../../runs/index.ts';
import type { Database } from '../../../storage/database/database.ts';
import { profileOf, profileSteps, type EngineOptions, type InputFile, type Profile } from '../../index.ts';

const kind = 'test-profiles';
const recipe = { steps: profileSteps(operators), onError: 'SET_ASIDE', textField: null } as const;

type Bench = EngineBench & { start(files: readonly InputFile[], resume?: string): Promise<Run> };

async function open(t: TestContext, db: Database, options: Partial<EngineOptions> = {}): Promise<Bench> {
  const bench = await openBench(t, db, options);
  bench.engine.registerProfiles(kind, {
    async *inputs(run) {
      yield run.areaDetails as InputFile[];
    },
  });
  const taskId = newId();
  return {
    ...bench,
    async start(files, resume) {
      const newRun = {
        area: kind,
        taskId,
        by: 'tester',
        details: bench.engine.detailsOf(recipe, files),
        datasets: [{ datasetId: 'source', role: 'SOURCE' as const, version: 1 }],
      };
      const { engine } = bench;
      const run = await db.write((tx) =>
        resume === undefined ? engine.enqueue(tx, newRun) : engine.resume(tx, newRun, resume),
      );
      engine.wake();
      return run;
    },
  };
}

async function until(bench: Bench, runId: string, isSo: (run: Run) => boolean): Promise<Run> {
  for (;;) {
    const run = (await bench.engine.findRuns(bench.db.read, [runId])).get(runId);
    if (run !== undefined && isSo(run)) return run;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const isEnded = ({ status }: Run): boolean => status !== 'QUEUED' && status !== 'RUNNING';

async function profileOfAll(bench: Bench, files: readonly InputFile[]): Promise<Profile> {
  const { id } = await bench.start(files);
  const run = await until(bench, id, isEnded);
  assert.deepEqual([run.status, run.error], ['COMPLETED', null]);
  return foundBy(bench, id);
}

async function foundBy(bench: Bench, runId: string): Promise<Profile> {
  const stored = await bench.engine.findProfile(runId);
  assert.ok(stored !== undefined);
  return profileOf(operators, recipe.steps, stored.figures, stored.dropped);
}

/** Number of referenced blobs; the others are erased later. */
async function countBlobs({ db }: Bench): Promise<number> {
  return (await db.read.selectFrom('blobs').select('id').where('refs', '>', 0).execute()).length;
}

const jsonl = (texts: readonly string[]): string => texts.map((text) => `${JSON.stringify({ text })}\n`).join('');
const words = (row: number): string => `a text of its own with the number ${row * 7919} and some other words ${row}`;

async function filesOf(bench: Bench): Promise<InputFile[]> {
  return [
    await bench.put('a.txt', 'A document of six words here.'),
    await bench.put('b.jsonl', jsonl([...Array.from({ length: 60 }, (_, row) => words(row)), words(3), words(4)])),
    await bench.put('c.csv', `text\n${words(3).toUpperCase()}\n"x@example.org, y@example.org"\n`),
    await bench.put('d.csv', Buffer.from('text\nd\xe9j\xe0 vu, voil\xe0 l\x27\xe9t\xe9 \xe0 No\xebl\n', 'latin1')),
    await bench.put('e.jsonl', '{"text":"fine"}\n{broken\n'),
    await bench.put('f.png', 'no text'),
    await bench.put('g.parquet', await parquetOfTexts(['one', 'two'])),
    await bench.put('h.jsonl.gz', gzipSync(jsonl(['zipped']))),
  ];
}

forAnyDatabase('a profile tells what the samples are like, of some as of all', async (t, openDb) => {
  const bench = await open(t, await openDb());
  const files = await filesOf(bench);
  const blobsBefore = await countBlobs(bench);
  const all = await profileOfAll(bench, files);
  assert.deepEqual(
    [all.sampled, all.failed, all.skipped, all.texts, all.duplicates],
    [71, 1, 1, 70, { exact: 2, near: 3 }],
  );
  const score = (name: string) => all.scores.find((one) => one.score === name);
  assert.deepEqual(
    [score('emails')?.operatorId, score('emails')?.histogram, score('emails')?.quantiles?.p100],
    [
      'pii-masker',
      [
        { from: 0, to: 1, count: 69 },
        { from: 1, to: 2, count: 0 },
        { from: 2, to: 3, count: 1 },
      ],
      2,
    ],
  );
  assert.deepEqual([score('length')?.quantiles?.p0, score('length')?.count], [3, 70]);
  const [language, ...otherLabels] = all.labels;
  assert.deepEqual([language?.operatorId, language?.label, otherLabels], ['language-filter', 'language', []]);
  const languages = new Map(language?.shares.map(({ value, share }) => [value, Math.round(share * 70)]));
  assert.ok((languages.get('en') ?? 0) >= 62 && languages.get('fr') === 1, JSON.stringify([...languages]));
  assert.equal(all.encodings[0]?.value, 'utf-8');
  assert.ok(
    all.encodings.length === 2 && Math.abs(all.encodings.reduce((sum, { share }) => sum + share, 0) - 1) < 1e-9,
  );
  // A sample of everything gives the same numbers.
  async function* inputs(): AsyncGenerator<readonly InputFile[]> {
    yield files;
  }
  const { figures, dropped, drawn } = await bench.engine.profile({ ...recipe, inputs: inputs(), size: 1000, seed: 1 });
  assert.deepEqual(drawn, { from: 71, total: 71, isExact: true, uncheckedFiles: [] });
  assert.deepEqual({ ...profileOf(operators, recipe.steps, figures, dropped), skipped: 1 }, all);
  // Only the result is left.
  assert.equal(await countBlobs(bench), blobsBefore);
  for (const table of ['shards', 'shard_signatures', 'unpacked_files'] as const) {
    assert.deepEqual(await bench.db.read.selectFrom(table).selectAll().execute(), []);
  }
});

forAnyDatabase('a profile is the same for any size of shards and any number of workers', async (t, openDb) => {
  const db = await openDb();
  const profiles: Profile[] = [];
  for (const options of [{ workers: 1 }, { workers: 2, shardBytes: 700, shardFiles: 2 }]) {
    const bench = await open(t, db, options);
    profiles.push(await profileOfAll(bench, await filesOf(bench)));
    await bench.close();
  }
  assert.deepEqual(profiles[1], profiles[0]);
});

forAnyDatabase('a profile that was stopped goes on where it was', async (t, openDb) => {
  const bench = await open(t, await openDb(), { shardBytes: 2000, workers: 1 });
  const files = [await bench.put('a.jsonl', jsonl(Array.from({ length: 3000 }, (_, row) => words(row % 2900))))];
  const { id } = await bench.start(files);
  await until(bench, id, ({ counts }) => counts.in > 0);
  await bench.engine.stopRun(id);
  const stopped = await until(bench, id, ({ status }) => status === 'STOPPED');
  assert.ok(stopped.counts.in > 0 && stopped.counts.in < 3000, `${stopped.counts.in} samples`);
  assert.equal(await bench.engine.findProfile(id), undefined);
  const resumed = await bench.start(files, id);
  assert.deepEqual(resumed.counts, stopped.counts);
  const done = await until(bench, resumed.id, isEnded);
  assert.deepEqual([done.status, done.error, done.counts.in], ['COMPLETED', null, 3000]);
  const profile = await foundBy(bench, resumed.id);
  assert.deepEqual([profile.sampled, profile.duplicates.exact], [3000, 100]);
});
