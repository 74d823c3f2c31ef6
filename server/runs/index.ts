export { noCounts, type Counts } from '../kernel/counts.ts';
export { countsOf, type CountColumns } from './count-columns.ts';
export type { Failure } from './failure-kinds.ts';
export { countFailure, failuresOf, type FailureCounts } from '../kernel/failure-counts.ts';
export { RunLetGo } from './run-errors.ts';
export { listRunsOfDataset } from './queries/run-datasets.ts';
export { createRunEvents, type RunEvents } from './run-events.ts';
export { keptRuns } from './retention.ts';
export { RunFailure, RunStopped } from '../kernel/run-failure.ts';
export { parseRunEventId, runEventIdPattern } from './run-follower.ts';
export type { CheckpointProgress, Completion, RunContext, RunKind } from './run-kind.ts';
export { ClusterProblem, driverPlacePrefix, type DriverJob, type DriverKey, type RunCluster } from './run-cluster.ts';
export type { LogLevel, LogLine, ServiceLogger } from './run-log.ts';
export { isUnfinished, type Run, type RunStatus } from './run.ts';
export type { VersionSpan } from './queries/traces.ts';
export {
  findRunTraces,
  listRunTraces,
  listTracesUsing,
  recordQuery,
  type RunIngredients,
  type RunTrace,
  type TraceTool,
} from './traces.ts';
export { createRuns, defaultLeaseMs, type Runs, type RunsOptions } from './runs.ts';
export type { NewRun, RunDataset } from './run-queue.ts';
