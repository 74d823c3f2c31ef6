import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { constants, copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino, type Logger } from 'pino';
import { buildApp, type BuiltApp } from '../../server/app.ts';
import { loadConfig } from '../../server/config.ts';
import { builtModule } from '../../server/kernel/built-modules.ts';
import type { Clock } from '../../server/kernel/clock.ts';
import type { DatabaseOptions } from '../../server/storage/database/database.ts';
import { type Api, createApi } from './api.ts';
import { builtInOperators, sharedProcesses } from './engine-workers.ts';
import { addKnownAdmin } from './known-admin.ts';
import { templates } from './template-databases.ts';
import { countStart } from './test-costs.ts';

export const adminPassword = 'correct horse battery staple';

/** The same for all services over PostgreSQL: those that share a database must also share this key. */
export const testSecretsKey = '5e'.repeat(32);

const compileCache = fileURLToPath(new URL('../../node_modules/.cache/node', import.meta.url));

/** The required part of a test's context: hooks registered here run when the test ends. */
export type Ending = { after(end: () => Promise<void>): void };

export type StartOptions = {
  /** Environment variables; rate limits are off unless given. */
  settings?: Readonly<Record<string, string>>;
  /** As passed by `forEachDatabase`; default: SQLite in the data folder. */
  database?: DatabaseOptions;
  /**
   * Whether the secrets key is in the data folder. Default over PostgreSQL: only if that folder is given, else all services share one key.
   */
  hasKeyFile?: boolean;
  /** Kept after the test if given; default: a temporary folder. */
  dataDir?: string;
  /** Whether the given folder is new and gets a copy of an up-to-date SQLite database; by default, the service creates its tables. */
  isPrepared?: boolean;
};

export type RunningApp = Api & { app: BuiltApp['app'] };

type DataDir = { dataDir: string; remove(): Promise<void> };

/** Starts the whole service in this process on a free port; it ends with the test. */
export async function startApp(
  t: Ending,
  options: StartOptions & { clock?: Clock; logger?: Logger } = {},
): Promise<RunningApp> {
  return countStart('service', () => startUncounted(t, options));
}

async function startUncounted(
  t: Ending,
  options: StartOptions & { clock?: Clock; logger?: Logger },
): Promise<RunningApp> {
  const { dataDir, remove } = await openDataDir(options);
  const config = loadConfig(environment(options, dataDir));
  const { clock, logger = pino({ level: 'silent' }) } = options;
  const built = await buildApp(config, {
    version: '0.0.0-test',
    logger,
    ...(clock === undefined ? {} : { clock }),
    ...(options.settings?.['TILTH_RUN_WORKER_MEMORY_MB'] === undefined
      ? { sharedWorkers: sharedProcesses(builtInOperators) }
      : {}),
  });
  const close = onceOnly(async () => {
    await built.close();
    await remove();
  });
  t.after(close);
  await built.app.listen({ host: config.host, port: config.port });
  const { port } = built.app.server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const token = await signIn(url);
  return { url, token, dataDir, api: createApi(url, () => token), close, app: built.app };
}

export type RunningProcess = Api & {
  readonly pid: number;
  /** Output of the process so far. */
  output(): { stdout: string; stderr: string };
  /** Sends a signal (default SIGKILL) and waits for the end. */
  kill(signal?: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Restarts over the same data, on another port; `url` and `token` change. */
  restart(): Promise<void>;
};

/** Starts the service as its own process, as `npm start` does; it ends with the test. */
export async function startProcess(
  t: Ending,
  options: StartOptions & { /** Put in front of the command, as `strace` is. */ wrapper?: readonly string[] } = {},
): Promise<RunningProcess> {
  const { dataDir, remove } = await openDataDir(options);
  const env = environment(options, dataDir);
  let current = await launch(env, options.wrapper);
  let token = await signIn(current.url);
  const kill = async (signal: NodeJS.Signals = 'SIGKILL'): ReturnType<RunningProcess['kill']> => {
    const { child } = current;
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit');
      child.kill(signal);
      await exited;
    }
    return { code: child.exitCode, signal: child.signalCode };
  };
  const close = onceOnly(async () => {
    await kill('SIGTERM');
    await remove();
  });
  t.after(close);
  return {
    get url() {
      return current.url;
    },
    get token() {
      return token;
    },
    get pid() {
      return current.child.pid ?? 0;
    },
    dataDir,
    output: () => current.output,
    async api(method, path, body, headers) {
      const answer = await createApi(current.url, () => token)<never>(method, path, body, headers);
      // The answer does not say why, and the log ends with the process.
      if (answer.status === 500) process.stderr.write(errorsIn(current.output.stdout));
      return answer;
    },
    kill,
    async restart() {
      await kill('SIGKILL');
      current = await launch(env, options.wrapper);
      token = await signIn(current.url);
    },
    close,
  };
}

