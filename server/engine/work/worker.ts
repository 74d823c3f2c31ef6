import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { setPriority } from 'node:os';
import { workerData } from 'node:worker_threads';
import { reasonOf } from '../../kernel/reasoned-error.ts';
import { foreign } from '../../kernel/sentences/index.ts';
import { answerRequests } from '../../processes/answer-requests.ts';
import { isSetOperator, SetProblem, type Operator, type WholeSet } from '../../operators/index.ts';
import { listModelSteps } from './model-steps.ts';
import { getOperator } from './samples/chain.ts';
import { partsOf } from '../orders/sample-parts.ts';
import { drawRows } from './draws/draw-work.ts';
import { previewSamples } from './preview/preview-work.ts';
import { profileSamples } from './profiles/profile-work.ts';
import { indexShards } from './references/index-work.ts';
import { listReferringSteps, referShard } from './references/reference-work.ts';
import type { PartitionFacts } from '../orders/partition-jobs.ts';
import { workOnPartition } from './sets/partition-work.ts';
import { reduceShards, type ReductionShard } from './sets/reduction.ts';
import type { SetKeys, Reduction } from '../orders/reduction-jobs.ts';
import { createResultMemories, giveBack } from '../orders/result-memory.ts';
import type { PartitionJob, Recipe, ReduceJob, ShardJob, ShardResult } from '../orders/shard.ts';
import { SetupError } from '../orders/setup-error.ts';
import {
  listSetSteps,
  processShard,
  processShardInBatches,
  signShard,
  signShardInBatches,
  takesBatches,
  type WorkerResources,
} from './samples/shard-work.ts';
import { openNotes, type OpenPiece } from './notes.ts';
import { createProgressReport } from './progress-report.ts';
import { StoredBytesDamaged } from '../orders/stored-bytes.ts';
import { scanTable } from './samples/table-scan.ts';
import { measureSpeed } from './preview/speed-work.ts';
import { unpackFile } from './unpack-work.ts';
import { searchShard } from './samples/text-match.ts';
import { createEffects } from './worker-effects.ts';
import { createPublishedOperators } from './published-operators.ts';
import {
  stepsOfOrder,
  type WorkerAnswer,
  type WorkerMessage,
  type WorkerOrder,
  type WorkerSetup,
} from '../orders/worker-protocol.ts';

/** Maximum number of open files: the signatures of many shards may be in as many packs. */
const maxOpenFiles = 200;

const setup = workerData as WorkerSetup;
const { operators } = (await import(setup.operatorsUrl)) as { operators: readonly Operator[] };
const progress = new Int32Array(setup.progress);

// API requests have priority. On Linux, pid 0 means only the calling thread.
if (process.platform === 'linux') setPriority(0, 10);

const report = createProgressReport(progress);

const effects = createEffects(setup.models);
const published = createPublishedOperators(report.beatInBatch);

const memories = createResultMemories();

answerRequests(async (message: WorkerMessage) => {
  report.begin(message.placeFile);
  const answer = await answerTo(message);
  report.end();
  return answer;
}, transfersOf);

async function answerTo({ order, sandbox }: WorkerMessage): Promise<WorkerAnswer> {
  const files = new Map<string, number>();
  const open: OpenPiece = ({ path, offset }) => {
    return (target, position) => readSync(fileOf(files, path), target, 0, target.length, offset + position);
  };
  try {
    const known = [...operators, ...published.of(stepsOfOrder(order), sandbox)];
    const resources = { operators: known, effects, open, progress: report.samples };
    return { kind: 'done', result: await resultOf(order, resources) };
  } catch (error) {
    const reason = error instanceof Error ? reasonOf(error) : foreign(String(error));
    const stack = error instanceof Error ? (error.stack ?? reason.text) : reason.text;
    return { kind: 'failed', cause: causeOf(error), reason, stack };
  } finally {
    for (const file of files.values()) closeSync(file);
  }
}

type Result = Extract<WorkerAnswer, { kind: 'done' }>['result'];

