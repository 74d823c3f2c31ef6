import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freePort } from './free-port.ts';
import type { Ending } from './server.ts';
import { findOnPath, type Tool } from './tools.ts';

/** An S3 server over a folder; Go installs it into ~/go/bin. */
export const versitygw: Tool = {
  name: 'versitygw',
  path: findOnPath('versitygw') ?? findOnPath('versitygw', [join(homedir(), 'go', 'bin')]),
  howToGet: 'go install github.com/versity/versitygw/cmd/versitygw@v1.8.0',
};

export type S3Server = { endpoint: string; folder: string; accessKeyId: string; secretAccessKey: string };

/** Starts an S3 server with a bucket; objects are the files below `folder`. */
export async function startS3(t: Ending, bucket: string): Promise<S3Server> {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-s3-'));
  const [data, sidecar] = [join(directory, 'data'), join(directory, 'sidecar')];
  await Promise.all([mkdir(join(data, bucket), { recursive: true }), mkdir(sidecar)]);
  const port = await freePort();
  const [accessKeyId, secretAccessKey] = ['tilth-test', 'tilth-test-secret'];
  const child = spawn(
    versitygw.path ?? '',
    ['--port', `127.0.0.1:${port}`, '--health', '/health', 'posix', '--sidecar', sidecar, data],
    { env: { ...process.env, ROOT_ACCESS_KEY: accessKeyId, ROOT_SECRET_KEY: secretAccessKey }, stdio: 'ignore' },
  );
  t.after(async () => {
    if (child.exitCode === null) {
      const exited = once(child, 'exit');
      child.kill();
      await exited;
    }
    await rm(directory, { recursive: true });
  });
  const endpoint = `http://127.0.0.1:${port}`;
  for (let attempt = 0; ; attempt += 1) {
    const answer = await fetch(`${endpoint}/health`).catch(() => undefined);
    if (answer?.ok === true) break;
    if (attempt > 200) throw new Error('versitygw did not start');
    await setTimeout(50);
  }
  return { endpoint, folder: join(data, bucket), accessKeyId, secretAccessKey };
}
