import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { test, type TestContext } from 'node:test';
import { runCommandHere } from '../../tests/support/commands-here.ts';
import { postgres, startPostgres } from '../../tests/support/postgres.ts';
import { runCommand, startProcess } from '../../tests/support/server.ts';
import { testWith } from '../../tests/support/tools.ts';

async function newFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tilth-serve-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function runToEnd(args: readonly string[], env: Readonly<Record<string, string>>) {
  const { exited, output } = runCommand(args, env);
  return { code: await exited, ...output };
}

async function listening(command: ReturnType<typeof runCommand>): Promise<string> {
  while (!command.output.stdout.includes('listens on')) {
    await Promise.race([once(command.child.stdout ?? assert.fail(), 'data'), command.exited]);
    if (command.child.exitCode !== null) assert.fail(command.output.stderr);
  }
  return /listens on (\S+)/.exec(command.output.stdout)?.[1] ?? assert.fail();
}

test('the first start makes a private folder and prints a password that works, once', async (t) => {
  const dataDir = join(await newFolder(t), 'deep', 'data');
  const env = { TILTH_DATA_DIR: dataDir, TILTH_PORT: '0' };
  const first = runCommand(['serve'], env);
  t.after(() => void first.child.kill('SIGKILL'));
  const url = await listening(first);
  const password = /shown only once:\n\n {4}(\S+)\n/.exec(first.output.stdout)?.[1] ?? assert.fail(first.output.stdout);
  const login = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password }),
  });
  assert.equal(login.status, 200);
  assert.equal((await stat(dataDir)).mode & 0o777, 0o700);
  assert.equal((await stat(join(dataDir, 'jwt.key'))).mode & 0o777, 0o600);
  first.child.kill('SIGTERM');
  assert.equal(await first.exited, 0);
  assert.doesNotMatch(first.output.stderr, new RegExp(password), 'not in the log');

  const second = runCommand(['serve'], env);
  t.after(() => void second.child.kill('SIGKILL'));
  await listening(second);
  assert.doesNotMatch(second.output.stdout, /password/);
  second.child.kill('SIGINT');
  assert.equal(await second.exited, 0);
});

test('SIGTERM ends a service with open connections and requests within 10 s, with 0', async (t) => {
  const running = await startProcess(t);
  const answers = Array.from({ length: 20 }, () => running.api('GET', '/auth/me'));
  await Promise.all(answers);
  assert.deepEqual(await running.kill('SIGTERM'), { code: 0, signal: null });
  assert.match(running.output().stderr, /"msg":"stopped"/);
  const files = await readdir(running.dataDir);
  assert.ok(files.includes('tilth.db') && !files.includes('tilth.db-wal'), 'the database was closed');
});

test('one service per data folder; a killed one frees it', async (t) => {
  const running = await startProcess(t);
  const second = runCommand(['serve'], { TILTH_DATA_DIR: running.dataDir, TILTH_PORT: '0' });
  assert.equal(await second.exited, 1);
  assert.equal(
    second.output.stderr,
    `tilth: The data folder ${running.dataDir} is in use by another running service\n`,
  );
  await running.restart();
  assert.equal((await running.api('GET', '/auth/me')).status, 200);
});

test('what a person can solve is one clear line', async (t) => {
  const folder = await newFolder(t);
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  t.after(() => void taken.close());
  const { port } = taken.address() as AddressInfo;
  const file = join(folder, 'file');
  await writeFile(file, '');
  const cases: readonly (readonly [env: Record<string, string>, code: number, message: RegExp])[] = [
    [{ TILTH_PORT: String(port) }, 1, new RegExp(`port ${port} of 127\\.0\\.0\\.1 is in use; set TILTH_PORT`)],
    [{ TILTH_HOST: '192.0.2.1' }, 1, /192\.0\.2\.1 is not an address of this machine/],
    [{ TILTH_DATA_DIR: join(file, 'data') }, 1, /the data folder .* cannot be written to/],
    [
      { TILTH_DATABASE_URL: 'postgres://me:hush@127.0.0.1:1/x', TILTH_DATABASE_WAIT_SECONDS: '0' },
      1,
      /TILTH_DATABASE_URL cannot be reached \(ECONNREFUSED\)/,
    ],
    [{ TILTH_PORT: 'x' }, 2, /TILTH_PORT must be an integer/],
    [{ TILTH_PROT: '1' }, 2, /did you mean TILTH_PORT/],
    [{ TILTH_JWT_SECRET: 'hush' }, 2, /TILTH_JWT_SECRET must have at least 32 bytes/],
  ];
  for (const [index, [env, code, message]] of cases.entries()) {
    const settings = { TILTH_DATA_DIR: join(folder, String(index)), TILTH_PORT: '0', ...env };
    // Settings are checked before the service is loaded, so exit code 2 needs no separate process.
    const { code: ended, stdout, stderr } = await (code === 2 ? runCommandHere : runToEnd)(['serve'], settings);
    assert.equal(ended, code, stderr);
    const lines = stderr.split('\n').filter((line) => !line.startsWith('{') && line !== '');
    assert.equal(lines.length, 1, stderr);
    assert.match(lines[0] ?? '', message);
    assert.doesNotMatch(stderr + stdout, /hush/);
  }
});

