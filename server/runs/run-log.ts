import type { RunLogsTable } from '../storage/database/tables/runs.ts';

export type LogLevel = RunLogsTable['level'];

export type LogLine = { seq: number; time: string; level: LogLevel; message: string };

/** Receives failures of runs with their details, and deletions; any pino logger fits. */
export type ServiceLogger = {
  error(details: object, message: string): void;
  info(details: object, message: string): void;
};
