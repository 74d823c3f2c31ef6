/** The drive of a run under one of its epochs. */
export type DriverKey = { runId: string; epoch: number };

/** A job of a cluster that drives a run. */
export type DriverJob = DriverKey & {
  isLive: boolean;
  /** What the cluster tells of it. */
  message: string;
  endedAt: Date | undefined;
};

/** A cluster that starts processes which drive runs. Its calls throw ClusterProblem. */
export type RunCluster = {
  /** For people. */
  address: string;
  /** Runs that are driven there at a time. */
  maxRuns: number;
  /** Has a process started that adopts the run; does nothing if one was started for this epoch before. */
  start(key: DriverKey, signal: AbortSignal): Promise<void>;
  find(key: DriverKey): Promise<DriverJob | undefined>;
  /** All jobs of this installation that the cluster knows, ended ones as well. */
  list(): Promise<DriverJob[]>;
  /** Ends a job and its processes. */
  stop(key: DriverKey): Promise<void>;
  /** Has the cluster forget a job that has ended. */
  forget(key: DriverKey): Promise<void>;
};

/** A cluster can not be used; the message is for people. */
export class ClusterProblem extends Error {
  override readonly name = 'ClusterProblem';
  /** Whether it refuses what it was asked, so that the same will be refused again. */
  readonly isRefusal: boolean;

  constructor(message: string, { isRefusal, ...options }: { isRefusal: boolean; cause?: unknown }) {
    super(message, options);
    this.isRefusal = isRefusal;
  }
}

/** Processes of a cluster that drive one run each: what the places of their leases begin with. */
export const driverPlacePrefix = 'driver/';
