import { rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { createDocuments } from '../../../documents/index.ts';
import { runSentences } from '../../../kernel/sentences/index.ts';
import type { WorkerBlobs } from '../../../storage/blobs/index.ts';
import { createColumnFiles } from '../shards/column-files.ts';
import type { SharedIndex } from '../../orders/shared-index.ts';
import { SetupError } from '../../orders/setup-error.ts';
import { createUnpacker } from '../unpacking/unpacker.ts';
import { createLocalPool } from '../local-pool.ts';
import { createPackagePlaces } from '../../orders/package-places.ts';
import { giveBack } from '../../orders/result-memory.ts';
import { createThreadPool } from '../pools/thread-pool.ts';
import { createThreadSupply } from '../pools/thread-supply.ts';
import type { PoolTasks, WorkerPool } from '../shards/worker-pool.ts';
import { createObjectLines, readObjects } from './lines.ts';
import {
  encodeResult,
  failureOf,
  orderFormat,
  stagedOf,
  type RemoteAnswer,
  type RemoteOrder,
  type RemoteSettings,
  type RemoteTask,
} from './remote-order.ts';

type Message = { id: string; order: RemoteOrder } | { cancel: string };

export type OrderServiceOptions = {
  input: Readable;
  output: Writable;
  blobs: WorkerBlobs;
  /** For files; its contents don't outlive the process. */
  scratchDirectory: string;
  /** Module whose `operators` the worker can run. */
  operatorsUrl: string;
};

type Workers = { key: string; pool: WorkerPool; close(): Promise<void> };

/** Serves the orders that arrive, one after the other, each with one answer; resolves at the end of the input. */
export async function serveOrders(options: OrderServiceOptions): Promise<void> {
  const { input, output, blobs, scratchDirectory, operatorsUrl } = options;
  const write = createObjectLines(output);
  const packages = new Map<string, Buffer>();
  const placed = createPackagePlaces({
    source: { read: async (digest) => packages.get(digest) },
    directory: join(scratchDirectory, 'packages'),
  });
  const documents = createDocuments();
  const columns = createColumnFiles({ blobs, scratchDirectory });
  const indexes = createIndexCache(blobs);
  let workers: Workers | undefined;

  function start(settings: RemoteSettings, key: string): Workers {
    const { sampleTimeoutMs, memoryMb, unpackLimits: limits, sandbox } = settings;
    const setup = sandbox === null ? undefined : { ...sandbox, packagesDirectory: placed.directory };
    const supply = createThreadSupply({ operatorsUrl, memoryMb });
    const threads = createThreadPool({
      size: 1,
      threads: supply,
      sampleTimeoutMs,
      sandbox: setup === undefined ? undefined : { setup, packages: placed },
    });
    const unpacker = createUnpacker({ blobs, pool: threads, scratchDirectory, limits });
    const pool = createLocalPool({ threads, blobs, documents, columns, unpacker, scratchDirectory });
    return {
      key,
      pool,
      async close() {
        await pool.close();
        await supply.close();
      },
    };
  }

  /** The workers of the last order, or new ones if the settings differ. */
  async function workersFor(settings: RemoteSettings): Promise<Workers> {
    const key = JSON.stringify(settings);
    if (workers?.key === key) return workers;
    await workers?.close();
    workers = start(settings, key);
    return workers;
  }

  async function perform(order: RemoteOrder, signal: AbortSignal): Promise<RemoteAnswer> {
    if (order.format !== orderFormat) throw new SetupError(runSentences.OTHER_RELEASE.reason({}));
    blobs.know(order.rows.filter(({ id }) => !order.gone.includes(id)));
    for (const { digest, id } of order.packages) {
      if (!packages.has(digest)) packages.set(digest, await readBlob(blobs, id));
    }
    const { pool } = await workersFor(order.settings);
    const known = await indexes.load(order);
    const { task, job } = order.work;
    const result = await run(pool, task, known.size === 0 ? job : { ...job, indexes: known }, signal);
    if ('lease' in result) giveBack(result.lease);
    const staged = stagedOf(result);
    const isWanted = !signal.aborted && !('until' in job) && blobs.missed().length === 0;
    if (!isWanted) {
      await blobs.settle(staged);
      signal.throwIfAborted();
      return { kind: 'survived' };
    }
    await blobs.handOver(staged);
    return { kind: 'done', result: encodeResult(result) };
  }

  async function answerTo(order: RemoteOrder, signal: AbortSignal): Promise<RemoteAnswer> {
    const answer = await perform(order, signal).catch((error: unknown) => failureOf(error, hostname()));
    // Whatever the answer is: with the bytes found at their new place, it may differ.
    const ids = blobs.missed();
    return ids.length > 0 ? { kind: 'moved', ids } : answer;
  }

  const underWay = new Map<string, AbortController>();
  let last: Promise<void> = Promise.resolve();
  try {
    for await (const object of readObjects(input)) {
      const message = object as Message;
      if ('cancel' in message) {
        underWay.get(message.cancel)?.abort(new Error('The order was cancelled'));
        continue;
      }
      const { id, order } = message;
      const abort = new AbortController();
      underWay.set(id, abort);
      last = last.then(async () => {
        const answer = await answerTo(order, abort.signal);
        underWay.delete(id);
        await write({ id, answer });
      });
      // An answer that can't be written ends the service.
      last.catch(() => input.destroy());
    }
  } finally {
    for (const abort of underWay.values()) abort.abort(new Error('The worker ends'));
    await last.catch(() => {});
    await workers?.close();
    documents.close();
    columns.close();
    await blobs.close();
    await rm(scratchDirectory, { recursive: true, force: true });
  }
}

function run(
  pool: WorkerPool,
  task: RemoteTask,
  job: PoolTasks[RemoteTask]['job'],
  signal: AbortSignal,
): Promise<PoolTasks[RemoteTask]['result']> {
  return pool.run(task, job, signal);
}

async function readBlob(blobs: WorkerBlobs, id: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const { bytes } of blobs.readAll([id])) pieces.push(Buffer.from(bytes));
  return Buffer.concat(pieces);
}

/** The indexes of the last order, in memory that the thread shares. */
function createIndexCache(blobs: WorkerBlobs): {
  load(order: RemoteOrder): Promise<Map<number, SharedIndex>>;
} {
  let held = new Map<string, SharedArrayBuffer>();

  async function read(id: string): Promise<SharedArrayBuffer> {
    const bytes = await readBlob(blobs, id);
    const shared = new SharedArrayBuffer(bytes.length);
    new Uint8Array(shared).set(bytes);
    return shared;
  }

  return {
    async load(order) {
      const next = new Map<string, SharedArrayBuffer>();
      const take = async (id: string): Promise<SharedArrayBuffer> => {
        const shared = held.get(id) ?? (await read(id));
        next.set(id, shared);
        return shared;
      };
      const found = new Map<number, SharedIndex>();
      for (const { step, slots, places, paths } of order.indexes) {
        found.set(step, { slots: await take(slots), places: await take(places), paths: await take(paths) });
      }
      held = next;
      return found;
    },
  };
}
