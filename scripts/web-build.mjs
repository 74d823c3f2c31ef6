// Builds the web application into web/dist when its sources or its packages have changed since the last build.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { checkout } from './bootstrap.mjs';
import { acquireInstallLock } from './install-lock.mjs';
import { InstallError } from './package-install.mjs';

const folder = join(checkout, 'web');
const output = join(folder, 'dist');
const stamp = join(output, '.built');
const source = /\.(?:tsx?|css|html|svg|png|json)$/;
const compressible = /\.(?:js|css|html|svg|json)$/;

/**
 * Makes web/dist current; a second call only hashes the sources. Throws an InstallError whose message says what failed.
 * @param {string} node the Node that runs the build
 */
export async function buildWeb(node) {
  const wanted = hashOfSources();
  const isCurrent = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
  if (isCurrent()) return;
  const lock = await acquireInstallLock(join(checkout, 'runtime', '.install-lock'), (pid) =>
    process.stderr.write(`Process ${pid} is installing Tilth here; waiting for it …\n`),
  );
  try {
    if (isCurrent()) return;
    const started = Date.now();
    process.stderr.write('Building the web application …\n');
    const vite = join(checkout, 'node_modules', 'vite', 'bin', 'vite.js');
    const { status, stdout, stderr } = spawnSync(node, [vite, 'build', folder, '--logLevel', 'warn'], {
      cwd: checkout,
      encoding: 'utf8',
      env: { ...process.env, NODE_ENV: 'production' },
    });
    if (status !== 0) throw new InstallError(`The web application could not be built:\n${stdout}${stderr}`.trim());
    compressFiles();
    writeFileSync(stamp, wanted);
    process.stderr.write(`Building the web application: ${Math.round((Date.now() - started) / 1000)} s\n`);
  } finally {
    lock.release();
  }
}

/** Everything that the build depends on: the sources and the versions of its packages. */
function hashOfSources() {
  const hash = createHash('sha256');
  const files = listFiles(folder)
    .filter((path) => source.test(path) && !path.startsWith('dist/') && !/\.test\.tsx?$/.test(path))
    .map((path) => `web/${path}`)
    .sort();
  for (const path of [...files, 'package-lock.json'])
    hash
      .update(path)
      .update('\0')
      .update(readFileSync(join(checkout, path)))
      .update('\0');
  return hash.digest('hex');
}

/**
 * Brotli files, compressed once here instead of per request, so at the best level: 6 % smaller than level 9 for one
 * more second.
 */
function compressFiles() {
  for (const path of listFiles(output)) {
    if (!compressible.test(path)) continue;
    const bytes = readFileSync(join(output, path));
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
    writeFileSync(join(output, `${path}.br`), brotliCompressSync(bytes, { params }));
  }
}

/** Paths of all files below a folder, `/`-separated. No glob: this runs on the machine's own Node, which may be 20. */
function listFiles(root) {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath ?? entry.path, entry.name)
        .slice(root.length + 1)
        .split(sep)
        .join('/'),
    );
}
