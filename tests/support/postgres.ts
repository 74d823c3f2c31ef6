import { spawn, spawnSync, type ChildProcessByStdio, type SpawnSyncReturns } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from './free-port.ts';
import { memoryFolder } from './memory-folder.ts';
import { countStart } from './test-costs.ts';
import { findOnPath, type Tool } from './tools.ts';

/** Passes the running cluster to the test files of one `npm test`: they share it, each with its own databases. */
const URL_VARIABLE = 'TILTH_TEST_POSTGRES_URL';

/** PostgreSQL's server programs; Debian installs them outside the PATH, in a folder per version. */
export const postgres: Tool = {
  name: 'PostgreSQL',
  path: process.env[URL_VARIABLE] === undefined ? findInitdb() : URL_VARIABLE,
  howToGet: 'apt-get install postgresql',
};

/** As in `pg_ctl`: `fast` cuts connections and writes everything back, `immediate` stops the server as in a crash. */
export type ShutdownMode = 'fast' | 'immediate';

export type PostgresCluster = {
  /** Connects as superuser to the maintenance database. */
  url: string;
  /** Stops the server, which can be started again. */
  halt(mode: ShutdownMode): Promise<void>;
  start(): Promise<void>;
  restart(mode: ShutdownMode): Promise<void>;
  /** Process ids of the server and of its connections, for signals. */
  pids(): number[];
  /** Stops the server for good and removes its data. */
  stop(): Promise<void>;
};

/**
 * Starts a temporary cluster on a free port of 127.0.0.1. It requires its password, and
 * ends with this process, however that ends. If `isCrashSafe`, committed data survives a crash of the server; if `isDurable`, power loss too, and
 * the data is on the disk.
 */
export async function startPostgres({ isCrashSafe = false, isDurable = false } = {}): Promise<PostgresCluster> {
  const initdb = findInitdb();
  if (initdb === undefined) throw new Error(`PostgreSQL is not installed here: ${postgres.howToGet}`);
  const directory = mkdtempSync(join(isDurable ? tmpdir() : memoryFolder(), 'tilth-postgres-'));
  try {
    // The server refuses to run as root.
    const owner: Owner = process.getuid?.() === 0 ? unprivilegedUser() : {};
    const password = randomBytes(16).toString('hex');
    const passwordFile = join(directory, 'password');
    writeFileSync(passwordFile, password);
    if ('uid' in owner) {
      chownSync(directory, owner.uid, owner.gid);
      chownSync(passwordFile, owner.uid, owner.gid);
    }
    chmodSync(passwordFile, 0o600);
    const data = join(directory, 'data');
    const created = spawnSync(initdb, initdbArguments(initdb, data, passwordFile), { ...owner, cwd: directory });
    if (created.status !== 0) throw new Error(`initdb failed: ${outputOf(created)}`);
    const port = await freePort();
    const bin = join(initdb, '..');
    const server = startServer({
      program: join(bin, 'postgres'),
      directory,
      data,
      port,
      owner,
      isCrashSafe,
      isDurable,
    });
    await untilReady(server, join(directory, 'log'));
    // Options that are not given keep their value of the previous start.
    const control = (command: string, mode: ShutdownMode): Promise<void> =>
      controlServer(join(bin, 'pg_ctl'), [command, '-D', data, '-m', mode, '-w', '-l', join(directory, 'log')], owner);
    let options = '';
    return {
      url: `postgres://tilth:${password}@127.0.0.1:${port}/postgres`,
      async halt(mode) {
        options = readFileSync(join(data, 'postmaster.opts'), 'utf8').trim();
        await control('stop', mode);
      },
      async start() {
        const [, ...given] = options.match(/"[^"]*"|\S+/g) ?? [];
        await controlServer(
          join(bin, 'pg_ctl'),
          ['start', '-D', data, '-w', '-l', join(directory, 'log'), '-o', given.join(' ')],
          owner,
        );
      },
      restart: (mode) => control('restart', mode),
      pids: () => pidsOf(data),
      stop: async () => {
        if (server.exitCode !== null || server.signalCode !== null) return;
        server.ref();
        const exited = once(server, 'exit');
        server.stdin.end();
        await exited;
      },
    };
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  }
}

/** The user that runs the server; undefined unless we are root. */
type Owner = { uid: number; gid: number } | Record<string, never>;

type Server = ChildProcessByStdio<Writable, null, null>;

let ownCluster: Promise<PostgresCluster> | undefined;

/**
 * Creates an empty database, or a copy of another one that nobody is connected to; in the cluster of `npm test`, or in
 * one that this process starts for itself.
 */
export async function createPostgresDatabase(templateUrl?: string): Promise<{ url: string; drop(): Promise<void> }> {
  const shared = process.env[URL_VARIABLE];
  ownCluster ??= shared === undefined ? startPostgres() : undefined;
  const clusterUrl = shared ?? (await ownCluster)?.url ?? '';
  const name = `tilth_${randomBytes(8).toString('hex')}`;
  const template = templateUrl === undefined ? '' : ` template ${new URL(templateUrl).pathname.slice(1)}`;
  await countStart('database', () => execute(clusterUrl, `create database ${name}${template}`));
  const url = new URL(clusterUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => execute(clusterUrl, `drop database ${name} with (force)`) };
}