testWith([postgres], 'a start waits for a PostgreSQL that is not there yet, or goes away meanwhile', async (t) => {
  const cluster = await startPostgres({ isCrashSafe: true });
  t.after(() => cluster.stop());
  await cluster.halt('fast');
  const env = { TILTH_DATA_DIR: await newFolder(t), TILTH_PORT: '0', TILTH_DATABASE_URL: cluster.url };
  const command = runCommand(['serve'], env);
  t.after(() => void command.child.kill('SIGKILL'));
  await until(() => command.output.stderr.includes('cannot be reached yet; waiting for it'));
  await cluster.start();
  // During the migrations or shortly after.
  await cluster.restart('immediate');
  const url = await listening(command);
  assert.match(command.output.stdout, /shown only once:\n\n {4}\S+\n/);
  assert.equal((await fetch(`${url}/readyz`)).status, 200);

  const refused = runCommand(['serve'], {
    ...env,
    TILTH_DATA_DIR: await newFolder(t),
    TILTH_DATABASE_URL: cluster.url.replace(/:[^:@]+@/, ':wrong@'),
  });
  assert.equal(await refused.exited, 1);
  assert.match(
    refused.output.stderr,
    /^tilth: the database of TILTH_DATABASE_URL refuses the connection \(28P01\): its user or password is wrong$/m,
  );
});

async function until(isSo: () => boolean): Promise<void> {
  for (const deadline = performance.now() + 60_000; !isSo(); await pause(20)) assert.ok(performance.now() < deadline);
}

test('help, version and wrong commands', async (t) => {
  const env = { TILTH_DATA_DIR: await newFolder(t) };
  const run = (...args: string[]) => runToEnd(args, env);
  const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
  assert.deepEqual(await run('--version'), { code: 0, stdout: `${version}\n`, stderr: '' });
  assert.match((await run('--help')).stdout, /serve[^]*user[^]*verify/);
  assert.match(
    (await run('serve', 'verify', '--help')).stdout,
    /^Usage:.* verify/,
    'as `npm start -- verify --help` does',
  );
  const here = (...args: string[]) => runCommandHere(args, env);
  assert.match((await here('--help', 'settings')).stdout, /TILTH_PORT \(integer, 0 to 65535; default 7700\)/);
  assert.deepEqual(await run('nonsense'), await here('nonsense'), 'as a process');
  for (const args of [
    [],
    ['nonsense'],
    ['serve', 'x'],
    ['user', 'nonsense'],
    ['user', 'add', 'x'],
    ['user', 'role', 'x', 'KING'],
  ]) {
    const { code, stderr, stdout } = await here(...args);
    assert.deepEqual([code, stdout], [2, ''], args.join(' '));
    assert.match(stderr, /^tilth: /);
    assert.doesNotMatch(stderr, /\.ts:\d/);
  }
});

test(
  'a folder that can not be written to',
  { skip: process.getuid?.() === 0 && 'root may write everywhere' },
  async (t) => {
    const folder = await newFolder(t);
    await chmod(folder, 0o500);
    const command = runCommand(['serve'], { TILTH_DATA_DIR: join(folder, 'data') });
    assert.equal(await command.exited, 1);
    assert.match(command.output.stderr, /cannot be written to/);
  },
);
