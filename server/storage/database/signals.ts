import type { DatabaseOptions } from './database-types.ts';
import { openPostgresSignals } from './postgres/postgres-signals.ts';
import { noSignals, type Signals } from './signal-types.ts';

export { noSignals, type Signals, type SignalTopic } from './signal-types.ts';

/** Opens the hints between the processes of a database; does nothing if one process has it to itself. */
export function openSignals(
  options: DatabaseOptions,
  logger: { warn(details: object, message: string): void },
): Promise<Signals> {
  return 'url' in options ? openPostgresSignals(options.url, { logger }) : Promise.resolve(noSignals);
}
