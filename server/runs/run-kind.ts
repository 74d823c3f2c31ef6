import type { Tx } from '../storage/database/database.ts';
import type { LogLevel } from './run-log.ts';
import type { Progress } from './queries/runs.ts';
import type { Run } from './run.ts';

/** A way of doing runs, as an area or the engine registers it. */
export type RunKind = {
  kind: string;
  /**
   * Takes a run from wherever it stands to its end, and returns there; whatever it throws fails the run. It may be called again
   * for the same run, in another process as well: what `checkpoint` has written is what it can rely on.
   */
  drive(run: Run, context: RunContext): Promise<void>;
  /** Hands finished work of a run over to the one that resumes it. */
  resume?(tx: Tx, fromRunId: string, toRunId: string): Promise<void>;
  /** Gives back what a run holds that nobody will commit or resume any more; its ledger stays. */
  release?(tx: Tx, runId: string): Promise<void>;
  /** Erases all that the kind keeps of a run. */
  remove?(tx: Tx, runId: string): Promise<void>;
  /** Its runs need bytes that stand in the data folder of the process that queued them. */
  needsOwnPlace?: boolean;
};

/** What a checkpoint adds to its run, failures by their reasons included. */
export type CheckpointProgress = Progress & { failures?: ReadonlyMap<string, number> };

/** The last transaction of a run. */
export type Completion = {
  /** The run as it stood before. */
  run: Run;
  /** What there was to do, and what is done of it. */
  work: { total: number; done: number };
  finishedAt: string;
  /** Datasets, and versions of them, that hold the result. */
  setTargets(targets: readonly { datasetId: string; version: number }[]): Promise<void>;
  log(level: LogLevel, message: string): Promise<void>;
};

/** What a driver is given for one run. */
export type RunContext = {
  /** Aborted when the run is stopped, was taken over, or the service stops: let go of everything. */
  readonly signal: AbortSignal;
  /** How often the run was taken over; 1 for one that nobody has driven before. */
  readonly epoch: number;
  /** Whether an earlier driver has told how much there is to do. */
  readonly isPlanned: boolean;
  /** Where earlier drivers got to, in the units of `done` of their checkpoints. */
  readonly doneBefore: number;
  /**
   * Writes results and the figures that they add in one transaction. Throws RunLetGo, and nothing is written, when the run has ended
   * or went over to another process.
   */
  checkpoint<T>(progress: CheckpointProgress, work?: (tx: Tx) => Promise<T>): Promise<T | undefined>;
  /** Completes the run and does the work in one transaction; a run whose driver returns without it is completed then. */
  complete(work: (tx: Tx, completion: Completion) => Promise<void>): Promise<void>;
  /** Adds a line to the run's log, unless the run has ended or is another process's. */
  log(level: LogLevel, message: string): Promise<void>;
};
