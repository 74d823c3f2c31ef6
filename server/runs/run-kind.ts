import type { FailureCounts } from '../kernel/failure-counts.ts';
import type { Reason } from '../kernel/sentences/index.ts';
import type { Db, Tx } from '../storage/database/database.ts';
import type { LogLevel } from './run-log.ts';
import type { Run } from './run.ts';
import type { RunIngredients } from './traces.ts';
import type { Progress } from './queries/run-progress.ts';

/** A kind of runs that an area or the engine registers. */
export type RunKind = {
  kind: string;
  /**
   * Drives a run from its last checkpoint to its end; an error fails the run. It may be called again
   * for the same run, also in another process: it can rely only on what `checkpoint` has written.
   */
  drive(run: Run, context: RunContext): Promise<void>;
  /** Transfers finished work of a run to the run that resumes it. */
  resume?(tx: Tx, fromRunId: string, toRunId: string): Promise<void>;
  /** Deletes work of a run that will never be committed or resumed; the ledger stays. */
  release?(tx: Tx, runId: string): Promise<void>;
  /** Part of the transaction that ends a run as FAILED or STOPPED because `drive` threw `error`. */
  ended?(tx: Tx, end: { taskId: string; error: unknown; finishedAt: string }): Promise<void>;
  /** Deletes all data of the kind for a run. */
  remove?(tx: Tx, runId: string): Promise<void>;
  /**
   * Records what a completed run used besides datasets; kept with the versions read and written after the run is
   * deleted.
   */
  trace?(run: Run): RunIngredients;
  /** Number of process ends without progress after which the run fails; default 3. */
  mostProcessEnds?: number;
  /** Describes, for users, where a run stopped making progress; undefined if unknown. */
  findPosition?(db: Db, runId: string): Promise<Reason | undefined>;
  /** Its runs need bytes in the data folder of the process that queued them. */
  needsOwnPlace?: boolean;
  /** Its runs are driven by the cluster, if there is one. */
  isForCluster?: boolean;
  /** Its runs use tasks of the cluster, and share the cluster's slots. */
  takesSlots?: boolean;
  /**
   * For many short runs: checkpoints are combined into one transaction, so the work of a checkpoint may be done twice
   * (see `createSharedWrites`).
   */
  sharesTransactions?: boolean;
};

/** Counts that a checkpoint adds to its run, including failures by reason. */
export type CheckpointProgress = Progress & { failures?: FailureCounts };

/** The last transaction of a run. */
export type Completion = {
  /** The run before this transaction. */
  run: Run;
  /** Total and finished work. */
  work: { total: number; done: number };
  finishedAt: string;
  /** Datasets and versions with the result. */
  setTargets(targets: readonly { datasetId: string; version: number }[]): Promise<void>;
  log(level: LogLevel, message: Reason): Promise<void>;
};

/** What a driver receives for one run. */
export type RunContext = {
  /** Aborted when the run is stopped or claimed by another process, or the service stops: release all resources. */
  readonly signal: AbortSignal;
  /** Number of times the run was claimed; 1 at the first drive. */
  readonly epoch: number;
  /**
   * Whether a process ended while driving this run, maybe because of it: work in small steps until there is progress.
   */
  readonly isSuspect: boolean;
  /** Whether an earlier drive has recorded the total work. */
  readonly isPlanned: boolean;
  /** Work done by earlier drives, in the units of `done`. */
  readonly doneBefore: number;
  /**
   * Writes results and their counts in one transaction. Throws RunLetGo and writes nothing if the run has ended or
   * belongs to another process. `add` adds counts that are only known during the work.
   */
  checkpoint<T>(
    progress: CheckpointProgress,
    work?: (tx: Tx, add: (progress: CheckpointProgress) => Promise<void>) => Promise<T>,
  ): Promise<T | undefined>;
  /**
   * Does the work and completes the run, with its last counts, in one transaction. If the driver never calls it, the
   * run is completed when the driver returns.
   */
  complete(work: (tx: Tx, completion: Completion) => Promise<void>, progress?: CheckpointProgress): Promise<void>;
  /**
   * Says what the run waits for, which then shows as QUEUED; null: it goes on. Does nothing if the run has ended or
   * belongs to another process.
   */
  waitsFor(reason: Reason | null): Promise<void>;
  /** Adds a line to the log, unless the run has ended or belongs to another process. */
  log(level: LogLevel, message: Reason): Promise<void>;
};
