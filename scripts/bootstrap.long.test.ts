// A generated checkout with one local package: the real scripts and the real npm, without network.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';

type Package = { dependencies?: Record<string, string>; optionalDependencies?: Record<string, string> };
type Outcome = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string };

const platformPackage = `node-${process.platform}-${process.arch}`;
const runtimeNode = `runtime/node_modules/${platformPackage}/bin/node`;

function checkout(t: TestContext): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tilth-checkout-')));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const name of ['bootstrap.mjs', 'install-lock.mjs', 'launch.mjs', 'package-install.mjs']) {
    write(folder, `scripts/${name}`, readFileSync(new URL(name, import.meta.url), 'utf8'));
  }
  write(folder, 'soil/package.json', JSON.stringify({ name: 'soil', version: '1.0.0' }));
  write(folder, 'seed/package.json', JSON.stringify({ name: 'seed', version: '1.0.0' }));
  writePackage(folder, '.', { dependencies: { soil: 'file:soil' } });
  writePackage(folder, 'runtime', {});
  return folder;
}

function write(folder: string, path: string, content: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
}

/** Writes package.json and the lock file that npm would generate for it, with each package in a sibling folder. */
function writePackage(folder: string, at: string, content: Package): void {
  const name = at === '.' ? 'made-up' : `made-up-${at}`;
  const locals = Object.entries({ ...content.dependencies, ...content.optionalDependencies });
  const links = locals.flatMap(([local, spec]) => {
    const target = spec.replace('file:', '');
    return [
      [target, { name: local, version: '1.0.0' }],
      [`node_modules/${local}`, { resolved: target, link: true }],
    ];
  });
  const packages = { '': { name, ...content }, ...Object.fromEntries(links) };
  write(folder, `${at}/package.json`, JSON.stringify({ name, private: true, ...content }));
  write(folder, `${at}/package-lock.json`, JSON.stringify({ name, lockfileVersion: 3, requires: true, packages }));
}

