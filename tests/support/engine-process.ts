// A process that works on one run over the given folder and reports its progress after each change; tests kill it.
import { createHash } from 'node:crypto';
import type { OnError } from '../../server/engine/index.ts';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase, type DatabaseOptions } from '../../server/storage/database/database.ts';
import { profileSteps, type InputFile, type Step } from '../../server/engine/index.ts';
import { operators } from '../../server/operators/index.ts';
import type { Run } from '../../server/runs/index.ts';
import { openEngine, step } from './engine.ts';
import { endShared } from './process-end.ts';

const [directory = '.', sourceFolder = '', chain = 'plain', onError = 'KEEP', database = '{}', times = 'once'] =
  process.argv.slice(2);
const normalizer = step('whitespace-normalizer', { maxBlankLines: 1 });
/** Another dataset, which the steps of `compared` compare to. */
const known = { datasetId: 'known', version: 1 };
const chains: Readonly<Record<string, readonly Step[]>> = {
  exported: [step('word-thrower'), step('slow-passer'), normalizer],
  plain: [step('word-thrower'), step('slow-passer'), normalizer],
  staged: [
    step('exact-deduplicator', { caseSensitive: true, ignoreWhitespace: false }),
    step('word-thrower'),
    step('slow-passer'),
    step('minhash-deduplicator', { threshold: 0.9, ngram: 1, permutations: 32 }),
    normalizer,
  ],
  chosen: [
    step('slow-passer'),
    step('balance-selector', { column: 'n', to: 'COUNT', count: 25 }),
    step('mix-selector', { weights: '*=500', amount: 'COUNT', unit: 'TOKENS' }),
    step('split-writer', { train: 60, validation: 20, test: 20, ngram: 1 }),
  ],
  compared: [
    step('minhash-deduplicator', { threshold: 0.9, ngram: 1, permutations: 32, references: [known] }),
    step('slow-passer'),
    step('decontamination-filter', { ngram: 3, shortest: 2, references: [known] }),
    normalizer,
  ],
  profile: [...profileSteps(operators), step('slow-passer')],
};
const profiles = 'test-profiles';

const db = await openDatabase(JSON.parse(database) as DatabaseOptions);
/** The set of `compared` is compared in partitions, by as many jobs as so few samples allow. */
const comparison = { wholeBytes: 0, partitionSamples: 200, fanIn: 3 };
const bench = await openEngine(db, directory, { shardBytes: 400, ...(chain === 'compared' ? { comparison } : {}) });
const started = join(directory, 'run-id');
const knownFiles = join(directory, 'known.json');
bench.engine.registerProfiles(profiles, {
  async *inputs(run) {
    yield run.areaDetails as InputFile[];
  },
});

if (chain === 'compared') {
  // The blobs must be those of the first process: what was read from them is part of a checkpoint.
  if (!existsSync(knownFiles)) writeFileSync(knownFiles, JSON.stringify(await putKnown()));
  bench.references.set(known.datasetId, JSON.parse(readFileSync(knownFiles, 'utf8')) as InputFile[]);
}

let runId: string;
if (existsSync(started)) {
  runId = readFileSync(started, 'utf8');
} else {
  const source = [];
  for (const name of readdirSync(sourceFolder).toSorted()) {
    source.push(await bench.put(name, readFileSync(join(sourceFolder, name))));
  }
  const recipe = {
    steps: chains[chain] ?? [],
    onError: onError as OnError,
    textField: 'text',
    ...(chain === 'exported' ? { output: { format: 'JSONL_ZST' as const, shardBytes: 900 } } : {}),
  };
  runId =
    chain === 'profile'
      ? (await enqueueProfile(source, recipe)).id
      : (await bench.execute(source, recipe, { taskId: 'task' })).id;
  if (times === 'again') {
    await bench.engine.start();
    await bench.ended(runId);
    const mended = recipe.steps.filter(({ operatorId }) => operatorId !== 'word-thrower');
    const options = { taskId: 'task', failedOf: runId };
    runId = (await bench.execute(source, { ...recipe, steps: mended }, options)).id;
  }
  writeFileSync(started, runId);
}
bench.engine.onChange(runId, () => {
  process.stdout.write('changed\n');
});
await bench.engine.start();
const run = await (chain === 'profile' ? profileEnded(runId) : bench.ended(runId));
const profile = chain === 'profile' ? await bench.engine.findProfile(runId) : undefined;
const hash = createHash('sha256');
// File ids differ in each folder.
for await (const bytes of chain === 'profile' ? [] : bench.engine.streamFailed(run)) {
  hash.update(bytes.toString('latin1').replaceAll(/"sampleId":"[^"]*",/g, ''));
}
await bench.close();
await endShared();
await db.close();
process.stdout.write(
  `${JSON.stringify({ status: run.status, counts: run.counts, error: run.error, failed: hash.digest('hex'), profile })}\n`,
);

/** Files of several shards; some of their rows resemble rows of the source. */
async function putKnown(): Promise<InputFile[]> {
  const text = (row: number): string =>
    row % 9 === 0 ? `row  ${row % 30} ${'x'.repeat(row % 40)}` : `number ${row} of what only the known dataset holds`;
  const rows = Array.from({ length: 60 }, (_, row) => `${JSON.stringify({ text: text(row) })}\n`);
  return [
    await bench.put('known/first.jsonl', rows.slice(0, 40).join('')),
    await bench.put('known/second.jsonl', rows.slice(40).join('')),
  ];
}

function enqueueProfile(
  files: readonly InputFile[],
  recipe: Parameters<typeof bench.engine.detailsOf>[0],
): Promise<Run> {
  const newRun = {
    area: profiles,
    taskId: 'task',
    by: 'tester',
    details: bench.engine.detailsOf(recipe, files),
    datasets: [{ datasetId: 'source', role: 'SOURCE' as const, version: 1 }],
  };
  return db.write((tx) => bench.engine.enqueue(tx, newRun));
}

/** Waits for the end of a profile. */
function profileEnded(id: string): Promise<Run> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      bench.engine.findRuns(db.read, [id]).then((found) => {
        const run = found.get(id);
        if (run === undefined || run.status === 'QUEUED' || run.status === 'RUNNING') return;
        forget();
        resolve(run);
      }, reject);
    };
    const forget = bench.engine.onChange(id, look);
    look();
  });
}
