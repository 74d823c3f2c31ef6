import type { MessagePort } from 'node:worker_threads';
import type { Reason } from '../../kernel/sentences/index.ts';
import type { ModelQuestion, ModelReply, SamplePart } from '../../operators/index.ts';
import type { LaneName, SandboxLimits } from '../../sandbox/index.ts';
import type { DrawResult, DrawJob } from './draw-jobs.ts';
import type { ModelStep, Step } from './steps.ts';
import type { PreviewResult, PreviewJob, SpeedResult, SpeedJob } from './preview-jobs.ts';
import type { ProfileResult, ProfileJob } from './profile-jobs.ts';
import type { IndexJob, ReferringStep, ReferResult, ReferJob } from './reference-jobs.ts';
import type { SharedIndex } from './shared-index.ts';
import type { PartitionFacts } from './partition-jobs.ts';
import type { SetKeys, Reduction } from './reduction-jobs.ts';
import type { PartitionJob, ReduceJob, ShardJob, ShardResult, SignJob, SignResult, Recipe } from './shard.ts';
import type { UnpackResult, UnpackJob } from './unpack-jobs.ts';
import type { ScanResult, ScanJob } from './scan-jobs.ts';
import type { SearchJob } from './search-jobs.ts';

/** Where published operators run, and where their packages are. */
export type SandboxSetup = { lane: LaneName; limits: SandboxLimits; packagesDirectory: string };

/** The data that a worker thread starts with. */
export type WorkerSetup = {
  /** Module whose `operators` are the only ones that this worker can run. */
  operatorsUrl: string;
  /** Shared with the watching thread: see `progressSlots`. */
  progress: SharedArrayBuffer;
  /** Carries questions to models, and their answers. */
  models: MessagePort;
};

/**
 * Slots of the shared progress: 1 while a job runs, the sample's number within it, the step's index (-1: reading), the
 * number of the last sample of a batch (-1: the sample is by itself), and a counter of other signs of progress within a
 * batch.
 */
export const progressSlots = { running: 0, ordinal: 1, step: 2, last: 3, beats: 4, length: 5 } as const;

/** Where a worker is in its job: `ordinal` is -1 before any sample, `step` is -1 while a sample is being read. */
export type WorkerPlace = { ordinal: number; last: number; step: number };

/** The place that a worker has reported. */
export function placeOf(progress: Int32Array): WorkerPlace {
  const at = (slot: number): number => progress[slot] ?? -1;
  return { ordinal: at(progressSlots.ordinal), last: at(progressSlots.last), step: at(progressSlots.step) };
}

/** The requests to workers and their results. */
export type WorkerTasks = {
  /** The steps that must see all samples before they judge one. */
  setSteps: { job: Recipe; result: number[] };
  /** The steps that compare with other datasets. */
  referringSteps: { job: Recipe; result: ReferringStep[] };
  /** The steps that call models. */
  modelSteps: { job: Recipe; result: ModelStep[] };
  /** Records one shard of such a dataset for the operator. */
  refer: { job: ReferJob; result: ReferResult };
  /** Builds the index over the records of all shards. */
  index: { job: IndexJob; result: SharedIndex };
  /** The layout of a large table and where it can be cut. */
  scan: { job: ScanJob; result: ScanResult };
  /** Unpacks a bzip2 file. */
  unpack: { job: UnpackJob; result: UnpackResult };
  process: { job: ShardJob; result: ShardResult };
  sign: { job: SignJob; result: SignResult };
  reduce: { job: ReduceJob; result: Reduction };
  keys: { job: { recipe: Recipe; step: number }; result: SetKeys };
  partition: { job: PartitionJob; result: PartitionFacts };
  /** Parts of a sample that any step reads or writes. */
  parts: { job: Recipe; result: SamplePart[] };
  /** Rows of tables, drawn at random. */
  draw: { job: DrawJob; result: DrawResult };
  /** Measures of samples. */
  profile: { job: ProfileJob; result: ProfileResult };
  preview: { job: PreviewJob; result: PreviewResult };
  /** How fast a step processes texts. */
  speed: { job: SpeedJob; result: SpeedResult };
  /** The samples of a shard whose texts contain the searched words. */
  search: { job: SearchJob; result: number[] };
};

/** A step's question to a model, or its cancellation: the answer is no longer awaited. */
export type ModelAskMessage = { id: number; step: number; question: ModelQuestion } | { id: number; stop: true };

/** The answer, or why there is none. */
export type ModelAnswerMessage = { id: number; reply: ModelReply } | { id: number; problem: Reason };

export type WorkerTask = keyof WorkerTasks;

export type WorkerOrder = { [K in WorkerTask]: { task: K; job: WorkerTasks[K]['job'] } }[WorkerTask];

/**
 * What a worker receives: an order, and where published operators run; without `sandbox`, there are none. With a
 * `placeFile`, it writes its place into that file at each sample and step: the file outlives its process.
 */
export type WorkerMessage = { order: WorkerOrder; sandbox: SandboxSetup | undefined; placeFile?: string };

/** The steps that an order runs samples through. */
export function stepsOfOrder({ job }: WorkerOrder): readonly Step[] {
  if ('recipe' in job) return job.recipe.steps;
  if ('steps' in job) return job.steps;
  return 'step' in job && typeof job.step === 'object' ? [job.step] : [];
}

export type WorkerAnswer =
  | { kind: 'done'; result: WorkerTasks[WorkerTask]['result'] }
  | { kind: 'failed'; cause: 'setup' | 'damage' | 'fault'; reason: Reason; stack: string };
