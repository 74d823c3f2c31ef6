export { createEngine, type Engine, type EngineOptions, type NewRun } from './engine.ts';
export type { InputFile, Job, OutputFile } from './job.ts';
export { runOf, type Run, type RunStatus } from './run.ts';
export { RunFailure } from './run-errors.ts';
export type { Step, Verdict } from './chain.ts';
export type { Counts, OnError, Treatment } from './shard.ts';
export type { LedgerEntry, LedgerFilter, StepSummary } from './ledger-reader.ts';
