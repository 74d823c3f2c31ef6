import type { Logger } from 'pino';
import { currentOwner } from '../kernel/work-owner.ts';

/** Errors after which the state of the process is unreliable. */
const fatalCodes: ReadonlySet<unknown> = new Set(['ENOMEM', 'ERR_MEMORY_ALLOCATION_FAILED']);

/**
 * Keeps the process alive after an unhandled rejection or exception: logs it with its stack and fails the run or call
 * that it belongs to. Other work can continue, since transactions roll back and acknowledged data is stored.
 */
export function installLastGuard(logger: Logger): void {
  const guard = (message: string) => (thrown: unknown) => {
    const error =
      thrown instanceof Error ? thrown : new Error(`Something other than an Error was thrown: ${String(thrown)}`);
    const owner = currentOwner();
    if (fatalCodes.has((error as { code?: unknown }).code)) {
      logger.fatal({ ...owner?.name, err: error }, `${message}; the process cannot continue`);
      logger.flush(() => process.exit(1));
      return;
    }
    if (owner?.fail(error) === true) return;
    logger.error({ ...owner?.name, err: error }, message);
  };
  process.on('unhandledRejection', guard('unhandled rejection'));
  process.on('uncaughtException', guard('uncaught exception'));
}
