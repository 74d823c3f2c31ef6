import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import { freePort } from './free-port.ts';
import type { Ending } from './server.ts';
import { findOnPath, type Tool } from './tools.ts';

const folders = ['/usr/sbin', '/usr/bin', '/usr/local/sbin'];

/** Debian installs it in /usr/sbin, which is not on every PATH. */
export const mariadb: Tool = {
  name: 'mariadbd',
  path: findOnPath('mariadbd') ?? findOnPath('mariadbd', folders),
  howToGet: 'apt-get install mariadb-server',
};

export type MariadbServer = {
  config: { host: string; port: number; database: string; user: string; password: string };
  /** The server's self-signed certificate, for localhost. */
  certificate: string;
  sql(...statements: string[]): Promise<void>;
  /** Begins a transaction on a separate connection; `commit` ends both. */
  begin(...statements: string[]): Promise<{ commit(): Promise<void> }>;
};

/** Runs the server until our end of its input is closed, also by the death of this process; then removes its folder. */
const guard = `exec 3<&0
"$@" 3<&- &
cat <&3 >/dev/null
kill $!
wait $!
rm -rf "$TILTH_MARIADB_FOLDER"`;

/** Starts a separate server with an empty database; it stops with the test. */
export async function startMariadb(t: Ending, paths: { openssl: string | undefined }): Promise<MariadbServer> {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-mariadb-'));
  await chmod(directory, 0o755);
  const data = join(directory, 'data');
  const asUser = process.getuid?.() === 0 ? ['--user=root'] : [];
  const install = findOnPath('mariadb-install-db') ?? findOnPath('mariadb-install-db', folders) ?? '';
  const made = spawnSync(install, [
    '--no-defaults',
    `--datadir=${data}`,
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
    ...asUser,
  ]);
  if (made.status !== 0) throw new Error(`mariadb-install-db failed: ${String(made.stdout)}${String(made.stderr)}`);
  const [certificate, key] = [join(directory, 'cert.pem'), join(directory, 'cert.key')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', certificate];
  const signed = spawnSync(paths.openssl ?? '', [...request, ...subject]);
  if (signed.status !== 0) throw new Error(`openssl failed: ${String(signed.stderr)}`);
  const port = await freePort();
  const child = spawn(
    '/bin/sh',
    [
      '-c',
      guard,
      'sh',
      mariadb.path ?? '',
      '--no-defaults',
      `--datadir=${data}`,
      `--port=${port}`,
      `--ssl-cert=${certificate}`,
      `--ssl-key=${key}`,
      '--bind-address=127.0.0.1',
      `--socket=${join(directory, 'socket')}`,
      '--innodb-flush-log-at-trx-commit=0',
      ...asUser,
    ],
    { env: { ...process.env, TILTH_MARIADB_FOLDER: directory }, detached: true, stdio: ['pipe', 'ignore', 'ignore'] },
  );
  const exited = once(child, 'exit');
  t.after(async () => {
    child.stdin.end();
    await exited;
  });
  const user = { host: '127.0.0.1', port, user: 'root' };
  const connection = await connected(user);
  await connection.query('create database source character set utf8mb4');
  await connection.query("create user 'reader'@'%' identified by 'pass word'");
  await connection.query("grant select on source.* to 'reader'@'%'");
  await connection.query('use source');
  return {
    config: { host: '127.0.0.1', port, database: 'source', user: 'reader', password: 'pass word' },
    certificate: await readFile(certificate, 'utf8'),
    async sql(...statements) {
      for (const statement of statements) await connection.query(statement);
    },
    async begin(...statements) {
      const own = await createConnection({ ...user, database: 'source' });
      await own.beginTransaction();
      for (const statement of statements) await own.query(statement);
      return {
        async commit() {
          await own.commit();
          await own.end();
        },
      };
    },
  };
}

async function connected(user: { host: string; port: number; user: string }) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await createConnection(user);
    } catch (error) {
      if (attempt > 200) throw error;
      await setTimeout(100);
    }
  }
}
