import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DemoError } from './client.ts';

export type OwnServer = { url: string; username: string; password: string; stop(): Promise<void> };

/** Starts a service on a free port over a temporary data folder, which is removed when it stops. */
export async function startOwnServer(): Promise<OwnServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tilth-demo-data-'));
  const password = randomBytes(18).toString('base64url');
  const env = {
    PATH: process.env['PATH'],
    TILTH_HOST: '127.0.0.1',
    TILTH_PORT: '0',
    TILTH_DATA_DIR: dataDir,
    TILTH_ADMIN_PASSWORD: password,
    TILTH_LOG_LEVEL: 'error',
  };
  const main = fileURLToPath(new URL('../../server/main.ts', import.meta.url));
  const child = spawn(process.execPath, [main, 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(child, 'exit');
  let output = '';
  const listening = new Promise<string>((resolve) => {
    const read = (chunk: Buffer): void => {
      output += chunk.toString();
      const found = /listens on (http:\/\/\S+)/.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    await exited;
    await rm(dataDir, { recursive: true, force: true });
  };
  const url = await Promise.race([listening, exited.then(() => undefined)]);
  if (url === undefined) {
    await stop();
    throw new DemoError(`The service didn't start:\n${output.trim()}`);
  }
  return { url, username: 'admin', password, stop };
}
