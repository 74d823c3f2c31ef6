// `npm run dev`: runs the service, restarted when its code changes, and the web application with hot reload.
import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const webPort = process.env.PORT ?? '7701';
const checkout = fileURLToPath(new URL('..', import.meta.url));

const children: ChildProcess[] = [
  start(['--watch', '--watch-preserve-output', 'server/main.ts', 'serve']),
  start(['node_modules/vite/bin/vite.js', 'web', '--clearScreen', 'false'], {
    PORT: webPort,
    TILTH_URL: serviceUrl(),
  }),
];

console.log(`Web application with reloading: http://127.0.0.1:${webPort} (the service itself: ${serviceUrl()})`);

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    for (const child of children) child.kill(signal);
  });

// Neither is useful alone: when one ends, the other is stopped.
process.exitCode = await Promise.race(children.map(exitCode));
for (const child of children) child.kill();

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
