// `npm run dev`: runs the service, restarted when its code changes, and the web application with hot reload; generated files follow
// their sources.
import { spawn, type ChildProcess } from 'node:child_process';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeGeneratedFiles } from './generated-files.mjs';
import { InstallError } from './package-install.mjs';

const webPort = process.env.PORT ?? '7701';
const checkout = fileURLToPath(new URL('..', import.meta.url));

let isStale = true;
let isMaking = false;
if (!(await makeStaleFiles())) process.exit(1);
watch(join(checkout, 'server/operators'), { recursive: true, persistent: false }, sourceChanged);
watch(join(checkout, 'docs'), { persistent: false }, (_, name) => name === 'api.json' && sourceChanged());

const children: ChildProcess[] = [
  start(['--watch', '--watch-preserve-output', 'server/main.ts', 'serve']),
  start(['node_modules/vite/bin/vite.js', 'web', '--clearScreen', 'false'], {
    PORT: webPort,
    TILTH_URL: serviceUrl(),
  }),
];

console.log(`Web application with live reload: http://127.0.0.1:${webPort} (service: ${serviceUrl()})`);

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    for (const child of children) child.kill(signal);
  });

// Neither is useful alone: when one exits, the other is stopped.
process.exitCode = await Promise.race(children.map(exitCode));
for (const child of children) child.kill();

function sourceChanged(): void {
  isStale = true;
  if (!isMaking) void makeStaleFiles();
}

/** Repeats until no source has changed meanwhile; returns whether the files are current. */
async function makeStaleFiles(): Promise<boolean> {
  let isCurrent = true;
  isMaking = true;
  while (isStale) {
    isStale = false;
    isCurrent = await tryToMakeFiles();
  }
  isMaking = false;
  return isCurrent;
}

/** A half-written operator is no reason to exit: its next change triggers another attempt. */
async function tryToMakeFiles(): Promise<boolean> {
  try {
    await makeGeneratedFiles(process.execPath);
    return true;
  } catch (error) {
    if (!(error instanceof InstallError)) throw error;
    console.error(error.message);
    return false;
  }
}

function start(args: string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  return spawn(process.execPath, args, { cwd: checkout, stdio: 'inherit', env: { ...process.env, ...env } });
}

function serviceUrl(): string {
  const host = process.env.TILTH_HOST ?? '127.0.0.1';
  return `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${process.env.TILTH_PORT ?? '7700'}`;
}

function exitCode(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 0));
  });
}
