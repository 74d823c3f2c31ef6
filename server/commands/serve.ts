import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { buildApp, createLogger, type BuildOptions, type BuiltApp } from '../app.ts';
import type { Config } from '../config.ts';
import { CommandError } from './command-error.ts';
import { installLastGuard } from './last-guard.ts';
import { mayComeYet, toCommandError } from './start-problem.ts';

const retryMs = 500;

/** Runs the service until SIGTERM or SIGINT. */
export async function serve(config: Config, version: string): Promise<void> {
  const logger = createLogger(config.logLevel);
  installLastGuard(logger);
  const outdated = new AbortController();
  const built = await build(config, { version, logger, onOutdated: (error) => outdated.abort(error) });
  try {
    await built.app.listen({ host: config.host, port: config.port });
  } catch (error) {
    await built.close();
    throw new CommandError(listenProblem(config, error), 1, { cause: error });
  }
  stopOnSignals(built, { logger, drainSeconds: config.drainSeconds, outdated: outdated.signal });
  announce(built, config, version);
  logger.info({ version }, 'started');
}

/** Builds the service; retries for `databaseWaitSeconds`, as a remote database may start later or be restarting. */
async function build(config: Config, options: BuildOptions): Promise<BuiltApp> {
  const { logger } = options;
  const deadline = performance.now() + config.databaseWaitSeconds * 1000;
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await buildApp(config, options);
    } catch (error) {
      if (!mayComeYet(config, error) || performance.now() >= deadline) throw toCommandError(config, error);
      if (isFirst) logger.warn({ err: error }, 'the database cannot be reached yet; waiting for it');
    }
    await pause(retryMs);
  }
}

function announce({ app, generatedAdminPassword }: BuiltApp, config: Config, version: string): void {
  const { port } = app.server.address() as AddressInfo;
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  const url = `http://${host}:${port}`;
  const lines = [
    `Tilth ${version} listens on ${url}`,
    `The API is at ${url}${config.basePath}/api/v1 and described at ${url}${config.basePath}/docs`,
  ];
  if (generatedAdminPassword !== undefined)
    lines.push(
      '',
      'First start. Sign in as admin with this password, which is shown only once:',
      '',
      `    ${generatedAdminPassword}`,
      '',
    );
  process.stdout.write(`${lines.join('\n')}\n`);
}

function stopOnSignals(
  built: BuiltApp,
  { logger, drainSeconds, outdated }: { logger: Logger; drainSeconds: number; outdated: AbortSignal },
): void {
  const hurry = new AbortController();
  let stopping = false;
  const stop = (reason: object, exitCode = 0): void => {
    // A second signal means that the sender does not want to wait.
    if (stopping) return hurry.abort();
    stopping = true;
    logger.info({ ...reason, drainSeconds }, 'stopping');
    end().then(
      () => {
        logger.info('stopped');
        logger.flush(() => process.exit(exitCode));
      },
      (error: unknown) => {
        logger.fatal({ err: error }, 'stopping failed');
        logger.flush(() => process.exit(1));
      },
    );
  };
  const end = async (): Promise<void> => {
    built.drain();
    if (drainSeconds > 0) await pause(drainSeconds * 1000, undefined, { signal: hurry.signal }).catch(() => {});
    await built.close();
  };
  process.on('SIGTERM', (signal) => stop({ signal }));
  process.on('SIGINT', (signal) => stop({ signal }));
  const giveWay = (): void => {
    logger.fatal({ err: outdated.reason as Error }, 'a newer release has taken over the database');
    hurry.abort();
    stop({}, 1);
  };
  if (outdated.aborted) giveWay();
  else outdated.addEventListener('abort', giveWay, { once: true });
}

function listenProblem({ host, port }: Config, error: unknown): string {
  switch ((error as { code?: string }).code) {
    case 'EADDRINUSE':
      return `port ${port} of ${host} is in use; set TILTH_PORT to another port`;
    case 'EACCES':
      return `no permission to listen on port ${port} of ${host}; set TILTH_PORT to another port`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${host} is not an address of this machine; set TILTH_HOST to another address`;
    default:
      return `listening on ${host}, port ${port} failed: ${(error as Error).message}`;
  }
}
