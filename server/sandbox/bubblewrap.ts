import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Whether the fast lane works on this machine, or why not. */
export type LaneCheck = { readonly lane: 'FAST' } | { readonly lane: 'SAFE'; readonly why: string };

const require = createRequire(import.meta.url);
const root = fileURLToPath(new URL('../../', import.meta.url));

/** The files that the process needs, read-only: Node.js, its loaded libraries, and its own code. */
function neededPaths(): string[] {
  const report = process.report.getReport() as unknown as { sharedObjects: string[] };
  const libraries = report.sharedObjects.filter((path) => path.startsWith('/') && !path.endsWith('.node'));
  const packages = ['isolated-vm', 'node-gyp-build'].map((name) => dirname(require.resolve(`${name}/package.json`)));
  return [realpathSync(process.execPath), ...libraries, ...packages, `${root}server/sandbox`, `${root}package.json`];
}

/**
 * The arguments of `bwrap` for a Node.js process without network, files, environment, rights or access to other
 * processes.
 */
export function bubblewrapArguments(nodeArguments: readonly string[]): string[] {
  const binds = [...new Set(neededPaths())].flatMap((path) => ['--ro-bind', path, path]);
  const alone = [
    '--unshare-all',
    '--die-with-parent',
    '--new-session',
    '--as-pid-1',
    '--cap-drop',
    'ALL',
    '--clearenv',
  ];
  return [
    ...alone,
    ...binds,
    '--remount-ro',
    '/',
    '--chdir',
    '/',
    '--',
    realpathSync(process.execPath),
    ...nodeArguments,
  ];
}

let checked: LaneCheck | undefined;

/** Whether bubblewrap and isolated-vm work here; tried once per process. `TILTH_SANDBOX=safe` selects the safe lane. */
export function checkLane(): LaneCheck {
  checked ??= check();
  return checked;
}

function check(): LaneCheck {
  if (process.platform !== 'linux') return { lane: 'SAFE', why: 'bubblewrap is for Linux alone' };
  const test =
    'const ivm = require("isolated-vm"); new ivm.Isolate({ memoryLimit: 8 }).createContextSync().evalSync("1")';
  const args = bubblewrapArguments(['--no-node-snapshot', '--eval', test]);
  // The process resolves packages from its working directory.
  args.splice(args.indexOf('--chdir') + 1, 1, `${root}server/sandbox`);
  const tried = spawnSync('bwrap', args, {
    env: { PATH: process.env['PATH'] ?? '' },
    encoding: 'utf8',
    timeout: 20_000,
  });
  if (tried.error !== undefined) return { lane: 'SAFE', why: `bubblewrap can not be started (${tried.error.message})` };
  if (tried.status !== 0) return { lane: 'SAFE', why: `bubblewrap does not work here: ${firstLine(tried.stderr)}` };
  return { lane: 'FAST' };
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? '';
}
