import type { StagedBlob } from '../../../storage/blobs/blob-store.ts';
import type { CutOptions } from './column-files.ts';
import type { InputFile } from '../job.ts';
import type { ModelStep } from '../../orders/steps.ts';
import type { ProfileResult } from '../../orders/profile-jobs.ts';
import type { ReferResult, IndexedShard, ReferringStep } from '../../orders/reference-jobs.ts';
import type { SharedIndex } from '../../orders/shared-index.ts';
import type { ScanJob } from '../../orders/scan-jobs.ts';
import type { PartitionFacts, PartitionWork } from '../../orders/partition-jobs.ts';
import type { SetKeys, Reduction } from '../../orders/reduction-jobs.ts';
import type { ColumnCuts, TableCuts } from './plan.ts';
import type { OutcomeOptions, ShardOutcome } from './shard-outcome.ts';
import type { PlacedVerdicts, Piece, Recipe, ShardJob, ShardResult } from '../../orders/shard.ts';
import type { Unpacked } from '../../orders/unpack-jobs.ts';
import type { SamplePart } from '../../../operators/index.ts';
import type { OrderUse } from '../pools/thread-pool.ts';

/** The verdicts of an earlier set step for the shard, as blobs. */
export type VerdictBlobs = Omit<PlacedVerdicts, 'signatures' | 'drops'> & { signaturesId: string; dropsId: string };

/** The work on a shard, whose bytes are identified by blobs. */
export type StoredShardJob = Pick<ShardJob, 'recipe' | 'poison' | 'suspects' | 'until' | 'indexes'> & {
  runId: string;
  pieces: readonly Piece[];
  verdicts: readonly VerdictBlobs[];
};

/** A processed shard: its output is in staged blobs, durable and not yet adopted. */
export type ProcessedShard = Pick<
  ShardResult,
  'counts' | 'ledgerLines' | 'skipped' | 'failures' | 'damages' | 'lease'
> & { outcome: ShardOutcome };

type StoredNotes = { signaturesId: string; firstRow: number };

/**
 * The tasks that runs give to workers. Jobs identify stored bytes by blobs, and results are staged blobs, each complete
 * in itself.
 */
export type PoolTasks = {
  setSteps: { job: Recipe; result: number[] };
  referringSteps: { job: Recipe; result: ReferringStep[] };
  modelSteps: { job: Recipe; result: ModelStep[] };
  parts: { job: Recipe; result: SamplePart[] };
  /** The content of a compressed file as a temporary blob. */
  unpack: { job: { file: InputFile }; result: Unpacked<StagedBlob> };
  scan: { job: Omit<ScanJob, 'place' | 'crc32'> & { blobId: string }; result: TableCuts };
  /** Where a columnar table is cut. */
  cut: { job: { file: InputFile; options: Omit<CutOptions, 'signal'> }; result: ColumnCuts };
  refer: {
    job: StoredShardJob & { dataset: string };
    result: Omit<ReferResult, 'signatures'> & { signatures: StagedBlob };
  };
  index: { job: { shards: readonly (Omit<IndexedShard, 'read'> & { keysId: string })[] }; result: SharedIndex };
  sign: { job: StoredShardJob & { signStep: number }; result: { samples: number; signatures: StagedBlob } };
  reduce: {
    job: { recipe: Recipe; step: number; references: readonly StoredNotes[]; shards: readonly StoredNotes[] };
    result: Reduction & { verdicts: StagedBlob };
  };
  /** The keys of a set step, before its reduction. */
  keys: { job: { recipe: Recipe; step: number }; result: SetKeys };
  /** One job of a reduction in partitions. */
  partition: {
    job: { recipe: Recipe; step: number; work: PartitionWork<string> };
    result: { facts: PartitionFacts; part: StagedBlob };
  };
  process: { job: StoredShardJob & { outcome: OutcomeOptions }; result: ProcessedShard };
  profile: {
    job: StoredShardJob;
    result: Omit<ProfileResult, 'signatures'> & { signatures: { step: number; staged: StagedBlob }[] };
  };
};

export type PoolTask = keyof PoolTasks;

export type PoolOrder = { [K in PoolTask]: { task: K; job: PoolTasks[K]['job'] } }[PoolTask];

/** The workers of runs: threads of this process, or processes elsewhere. */
export type WorkerPool = {
  /** Number of concurrent jobs. */
  readonly size: number;
  /**
   * Runs a job as soon as a worker is free; throws WorkerLost, SetupError, RunFailure for damaged bytes, or the
   * signal's reason after an abort. The caller settles the staged blobs.
   */
  run<K extends PoolTask>(
    task: K,
    job: PoolTasks[K]['job'],
    signal: AbortSignal,
    use?: OrderUse,
  ): Promise<PoolTasks[K]['result']>;
  close(): Promise<void>;
};