/** The lines of a log at level ERROR or above. */
function errorsIn(log: string): string {
  return log.replaceAll(/^(?!\{"level":[56]0,).*\n?/gm, '');
}

/** Runs a command of the service and collects its output. */
export function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  { input, wrapper = [] }: { input?: string; wrapper?: readonly string[] } = {},
): { child: ChildProcess; output: { stdout: string; stderr: string }; exited: Promise<number | null> } {
  const main = fileURLToPath(builtModule(new URL('../../server/main.ts', import.meta.url)));
  const [file = process.execPath, ...rest] = [...wrapper, process.execPath, main, ...args];
  // The compile cache is kept between starts, as with `npm start`.
  const NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE ?? compileCache;
  const child = spawn(file, rest, { env: { ...environmentWithoutSettings(), NODE_COMPILE_CACHE, ...env } });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  child.stdin.end(input ?? '');
  const closed = () => once(child, 'close').then(([code]) => code as number | null);
  const exited = args[0] === 'serve' ? closed() : countStart('command', closed);
  return { child, output, exited };
}

async function launch(env: Record<string, string>, wrapper: readonly string[] = []) {
  const { child, output, exited } = runCommand(['serve'], env, { wrapper });
  const listening = () =>
    Promise.race([
      new Promise<string>((resolve) => {
        child.stdout?.on('data', () => {
          const found = /listens on (http:\/\/\S+)\n/.exec(output.stdout)?.[1];
          if (found !== undefined) resolve(found);
        });
      }),
      exited.then((code) => {
        throw new Error(`The service ended with ${code} before it listened:\n${output.stdout}${output.stderr}`);
      }),
    ]);
  const url = await countStart('service as a process', listening);
  return { child, output, url };
}

function environment(options: StartOptions, dataDir: string): Record<string, string> {
  const { settings, database, hasKeyFile = options.dataDir !== undefined } = options;
  return {
    TILTH_PORT: '0',
    TILTH_DATA_DIR: dataDir,
    TILTH_ADMIN_PASSWORD: adminPassword,
    TILTH_RATE_LIMIT_PER_MINUTE: '0',
    TILTH_RATE_LIMIT_PER_HOUR: '0',
    // Hundreds of services are started: none should write a reserve of 128 MiB.
    TILTH_DISK_RESERVE_MB: '0',
    TILTH_LOW_DISK_SPACE_MB: '0',
    ...(database !== undefined && 'url' in database
      ? {
          TILTH_DATABASE_URL: database.url,
          ...(hasKeyFile ? {} : { TILTH_SECRETS_KEY: testSecretsKey }),
        }
      : {}),
    ...settings,
  };
}

/** Settings of the shell must not reach the service under test. */
function environmentWithoutSettings(): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env))
    if (value !== undefined && !name.startsWith('TILTH_')) env[name] = value;
  return env;
}

async function openDataDir({ dataDir, isPrepared, database, settings = {} }: StartOptions): Promise<DataDir> {
  if (database !== undefined && 'url' in database) {
    if (templates.postgresUrl !== undefined) await addKnownAdmin(database, adminPassword);
    return dataDir === undefined ? await newDataDir() : { dataDir, remove: async () => {} };
  }
  if (dataDir !== undefined) {
    if (isPrepared && templates.sqliteFile !== undefined) await copyTemplate(templates.sqliteFile, dataDir);
    return { dataDir, remove: async () => {} };
  }
  // A test's SQLite file has the name that the service uses in its data folder.
  const opened =
    database === undefined ? await newDataDir() : { dataDir: dirname(database.file), remove: async () => {} };
  const template = 'TILTH_DATABASE_URL' in settings ? undefined : templates.sqliteFile;
  if (template === undefined) return opened;
  const file = join(opened.dataDir, 'tilth.db');
  if (database === undefined) await copyFile(template, file);
  await addKnownAdmin({ file }, adminPassword);
  return opened;
}

async function copyTemplate(template: string, dataDir: string): Promise<void> {
  const file = join(dataDir, 'tilth.db');
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await copyFile(template, file, constants.COPYFILE_EXCL);
  await addKnownAdmin({ file }, adminPassword);
}

async function newDataDir(): Promise<DataDir> {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-server-'));
  return { dataDir: directory, remove: () => rm(directory, { recursive: true, force: true }) };
}

async function signIn(url: string): Promise<string> {
  const { status, body } = await createApi(url, () => '')<{ token: string }>('POST', '/auth/login', {
    username: 'admin',
    password: adminPassword,
  });
  if (status !== 200) throw new Error(`Signing in as admin failed with ${status}: ${JSON.stringify(body)}`);
  return body.token;
}

/** Runs the work once; every later caller gets the same promise. */
function onceOnly(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => (running ??= work());
}
