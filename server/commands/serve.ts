import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { buildApp, createLogger, type BuiltApp } from '../app.ts';
import type { Config } from '../config.ts';
import { CommandError } from './command-error.ts';
import { mayComeYet, toCommandError } from './start-problem.ts';

const retryMs = 500;

/** Runs the service until SIGTERM or SIGINT. */
export async function serve(config: Config, version: string): Promise<void> {
  const logger = createLogger(config.logLevel);
  const built = await build(config, version, logger);
  try {
    await built.app.listen({ host: config.host, port: config.port });
  } catch (error) {
    await built.close();
    throw new CommandError(listenProblem(config, error), 1, { cause: error });
  }
  stopOnSignals(built, logger);
  announce(built, config, version);
  logger.info({ version }, 'started');
}

/** Retries for `databaseWaitSeconds`: a database on another machine may start later than the service or restart meanwhile. */
async function build(config: Config, version: string, logger: Logger): Promise<BuiltApp> {
  const deadline = performance.now() + config.databaseWaitSeconds * 1000;
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await buildApp(config, { version, logger });
    } catch (error) {
      if (!mayComeYet(config, error) || performance.now() >= deadline) throw toCommandError(config, error);
      if (isFirst) logger.warn({ err: error }, 'the database can not be reached yet; the start waits for it');
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

function stopOnSignals(built: BuiltApp, logger: Logger): void {
  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) return;
    stopping = true;
    logger.info({ signal }, 'stopping');
    built.close().then(
      () => {
        logger.info('stopped');
        logger.flush(() => process.exit(0));
      },
      (error: unknown) => {
        logger.fatal({ err: error }, 'stopping failed');
        logger.flush(() => process.exit(1));
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

function listenProblem({ host, port }: Config, error: unknown): string {
  switch ((error as { code?: string }).code) {
    case 'EADDRINUSE':
      return `port ${port} of ${host} is in use; set TILTH_PORT to another one`;
    case 'EACCES':
      return `no permission to listen on port ${port} of ${host}; set TILTH_PORT to another one`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${host} is no address of this machine; set TILTH_HOST to another one`;
    default:
      return `listening on ${host}, port ${port} failed: ${(error as Error).message}`;
  }
}