/** The environment by which test files find a running cluster. */
export function environmentOf(cluster: PostgresCluster): Record<string, string> {
  return { [URL_VARIABLE]: cluster.url };
}

async function execute(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

function findInitdb(): string | undefined {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  return (
    findOnPath(
      'initdb',
      versions.map((version) => join(root, version, 'bin')),
    ) ?? findOnPath('initdb')
  );
}

function initdbArguments(initdb: string, data: string, passwordFile: string): string[] {
  const version = Number(
    /\(PostgreSQL\) (\d+)/.exec(spawnSync(initdb, ['--version'], { encoding: 'utf8' }).stdout)?.[1],
  );
  // A common collation: text that must be ordered by bytes has to declare that itself.
  const collation = version >= 15 ? ['--locale-provider=icu', '--icu-locale=en'] : [];
  return [
    `--pgdata=${data}`,
    '--username=tilth',
    '--auth=password',
    `--pwfile=${passwordFile}`,
    '--no-sync',
    '--encoding=UTF8',
    '--locale=C.UTF-8',
    ...collation,
  ];
}

function startServer(options: {
  program: string;
  directory: string;
  data: string;
  port: number;
  owner: Owner;
  isCrashSafe: boolean;
  isDurable: boolean;
}): Server {
  const settings = {
    listen_addresses: '127.0.0.1',
    port: options.port,
    unix_socket_directories: '',
    fsync: options.isDurable ? 'on' : 'off',
    synchronous_commit: options.isCrashSafe || options.isDurable ? 'on' : 'off',
    full_page_writes: options.isDurable ? 'on' : 'off',
    max_connections: 300,
    dynamic_shared_memory_type: 'mmap',
    log_min_messages: 'log',
  };
  const assignments = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return spawn('/bin/sh', ['-c', GUARD, 'sh', options.program, '-D', options.data, ...assignments], {
    ...options.owner,
    cwd: '/',
    detached: true,
    env: { ...process.env, TILTH_POSTGRES_FOLDER: options.directory },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
}

const ENDED = 'The server has ended';

/**
 * Runs the server until our end of its input is closed, by `stop` or because this process died; then stops whichever
 * server runs in the folder, which may have been restarted meanwhile, and removes the folder. The input is copied
 * because a background job's own input is /dev/null. The server writes its log to a file: it would wait for the reader of
 * a pipe, and with it whoever drops a database.
 */
const GUARD = `exec 3<&0
(
  "$@" 2>>"$TILTH_POSTGRES_FOLDER/log"
  echo "${ENDED}" >>"$TILTH_POSTGRES_FOLDER/log"
) 2>/dev/null &
cat <&3 >/dev/null
pid=$(head -n 1 "$TILTH_POSTGRES_FOLDER/data/postmaster.pid")
[ -n "$pid" ] && kill -QUIT "$pid"
tries=0
while [ -n "$pid" ] && grep -q "^State:[[:space:]]*[^Z]" "/proc/$pid/status" && [ "$tries" -lt 1000 ]; do
  sleep 0.02
  tries=$((tries + 1))
done
rm -rf "$TILTH_POSTGRES_FOLDER"`;

async function controlServer(program: string, args: readonly string[], owner: Owner): Promise<void> {
  // Not `inherit`: the server would keep our own output open.
  const child = spawn(program, args, { ...owner, cwd: '/', stdio: 'ignore' });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`pg_ctl ${args[0]} ended with ${code}`);
}

function pidsOf(data: string): number[] {
  const server = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const children = readFileSync(`/proc/${server}/task/${server}/children`, 'utf8').trim();
  return [
    server,
    ...children
      .split(' ')
      .filter((pid) => pid !== '')
      .map(Number),
  ];
}

/** Resolves when the server reports that it accepts connections; afterwards it doesn't keep this process alive. */
async function untilReady(server: Server, logFile: string): Promise<void> {
  let failed: Error | undefined;
  server.once('error', (error) => (failed = error));
  for (;;) {
    const log = existsSync(logFile) ? readFileSync(logFile, 'utf8') : '';
    if (log.includes('database system is ready to accept connections')) break;
    if (failed !== undefined || log.includes(ENDED))
      throw new Error(`PostgreSQL did not start: ${log}`, { cause: failed });
    await setTimeout(20);
  }
  server.unref();
  if (server.stdin instanceof Socket) server.stdin.unref();
}

function unprivilegedUser(): { uid: number; gid: number } {
  const lines = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const user = lines.find(([name]) => name === 'postgres') ?? lines.find(([name]) => name === 'nobody');
  if (user === undefined) throw new Error('PostgreSQL refuses to run as root, and there is no user postgres or nobody');
  return { uid: Number(user[2]), gid: Number(user[3]) };
}

function outputOf({ stdout, stderr, error }: SpawnSyncReturns<Buffer>): string {
  return error?.message ?? `${stdout.toString()}${stderr.toString()}`;
}
