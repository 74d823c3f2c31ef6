// Runs `npm ci` in one folder with a given Node, shows progress, and turns a failure into a one-line message.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

const NON_INTERACTIVE_PROGRESS_MS = 5000;
const AGAIN = 'then run the same command again';

const networkErrors = new Set([
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTCACHED',
  'ENOTFOUND',
  'ERR_SOCKET_TIMEOUT',
  'ETIMEDOUT',
]);

/** An installation that cannot continue; its message is the line that the user sees. */
export class InstallError extends Error {}

/**
 * Installs exactly what the lock file of `folder` lists, without running scripts of packages.
 * @param {{ folder: string, node: string, title: string, output: NodeJS.WriteStream, lock: { cover: (pid: number) => void } }} options
 * `node` runs npm itself: under another Node it would leave out native packages that that Node can't load
 */
export async function installPackages({ folder, node, title, output, lock }) {
  const flags = [
    'ci',
    '--prefix',
    folder,
    '--ignore-scripts',
    '--include=dev',
    '--include=optional',
    '--no-audit',
    '--no-fund',
  ];
  const [command, ...args] = npmCommand(node);
  const child = spawn(command, [...args, ...flags, '--loglevel=error', '--no-progress'], {
    cwd: folder,
    env: { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}` },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (child.pid !== undefined) lock.cover(child.pid);
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (complaints += text));

  let interruptedBy;
  const interrupt = (signal) => {
    interruptedBy = signal;
    child.kill(signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, interrupt);
  const progress = showProgress(output, title, folder);
  try {
    const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
    if (interruptedBy !== undefined)
      throw new InstallError('The installation was interrupted; run the same command again to continue.');
    if (code !== 0) throw new InstallError(explain(complaints, folder));
    progress.end();
  } catch (error) {
    progress.stop();
    if (error.code === 'ENOENT')
      throw new InstallError('Installing requires npm, which was not found; it comes with Node.');
    throw error;
  } finally {
    for (const signal of signals) process.off(signal, interrupt);
  }
}

/** The message for a failed download. */
export function unreachable(what) {
  return `${what} could not be fetched: check the connection to the npm registry (npm config get registry), ${AGAIN}.`;
}

/** The npm that runs this script or is on the PATH, run by the given Node. */
function npmCommand(node) {
  const script = [process.env.npm_execpath, ...npmOnPath()].find(
    (path) => path?.endsWith('npm-cli.js') && existsSync(path),
  );
  return script === undefined ? ['npm'] : [node, script];
}

function npmOnPath() {
  const candidates = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'npm'));
  return candidates.filter((path) => existsSync(path)).map((path) => realpathSync(path));
}

/** A line that counts arriving packages: in place on a terminal, every few seconds in a log. */
function showProgress(output, title, folder) {
  const expected = expectedPackages(folder);
  const started = Date.now();
  const line = () => {
    const arrived = expected.filter((path) => existsSync(join(folder, path, 'package.json'))).length;
    return `${title}: ${arrived} of ${expected.length}, ${Math.round((Date.now() - started) / 1000)} s`;
  };
  const print = (text) => output.write(output.isTTY ? `\r${text}\u001b[K` : `${text}\n`);
  if (!output.isTTY) print(`${title} …`);
  const timer = setInterval(() => print(line()), output.isTTY ? 250 : NON_INTERACTIVE_PROGRESS_MS);
  const stop = () => {
    clearInterval(timer);
    if (output.isTTY) output.write('\n');
  };
  return {
    stop,
    end: () => {
      print(line());
      stop();
    },
  };
}

/** Folders in which the lock file places packages on this platform. */
function expectedPackages(folder) {
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  const libc = process.report?.getReport().header.glibcVersionRuntime === undefined ? 'musl' : 'glibc';
  const fits = (allowed, own) => allowed === undefined || allowed.includes(own);
  return Object.entries(packages)
    .filter(
      ([path, { os, cpu, libc: libcs }]) =>
        path !== '' && fits(os, process.platform) && fits(cpu, process.arch) && fits(libcs, libc),
    )
    .map(([path]) => path);
}

function explain(complaints, folder) {
  const lines = complaints
    .split('\n')
    .map((line) => /^npm (?:error|ERR!) (.*)$/.exec(line)?.[1]?.trim() ?? '')
    .filter((line) => line !== '');
  const code = lines.map((line) => /^code (\S+)/.exec(line)?.[1]).find((found) => found !== undefined) ?? '';
  if (networkErrors.has(code)) return unreachable(`The packages (${code})`);
  if (code === 'ENOSPC') return `The disk that holds ${folder} is full (ENOSPC): free some space, ${AGAIN}.`;
  if (/^(EACCES|EPERM|EROFS)$/.test(code))
    return `Packages can't be written to ${folder} (${code}): make it writable, ${AGAIN}.`;
  const reason =
    lines
      .filter((line) => !/^(code |A complete log)/.test(line))
      .slice(0, 2)
      .join(' ') || complaints.trim();
  return `npm could not install the packages of ${folder}${code === '' ? '' : ` (${code})`}: ${reason}`;
}
