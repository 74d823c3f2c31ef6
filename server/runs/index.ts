export { countsOf, noCounts, type CountColumns, type Counts } from './counts.ts';
export { RunLetGo } from './run-errors.ts';
export { createRunEvents, type RunEvents } from './run-events.ts';
export { RunFailure } from './run-failure.ts';
export { parseRunEventId, runEventIdPattern } from './run-follower.ts';
export type { Completion, RunContext, RunKind } from './run-kind.ts';
export type { LogLevel, LogLine, ServiceLogger } from './run-log.ts';
export { isUnfinished, type Failure, type Run, type RunStatus } from './run.ts';
export { createRuns, defaultLeaseMs, type NewRun, type RunDataset, type Runs, type RunsOptions } from './runs.ts';
