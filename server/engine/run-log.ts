import type { RunLogsTable } from '../storage/database/tables/engine.ts';

export type LogLevel = RunLogsTable['level'];

/** Where failures of runs are told with all that they carry; any pino logger fits. */
export type ServiceLogger = { error(details: object, message: string): void };
