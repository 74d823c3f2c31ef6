import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, globSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, normalize, resolve } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { findBuild } from '../server/kernel/built-modules.ts';
import { InstallError } from './package-install.mjs';
import { buildServer } from './server-build.mjs';

test('a build is made when sources have changed, runs, and is not made again', async (t) => {
  const output = await mkdtemp(join(tmpdir(), 'tilth-build-'));
  t.after(() => rm(output, { recursive: true }));
  const stamp = join(output, '.built');
  assert.equal(await buildServer(process.execPath, { output }), output);
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const said = execFileSync(process.execPath, [join(output, 'server', 'main.js'), '--version'], { encoding: 'utf8' });
  assert.equal(said, `${version}\n`);
  const { mtimeMs } = statSync(stamp);
  await buildServer(process.execPath, { output });
  assert.equal(statSync(stamp).mtimeMs, mtimeMs);
  // As after a power failure.
  writeFileSync(join(output, 'server', 'main.js'), '');
  await buildServer(process.execPath, { output });
  assert.equal(
    execFileSync(process.execPath, [join(output, 'server', 'main.js'), '--version'], { encoding: 'utf8' }),
    said,
  );
  // A build of other sources.
  const digest = readFileSync(stamp, 'utf8');
  writeFileSync(stamp, 'old');
  await buildServer(process.execPath, { output });
  assert.equal(readFileSync(stamp, 'utf8'), digest);
});

test('a build that fails says why, and is made at the next start', async (t) => {
  const output = await mkdtemp(join(tmpdir(), 'tilth-build-'));
  t.after(() => rm(output, { recursive: true }));
  const faulty = join(output, 'faulty.ts');
  writeFileSync(faulty, `import { nothing } from './not-there.ts';\nconsole.log(nothing);\n`);
  const build = { output, more: [join('..', '..', '..', '..', '..', '..', faulty)] };
  for (let start = 0; start < 2; start += 1) {
    await assert.rejects(() => buildServer(process.execPath, build), {
      message: /^The service could not be built:[\s\S]*not-there/,
    });
  }
});

test('a folder that no build can be written into is told, and is not needed for a build that is current', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'tilth-build-'));
  t.after(() => rm(folder, { recursive: true }));
  const output = join(folder, 'dist');
  writeFileSync(output, 'in its place');
  await assert.rejects(() => buildServer(process.execPath, { output }), {
    constructor: InstallError,
    message: new RegExp(`^The service must be built into ${output}, but ${output} can't be written to \\(EEXIST\\)`),
  });
  await rm(output);
  await buildServer(process.execPath, { output });
  chmodSync(output, 0o500);
  assert.equal(await buildServer(process.execPath, { output }), output);
  // Root may write anywhere.
  if (process.getuid?.() !== 0) {
    writeFileSync(join(output, '.built'), 'old');
    await assert.rejects(() => buildServer(process.execPath, { output }), /can't be written to \(EACCES\)/);
  }
  chmodSync(output, 0o700);
});

test('the Node of the machine, which may be older, can load what starts the service', (t) => {
  const nodes = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'node'));
  const others = nodes.filter((path) => existsSync(path) && realpathSync(path) !== realpathSync(process.execPath));
  if (others.length === 0) return t.skip('there is no other Node on the PATH');
  const modules = globSync('scripts/*.mjs').filter((path) => !path.endsWith('launch.mjs'));
  for (const node of others) {
    const load = modules.map((path) => `await import(${JSON.stringify(pathToFileURL(resolve(path)).href)});`).join('');
    execFileSync(node, ['--input-type=module', '--eval', load], { stdio: 'pipe' });
  }
});

test('what threads and processes start with is in the build', () => {
  const { folder } = findBuild() ?? { folder: 'dist' };
  const sources = globSync('server/**/*.ts').filter((path) => !path.endsWith('.test.ts'));
  const wanted = sources
    .flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(/new URL\(\s*'([^']+)\.ts', import\.meta\.url\)/g)].map(
        ([, module = '']) => `${normalize(join(dirname(path), module))}.js`,
      ),
    )
    // It runs in a sandbox that contains only its own folder.
    .filter((path) => path !== 'server/sandbox/isolate-process.js');
  assert.ok(wanted.length >= 15, `${wanted.length} modules`);
  assert.deepEqual(
    wanted.filter((path) => !existsSync(join(folder, path))),
    [],
  );
  // A thread or process started from its source takes five times as long.
  const unknown = sources.filter((path) => /new Worker\(\s*new URL\(/.test(readFileSync(path, 'utf8')));
  assert.deepEqual(unknown, []);
});
