import type { Logger } from 'pino';
import { currentOwner } from '../kernel/work-owner.ts';

/** Errors after which nothing in the process can be relied on. */
const fatalCodes: ReadonlySet<unknown> = new Set(['ENOMEM', 'ERR_MEMORY_ALLOCATION_FAILED']);

/**
 * Keeps the process alive after an unhandled rejection or exception: it is logged with its stack and fails the run or the call
 * that it belongs to. Transactions roll back by themselves, and what was acknowledged is stored, so the others can go on.
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
