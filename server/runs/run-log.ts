import { codedReason, reasonFrom, type Coded } from '../kernel/sentences/index.ts';
import type { RunLogsTable } from '../storage/database/tables/runs.ts';

export type LogLevel = RunLogsTable['level'];

export type LogLine = { seq: number; time: string; level: LogLevel } & Coded<'message', string>;

export function toLogLine({ seq, time, level, message, message_sentence: stored }: RunLogsTable): LogLine {
  return { seq, time, level, ...codedReason('message', reasonFrom(message, stored)) };
}

/** Receives failures of runs with their details, and deletions; any pino logger fits. */
export type ServiceLogger = {
  error(details: object, message: string): void;
  info(details: object, message: string): void;
};
