// `worker --stdio` as a process of its own.
import assert from 'node:assert/strict';
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { orderFormat } from '../server/engine/drive/remote/remote-order.ts';
import { findBuild } from '../server/kernel/built-modules.ts';
import { workerArgs } from './support/cluster.ts';
import { startFaultyS3 } from './support/faulty-s3.ts';
import { testWith } from './support/tools.ts';
import { credentialsOf, sharedS3, versitygw } from './support/versitygw.ts';
import { until } from './support/until.ts';

type Started = {
  child: ChildProcessByStdio<Writable, Readable, Readable>;
  directory: string;
  said: () => string;
  exited: Promise<unknown[]>;
};

async function start(t: TestContext, env: Record<string, string>, args = workerArgs): Promise<Started> {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-worker-process-'));
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env['PATH'] ?? '', TMPDIR: directory, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => (said += bytes.toString()));
  child.stdin.on('error', () => {});
  const exited = once(child, 'exit');
  t.after(async () => {
    child.kill('SIGKILL');
    await exited;
    await rm(directory, { recursive: true, force: true });
  });
  return { child, directory, said: () => said, exited };
}

async function storage(): Promise<Record<string, string>> {
  const server = await sharedS3();
  return {
    TILTH_STORAGE_URL: `s3://${server.bucket}/worker-process`,
    TILTH_STORAGE_ENDPOINT: server.endpoint,
    ...credentialsOf(server),
  };
}

/** An order to unpack a file whose object is missing from the object store. */
function order(objectId: string): object {
  return {
    format: orderFormat,
    settings: {
      sampleTimeoutMs: 30_000,
      memoryMb: 256,
      unpackLimits: { maxBytes: 1e9, maxRatio: 1000, ratioFreeBytes: 1e6 },
      sandbox: null,
    },
    work: { task: 'unpack', job: { file: { fileId: 'f', path: 'a.jsonl.gz', sizeBytes: 100, blobId: 'b' } } },
    indexes: [],
    packages: [],
    rows: [
      {
        id: 'b',
        size_bytes: 100,
        crc32: 1,
        sha256: null,
        kind: 'file',
        object_id: objectId,
        object_offset: 0,
        folder_no: null,
      },
    ],
    gone: [],
  };
}

test('a worker without an object store says what it lacks', async (t) => {
  const worker = await start(t, {});
  assert.deepEqual(await worker.exited, [2, null]);
  assert.match(worker.said(), /TILTH_STORAGE_URL/);
});

test('a worker says how it is called', async (t) => {
  const [program = ''] = workerArgs;
  const worker = await start(t, {}, [program, 'worker', '--socket']);
  assert.deepEqual(await worker.exited, [2, null]);
  assert.match(worker.said(), /worker --help/);
  // A build that does not exist, or is of other sources, is ignored.
  const source = fileURLToPath(new URL('../server/main.ts', import.meta.url));
  const build = findBuild();
  assert.ok(build !== undefined);
  for (const [folder, digest, runs] of [
    [build.folder, build.digest, 'build'],
    [build.folder, 'of other sources', 'sources'],
    ['/nowhere', build.digest, 'sources'],
  ] as const) {
    const given = await start(t, { NODE_DEBUG: 'esm' }, [source, 'worker', '--help', '--build', folder, digest]);
    assert.deepEqual(await given.exited, [0, null]);
    await until(() => given.said().includes('--stdio   Serve orders'));
    assert.equal(given.said().includes(`${build.folder}/server/main.js`), runs === 'build', `${folder} ${digest}`);
  }
  const help = await start(t, {}, [program, 'worker', '--help']);
  assert.deepEqual(await help.exited, [0, null]);
  assert.match(help.said(), /--stdio {3}Serve orders/);
});

testWith([versitygw], 'a worker answers each order once, in turn, and ends with its input', async (t) => {
  const worker = await start(t, await storage());
  for (const id of ['1', '2', '3']) worker.child.stdin.write(`${JSON.stringify({ id, order: order('nowhere') })}\n`);
  worker.child.stdin.write(`${JSON.stringify({ cancel: 'unknown' })}\n`);
  await until(() => worker.said().split('\n').length === 4);
  const answers = worker.said().trim().split('\n');
  const moved = { kind: 'moved', ids: ['b'] };
  assert.deepEqual(
    answers.map((line) => JSON.parse(line) as unknown),
    ['1', '2', '3'].map((id) => ({ id, answer: moved })),
  );
  worker.child.stdin.end();
  assert.deepEqual(await worker.exited, [0, null]);
  assert.deepEqual(await readdir(worker.directory), [], 'nothing is left of it');
});

testWith(
  [versitygw],
  'a worker whose input ends goes soon, also in front of an object store that is silent',
  async (t) => {
    const faulty = await startFaultyS3(t, (await sharedS3()).endpoint);
    const worker = await start(t, { ...(await storage()), TILTH_STORAGE_ENDPOINT: faulty.endpoint });
    faulty.decide = () => ({ kind: 'silence' });
    worker.child.stdin.write(`${JSON.stringify({ id: '1', order: order('nowhere') })}\n`);
    await until(() => faulty.calls.length > 0);
    worker.child.stdin.write(`${JSON.stringify({ cancel: '1' })}\n`);
    worker.child.stdin.end();
    const since = performance.now();
    await worker.exited;
    assert.ok(performance.now() - since < 8000);
  },
);

testWith([versitygw], 'what a killed worker leaves is deleted by the next one there', async (t) => {
  const env = await storage();
  const killed = await start(t, env);
  killed.child.stdin.write(`${JSON.stringify({ id: '1', order: order('nowhere') })}\n`);
  await until(() => killed.said() !== '');
  const left = await readdir(killed.directory);
  assert.equal(left.length, 1);
  killed.child.kill('SIGKILL');
  await killed.exited;
  const next = await start(t, { ...env, TMPDIR: killed.directory });
  next.child.stdin.write(`${JSON.stringify({ id: '1', order: order('nowhere') })}\n`);
  await until(() => next.said() !== '');
  const now = await readdir(killed.directory);
  assert.equal(now.length, 1);
  assert.notDeepEqual(now, left);
});

testWith([versitygw], 'a worker dies with whoever started it, in the middle of an order', async (t) => {
  const faulty = await startFaultyS3(t, (await sharedS3()).endpoint);
  faulty.decide = () => ({ kind: 'silence' });
  const parent = fileURLToPath(new URL('support/worker-parent.ts', import.meta.url));
  const started = await start(t, { ...(await storage()), TILTH_STORAGE_ENDPOINT: faulty.endpoint }, [
    parent,
    JSON.stringify({ id: '1', order: order('nowhere') }),
  ]);
  await until(() => faulty.calls.length > 0);
  const pid = Number(started.said());
  started.child.kill('SIGKILL');
  await started.exited;
  await until(() => !isAlive(pid));
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
