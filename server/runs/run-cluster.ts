import { ReasonedError } from '../kernel/reasoned-error.ts';
import type { Reason } from '../kernel/sentences/index.ts';
/** Identifies one drive of a run by its epoch. */
export type DriverKey = { runId: string; epoch: number };

/** A job of the cluster that drives a run. */
export type DriverJob = DriverKey & {
  isLive: boolean;
  /** The cluster's message about the job. */
  message: string;
  endedAt: Date | undefined;
};

/** A cluster that starts processes to drive runs. All methods throw ClusterProblem. */
export type RunCluster = {
  /** Shown to users. */
  address: string;
  /** Maximum number of runs driven there concurrently. */
  maxRuns: number;
  /** Starts a process that adopts the run; does nothing if one was already started for this epoch. */
  start(key: DriverKey, signal: AbortSignal): Promise<void>;
  find(key: DriverKey): Promise<DriverJob | undefined>;
  /** All jobs of this installation that the cluster lists, including ended ones. */
  list(): Promise<DriverJob[]>;
  /** Ends a job and its processes. */
  stop(key: DriverKey): Promise<void>;
  /** Removes an ended job from the cluster. */
  forget(key: DriverKey): Promise<void>;
};

/** The cluster cannot be used; the message is meant for users. */
export class ClusterProblem extends ReasonedError {
  override readonly name = 'ClusterProblem';
  /** Whether the cluster refused the request, so that retrying is pointless. */
  readonly isRefusal: boolean;

  constructor(reason: Reason, { isRefusal, ...options }: { isRefusal: boolean; cause?: unknown }) {
    super(reason, options);
    this.isRefusal = isRefusal;
  }
}

/** Prefix of lease places of cluster processes, which drive one run each. */
export const driverPlacePrefix = 'driver/';