function launch(folder: string, args: string[], options: { node?: string; env?: NodeJS.ProcessEnv } = {}) {
  const child = spawn(options.node ?? process.execPath, [join(folder, 'scripts/launch.mjs'), ...args], {
    cwd: folder,
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const outcome: Outcome = { code: null, signal: null, stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (outcome.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (outcome.stderr += text));
  const ended = once(child, 'close').then(() => ({ ...outcome, code: child.exitCode, signal: child.signalCode }));
  return { child, ended };
}

/** A Node in runtime/: the bootstrap installs it on machines whose own Node is too old. */
function nodeOfOurs(folder: string): string {
  const node = join(folder, 'runtime/node');
  try {
    linkSync(process.execPath, node);
  } catch {
    copyFileSync(process.execPath, node);
  }
  return node;
}

/** Settings of npm with an unreachable registry. */
function offline(folder: string): NodeJS.ProcessEnv {
  return {
    npm_config_registry: 'http://127.0.0.1:1/',
    npm_config_fetch_retries: '0',
    npm_config_cache: join(folder, 'cache'),
  };
}

const versionOfSoil = ['-p', "require('./node_modules/soil/package.json').version"];

test('the first start installs, shows it and runs; the second only runs', async (t) => {
  const folder = checkout(t);
  const first = await launch(folder, versionOfSoil).ended;
  assert.deepEqual([first.code, first.stdout], [0, '1.0.0\n']);
  assert.match(first.stderr, /Installing packages: 2 of 2/);
  const second = await launch(folder, versionOfSoil).ended;
  assert.deepEqual([second.code, second.stdout, second.stderr], [0, '1.0.0\n', '']);
});

test('what is started has two pools of memory of the C library unless told otherwise', async (t) => {
  const folder = checkout(t);
  write(folder, 'pools.mjs', "process.stdout.write(process.env['MALLOC_ARENA_MAX'] ?? 'none');");
  const env = { MALLOC_ARENA_MAX: undefined };
  assert.equal((await launch(folder, [join(folder, 'pools.mjs')], { env }).ended).stdout, '2');
  assert.equal(
    (await launch(folder, [join(folder, 'pools.mjs')], { env: { MALLOC_ARENA_MAX: '7' } }).ended).stdout,
    '7',
  );
});

test('another lock file, a changed tree and an install that was cut short are installed again', async (t) => {
  const folder = checkout(t);
  await launch(folder, versionOfSoil).ended;
  writePackage(folder, '.', { dependencies: { soil: 'file:soil', seed: 'file:seed' } });
  assert.match((await launch(folder, versionOfSoil).ended).stderr, /Installing packages: 4 of 4/);
  write(folder, 'node_modules/.package-lock.json', '{}');
  assert.match((await launch(folder, versionOfSoil).ended).stderr, /Installing packages: 4 of 4/);
  rmSync(join(folder, 'node_modules/soil'));
  rmSync(join(folder, 'node_modules/.tilth-installed'));
  assert.equal((await launch(folder, versionOfSoil).ended).stdout, '1.0.0\n');
  assert.equal((await launch(folder, versionOfSoil).ended).stderr, '');
});

test('of two that start at once one installs and both run', async (t) => {
  const folder = checkout(t);
  const both = await Promise.all([launch(folder, versionOfSoil).ended, launch(folder, versionOfSoil).ended]);
  assert.deepEqual(
    both.map(({ code, stdout }) => [code, stdout]),
    [
      [0, '1.0.0\n'],
      [0, '1.0.0\n'],
    ],
  );
  assert.equal(both.filter(({ stderr }) => stderr.includes('Installing packages:')).length, 1);
  assert.equal(existsSync(join(folder, 'runtime/.install-lock')), false);
});

test('an installation that is interrupted says so and the next start does it', async (t) => {
  const folder = checkout(t);
  const { child, ended } = launch(folder, versionOfSoil);
  await once(child.stderr, 'data');
  child.kill('SIGTERM');
  const outcome = await ended;
  assert.equal(outcome.code, 1);
  assert.match(outcome.stderr, /\nThe installation was interrupted; run the same command again to continue\.\n$/);
  assert.equal(existsSync(join(folder, 'runtime/.install-lock')), false);
  assert.equal((await launch(folder, versionOfSoil).ended).stdout, '1.0.0\n');
});

/** A package.json and lock file with one package from the registry. */
function writeRemotePackage(folder: string, at: string, group: 'dependencies' | 'optionalDependencies', name: string) {
  const integrity = `sha512-${Buffer.alloc(64).toString('base64')}`;
  const optional = group === 'optionalDependencies';
  const packages = {
    '': { name: 'made-up', [group]: { [name]: '1.0.0' } },
    [`node_modules/${name}`]: { version: '1.0.0', integrity, optional },
  };
  write(folder, `${at}/package.json`, JSON.stringify({ name: 'made-up', [group]: { [name]: '1.0.0' } }));
  write(
    folder,
    `${at}/package-lock.json`,
    JSON.stringify({ name: 'made-up', lockfileVersion: 3, requires: true, packages }),
  );
}

test('without a connection the error is one line that says what to do', async (t) => {
  const folder = checkout(t);
  writeRemotePackage(folder, '.', 'dependencies', 'harrow');
  const packages = await launch(folder, versionOfSoil, { env: offline(folder) }).ended;
  assert.deepEqual([packages.code, packages.stdout], [1, '']);
  assert.match(
    packages.stderr,
    // A slow machine may also print progress.
    /^Installing packages …\n(?:Installing packages: .+\n)*The packages \(ECONNREFUSED\) could not be fetched: check the connection .+\n$/,
  );
  writeRemotePackage(folder, 'runtime', 'optionalDependencies', platformPackage);
  const runtime = await launch(folder, versionOfSoil, { node: nodeOfOurs(folder), env: offline(folder) }).ended;
  assert.equal(runtime.code, 1);
  assert.match(runtime.stderr, /\nNode 1\.0\.0 could not be fetched: check the connection .+\n$/);
});

test('a lock file that does not fit is an error with the reason of npm', async (t) => {
  const folder = checkout(t);
  write(
    folder,
    'package.json',
    JSON.stringify({ name: 'made-up', dependencies: { soil: 'file:soil', seed: 'file:seed' } }),
  );
  const { code, stderr } = await launch(folder, versionOfSoil).ended;
  assert.equal(code, 1);
  assert.match(stderr, /\nnpm could not install the packages of .+ \(EUSAGE\): .*in sync.*\n$/);
});

test('the Node of runtime/ installs the packages, is linked where npm run finds it, and follows its lock file', async (t) => {
  const folder = checkout(t);
  const script = `#!/bin/sh\nSOWN_BY=runtime exec "${process.execPath}" "$@"\n`;
  write(folder, 'runtime/carrier/package.json', JSON.stringify({ name: platformPackage, version: '1.0.0' }));
  mkdirSync(join(folder, 'runtime/carrier/bin'));
  writeFileSync(join(folder, 'runtime/carrier/bin/node'), script, { mode: 0o755 });
  writePackage(folder, 'runtime', { optionalDependencies: { [platformPackage]: 'file:carrier' } });
  const node = nodeOfOurs(folder);
  const first = await launch(folder, ['-p', 'process.env.SOWN_BY'], { node }).ended;
  assert.deepEqual([first.code, first.stdout], [0, 'runtime\n']);
  assert.match(first.stderr, /Installing Node file:carrier: 2 of 2[^]*Installing packages: 2 of 2/);
  assert.equal(readlinkSync(join(folder, 'node_modules/.bin/node')), `../../${runtimeNode}`);
  const second = await launch(folder, ['-p', 'process.env.SOWN_BY'], { node }).ended;
  assert.deepEqual([second.stdout, second.stderr], ['runtime\n', '']);

  writeFileSync(join(folder, 'runtime/carrier/bin/node'), '#!/bin/sh\necho too old a system >&2\nexit 3\n');
  rmSync(join(folder, 'runtime/node_modules/.tilth-installed'));
  const broken = await launch(folder, ['-p', '1'], { node }).ended;
  assert.equal(broken.code, 1);
  assert.match(
    broken.stderr,
    /\nNode .+ doesn't run on this machine \(too old a system\): install Node 24 manually\.\n$/,
  );
});

test('a machine without a package of Node is told to bring its own', async (t) => {
  const folder = checkout(t);
  writePackage(folder, 'runtime', { optionalDependencies: {} });
  const node = nodeOfOurs(folder);
  const { code, stderr } = await launch(folder, ['-p', '1'], { node }).ended;
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^Tilth requires Node 24 or newer and can't install it for .+; install Node 24 and try again\.\n$/,
  );
});

test('the exit code and the death of the program are those of the command', async (t) => {
  const folder = checkout(t);
  assert.equal((await launch(folder, ['-e', 'process.exit(7)']).ended).code, 7);
  const killed = await launch(folder, ['-e', "process.kill(process.pid, 'SIGKILL')"]).ended;
  assert.equal(killed.signal, 'SIGKILL');
});

/** A program that prints when it is ready, and exits with 5 when signalled. */
const drainingProgram = `
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => { console.log('drained'); process.exit(5); });
  setInterval(() => {}, 1000);
  console.log('ready');`;

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} reaches the program, which ends in its own way`, async (t) => {
    const { child, ended } = launch(checkout(t), ['-e', drainingProgram]);
    while (!String((await once(child.stdout, 'data'))[0]).includes('ready'));
    child.kill(signal);
    const outcome = await ended;
    assert.deepEqual([outcome.code, outcome.stdout], [5, 'ready\ndrained\n']);
  });
}

test('every command starts here and takes the place of its shell, which would keep signals from it', async (t) => {
  const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const start = 'exec node scripts/launch.mjs ';
  assert.deepEqual(
    Object.values(scripts).filter((script) => !script.startsWith(start)),
    [],
  );
  const folder = checkout(t);
  write(folder, 'program.mjs', drainingProgram);
  const content = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as object;
  write(folder, 'package.json', JSON.stringify({ ...content, scripts: { start: `${start}program.mjs` } }));
  const child = spawn('npm', ['start'], { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  while (!output.includes('ready')) await once(child.stdout, 'data');
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'close'), [5, null]);
  assert.match(output, /ready\ndrained\n$/);
});
