// Builds that commands make if the sources have changed since the last build.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join, sep } from 'node:path';
import { text } from 'node:stream/consumers';
import { checkout } from './bootstrap.mjs';
import { acquireInstallLock } from './install-lock.mjs';
import { InstallError } from './package-install.mjs';

/** Files in a build's folder: the digest of its sources, and the sizes of its files. */
const stampName = '.built';
const sizesName = '.sizes';

/**
 * Makes a build unless it is current; throws an InstallError whose message says what failed.
 * @param {{
 *   name: string,
 *   output: string,
 *   files?: readonly string[],
 *   digest: string,
 *   command: readonly string[],
 *   env?: Record<string, string>,
 *   prepare?: () => void | Promise<void>,
 *   finish?: () => Promise<void>,
 * }} build its name for people; the folder, and its files in there unless the folder is all its own; the digest of its sources; the command
 *   that makes it, and what goes before (without the lock) and after that
 */
export async function makeCurrent({ name, output, files, digest, command, env = {}, prepare, finish }) {
  if (isCurrent(output, digest)) return;
  await prepare?.();
  const lock = await acquireInstallLock(join(checkout, 'runtime', '.install-lock'), (pid) =>
    process.stderr.write(`Process ${pid} is installing Tilth here; waiting for it …\n`),
  );
  try {
    if (isCurrent(output, digest)) return;
    const started = Date.now();
    process.stderr.write(`Building ${name} …\n`);
    const [program, ...args] = command;
    // Not synchronous: the lock is kept only while this process shows signs of life.
    const child = spawn(program, args, {
      cwd: checkout,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    });
    lock.cover(child.pid);
    const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    if (status !== 0) throw new InstallError(`${capitalized(name)} could not be built:\n${stdout}${stderr}`.trim());
    await finish?.();
    const sizes = (files ?? listFiles(output)).map((path) => [path, statSync(join(output, path)).size]);
    writeFileSync(join(output, sizesName), JSON.stringify(sizes));
    writeFileSync(join(output, stampName), digest);
    process.stderr.write(`Building ${name}: ${Math.round((Date.now() - started) / 1000)} s\n`);
  } finally {
    lock.release();
  }
}

/** Whether the build has the same sources and complete files: a power failure may leave empty ones. */
function isCurrent(output, digest) {
  try {
    if (readFileSync(join(output, stampName), 'utf8') !== digest) return false;
    const sizes = JSON.parse(readFileSync(join(output, sizesName), 'utf8'));
    return sizes.every(([path, size]) => statSync(join(output, path)).size === size);
  } catch {
    return false;
  }
}

/** The digest of files, including their paths relative to the checkout. */
export function digestOf(paths, salt = '') {
  const hash = createHash('sha256').update(salt);
  for (const path of [...paths].sort((a, b) => (a < b ? -1 : 1)))
    hash
      .update(path)
      .update('\0')
      .update(readFileSync(join(checkout, path)))
      .update('\0');
  return hash.digest('hex');
}

/**
 * Paths of all files in a folder, `/`-separated, except the two files of this module. No glob: this runs on the machine's own Node, which
 * may be 20.
 */
export function listFiles(root) {
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== stampName && entry.name !== sizesName)
    .map((entry) =>
      join(entry.parentPath ?? entry.path, entry.name)
        .slice(root.length + 1)
        .split(sep)
        .join('/'),
    );
}

const capitalized = (name) => name.replace(/^./, (letter) => letter.toUpperCase());