function resultOf(order: WorkerOrder, resources: WorkerResources): Result | Promise<Result> {
  switch (order.task) {
    case 'setSteps':
      return listSetSteps(order.job.steps, resources.operators);
    case 'referringSteps':
      return listReferringSteps(order.job.steps, resources.operators);
    case 'modelSteps':
      return listModelSteps(order.job.steps, resources.operators);
    case 'refer':
      return referShard(order.job, resources);
    case 'index':
      return indexShards(order.job, resources.open, report.beat);
    case 'scan':
      return scanTable(order.job, resources.open(order.job.place), report.beat);
    case 'unpack':
      return unpackFile(order.job, resources.open(order.job.place), report.beat);
    case 'process':
      return processLeased(order.job, resources);
    case 'sign':
      return takesBatches(order.job.recipe.steps, resources.operators)
        ? signShardInBatches(order.job, resources)
        : signShard(order.job, resources);
    case 'reduce':
      return reduce(order.job, resources);
    case 'keys':
      return keysOf(wholeOf(order.job, resources));
    case 'partition':
      return partition(order.job, resources);
    case 'parts':
      return [...partsOf(order.job.steps.map((step) => getOperator(resources.operators, step)))];
    case 'draw':
      return drawRows(order.job, resources);
    case 'profile':
      return profileSamples(order.job, resources);
    case 'preview':
      return previewSamples(order.job, resources);
    case 'speed':
      return measureSpeed(order.job, resources, report.beat);
    case 'search':
      return searchShard(order.job, resources);
  }
}

async function processLeased(job: ShardJob, resources: WorkerResources): Promise<ShardResult> {
  const memory = memories.take();
  try {
    const leased = { ...resources, memory };
    return takesBatches(job.recipe.steps, resources.operators)
      ? await processShardInBatches(job, leased)
      : processShard(job, leased);
  } catch (error) {
    giveBack(memory.lease);
    throw error;
  }
}

function wholeOf({ recipe, step }: { recipe: Recipe; step: number }, { operators: known }: WorkerResources): WholeSet {
  const pinned = recipe.steps[step];
  if (pinned === undefined) throw new RangeError(`There is no step ${step}`);
  const operator = getOperator(known, pinned);
  if (!isSetOperator(operator)) throw new RangeError(`Step ${step} does not see the whole set`);
  return operator.all(pinned.params);
}

function keysOf({ keys, words, duplicates }: WholeSet): SetKeys {
  const about = duplicates?.about;
  return { keys, words, isByPairs: duplicates !== undefined, ...(about === undefined ? {} : { about }) };
}

/** Calls `work` with a function that writes to a new file. */
function writing<T>(outputPath: string, work: (write: (bytes: Uint8Array) => void) => T): T {
  const output = openSync(outputPath, 'w');
  try {
    return work((bytes) => {
      for (let at = 0; at < bytes.length;) at += writeSync(output, bytes, at);
    });
  } finally {
    closeSync(output);
  }
}

function partition(job: PartitionJob, resources: WorkerResources): PartitionFacts {
  report.samples.step(job.step);
  const whole = wholeOf(job, resources);
  return writing(job.outputPath, (write) =>
    workOnPartition(whole, job.work, { open: resources.open, write, beat: report.beat }),
  );
}

function reduce(job: ReduceJob, resources: WorkerResources): Reduction {
  const { step, references, shards, outputPath } = job;
  const whole = wholeOf(job, resources);
  const opened = (all: ReduceJob['shards']): ReductionShard[] =>
    all.map(({ signatures, firstRow }) => ({ read: openNotes(signatures, resources.open), firstRow }));
  report.samples.step(step);
  return writing(outputPath, (write) =>
    reduceShards(whole, opened(shards), { references: opened(references), write, beat: report.beat }),
  );
}

function causeOf(error: unknown): Extract<WorkerAnswer, { kind: 'failed' }>['cause'] {
  if (error instanceof SetupError || error instanceof SetProblem) return 'setup';
  return error instanceof StoredBytesDamaged ? 'damage' : 'fault';
}

function fileOf(files: Map<string, number>, path: string): number {
  const known = files.get(path);
  if (known !== undefined) return known;
  if (files.size >= maxOpenFiles) {
    for (const [other, file] of files) {
      closeSync(file);
      files.delete(other);
      break;
    }
  }
  const file = openSync(path, 'r');
  files.set(path, file);
  return file;
}

function transfersOf(answer: WorkerAnswer): ArrayBuffer[] {
  if (answer.kind === 'failed') return [];
  const { result } = answer;
  if (!('signatures' in result)) return [];
  const { signatures } = result;
  return Array.isArray(signatures) ? signatures.map(({ bytes }) => bytes.buffer) : [signatures.buffer];
}
