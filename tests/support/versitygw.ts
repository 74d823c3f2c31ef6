import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { Socket } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freePort } from './free-port.ts';
import { memoryFolder } from './memory-folder.ts';
import type { Ending } from './server.ts';
import { findOnPath, type Tool } from './tools.ts';

/** An S3 server over a folder; Go installs it into ~/go/bin. */
export const versitygw: Tool = {
  name: 'versitygw',
  path: findOnPath('versitygw') ?? findOnPath('versitygw', [join(homedir(), 'go', 'bin')]),
  howToGet: 'go install github.com/versity/versitygw/cmd/versitygw@v1.8.0',
};

export type S3Server = {
  endpoint: string;
  bucket: string;
  folder: string;
  accessKeyId: string;
  secretAccessKey: string;
};

let shared: Promise<S3Server> | undefined;

/** One S3 server for all tests of a process, which ends with it; each test has its own folder in the bucket. */
export function sharedS3(): Promise<S3Server> {
  shared ??= (async () => {
    const server = await launch('tilth-test', memoryFolder());
    // An idle server does not keep the process alive.
    server.child.unref();
    if (server.child.stdin instanceof Socket) server.child.stdin.unref();
    return server;
  })();
  return shared;
}

/** Environment variables with which the SDK uses the server. */
export function credentialsOf({ accessKeyId, secretAccessKey }: S3Server): Record<string, string> {
  return { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
}

/** Starts an S3 server with a bucket; objects are the files below `folder`. */
export async function startS3(t: Ending, bucket: string): Promise<S3Server> {
  const server = await launch(bucket, tmpdir());
  const { child } = server;
  t.after(async () => {
    if (child.exitCode !== null) return;
    const exited = once(child, 'exit');
    child.stdin?.end();
    await exited;
  });
  return server;
}

type Launched = S3Server & { child: ChildProcess };

async function launch(bucket: string, parent: string): Promise<Launched> {
  const directory = await mkdtemp(join(parent, 'tilth-s3-'));
  const [data, sidecar] = [join(directory, 'data'), join(directory, 'sidecar')];
  await Promise.all([mkdir(join(data, bucket), { recursive: true }), mkdir(sidecar)]);
  const port = await freePort();
  const [accessKeyId, secretAccessKey] = ['tilth-test', 'tilth-test-secret'];
  const serve = ['--port', `127.0.0.1:${port}`, '--health', '/health', 'posix', '--sidecar', sidecar, data];
  const keys = { ROOT_ACCESS_KEY: accessKeyId, ROOT_SECRET_KEY: secretAccessKey };
  const child = spawn('/bin/sh', ['-c', GUARD, 'sh', versitygw.path ?? '', ...serve], {
    detached: true,
    env: { ...process.env, ...keys, TILTH_S3_FOLDER: directory },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const endpoint = `http://127.0.0.1:${port}`;
  for (let attempt = 0; ; attempt += 1) {
    const answer = await fetch(`${endpoint}/health`).catch(() => undefined);
    if (answer?.ok === true) break;
    if (attempt > 200) throw new Error('versitygw did not start');
    await setTimeout(50);
  }
  return { endpoint, bucket, folder: join(data, bucket), accessKeyId, secretAccessKey, child };
}

/**
 * Runs the server until our end of its input is closed, also because this process died; then ends it and removes its
 * folder. A group of its own keeps Ctrl-C from ending the guard first.
 */
const GUARD = `exec 3<&0
"$@" 3<&- </dev/null &
server=$!
cat <&3 >/dev/null
kill -KILL "$server"
wait "$server"
rm -rf "$TILTH_S3_FOLDER"`;
