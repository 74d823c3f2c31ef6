import { createLogger } from '../app.ts';
import type { Config } from '../config.ts';
import { driveOneRun } from '../driver-process.ts';
import { CommandError } from './command-error.ts';
import { installLastGuard } from './last-guard.ts';
import { toCommandError } from './start-problem.ts';

/** Drives one run for a cluster, then ends the process. */
export async function drive(config: Config, key: { runId: string; epoch: number }): Promise<void> {
  const logger = createLogger(config.logLevel);
  installLastGuard(logger);
  const isDriven = await driveOneRun(config, key, logger).catch((error: unknown) => {
    throw toCommandError(config, error);
  });
  if (!isDriven)
    throw new CommandError(
      `run ${key.runId} has ended or is now driven by another driver than that of epoch ${key.epoch}`,
      3,
    );
  // Needed because the bridge keeps the input open.
  logger.flush(() => process.exit(0));
}
