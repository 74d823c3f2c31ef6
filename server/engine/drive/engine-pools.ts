import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Documents } from '../../documents/index.ts';
import { builtModule } from '../../kernel/built-modules.ts';
import { sandboxLimits, type LaneName, type SandboxLimits } from '../../sandbox/index.ts';
import type { Timers } from '../../kernel/timers.ts';
import type { BlobStore, SharedBlobs } from '../../storage/blobs/blob-store.ts';
import type { UnpackLimits } from '../../tables/compression/unpack-gauge.ts';
import type { ColumnFiles } from './shards/column-files.ts';
import { createRemoteWorkerPool, type RemotePoolOptions } from './remote/remote-pool.ts';
import { createShardPlaces, type ShardPlaces } from './shards/shard-places.ts';
import { createUnpacker, type Unpacker } from './unpacking/unpacker.ts';
import { createLocalPool } from './local-pool.ts';
import { createPackagePlaces, packagePath, type PackagePlaces, type PackageSource } from '../orders/package-places.ts';
import { createThreadPool, type OrderWorkers, type ThreadPool, type ThreadPoolOptions } from './pools/thread-pool.ts';
import { createThreadSupply } from './pools/thread-supply.ts';
import { createProcessSupply } from './processes/process-supply.ts';
import type { PoolOrder, WorkerPool } from './shards/worker-pool.ts';

/** The cluster whose processes do the work of runs. */
export type Cluster = Pick<
  RemotePoolOptions,
  'lines' | 'resources' | 'countRuns' | 'onLost' | 'onStandstill' | 'standstillMs' | 'pauseMs'
>;

type PackageFile = { digest: string; path: string };

export type PoolSettings = {
  /** Workers; by default, one per core in processes, which have a lower priority than the API. Threads leave it a core. */
  workers?: number;
  /** CPU time that one operator may take for one sample. */
  sampleTimeoutMs?: number;
  /** Heap of a worker. */
  workerMemoryMb?: number;
  /** Each worker in a process of its own (default), which alone dies of what it does, or as a thread of this process. */
  workersIn?: 'processes' | 'threads';
  /** Called for each worker process that ended at work. */
  onWorkerLost?: (why: string) => void;
  /** Delays after which worker processes count as suspended or idle. */
  workerTimers?: Timers;
  /** Workers shared with other engines, instead of own ones; the lender closes them. */
  sharedWorkers?: OrderWorkers;
  /** Time limit of a preview. */
  previewTimeoutMs?: number;
  /** Limits for the content of compressed files. */
  unpackLimits?: Partial<UnpackLimits>;
  /** Module whose `operators` the workers can run. */
  operatorsUrl?: string;
  /** Where published operators come from and run; undefined: there are none. */
  sandbox?: { lane: LaneName; limits?: Partial<SandboxLimits>; source: PackageSource };
  /** Without it, threads of this process do the runs. */
  cluster?: Cluster;
};

export type Pools = {
  /** For runs. */
  pool: WorkerPool;
  places: ShardPlaces;
  /** For runs with steps that call models, which mostly wait. */
  modelPool: WorkerPool;
  modelPlaces: ShardPlaces;
  /** For previews, which people wait for: separate threads, however many runs there are. */
  previewPool: ThreadPool;
  previewUnpacker: Unpacker;
  previewTimeoutMs: number;
  packages: PackagePlaces | undefined;
  close(): Promise<void>;
};

const previewWorkers = 2;
/** Two, so that two runs can call models at the same time. */
const modelWorkers = 2;

const builtInOperators = builtModule(new URL('../../operators/index.ts', import.meta.url)).href;

/** The workers of an engine. */
export function createPools(
  options: PoolSettings,
  deps: { blobs: BlobStore; documents: Documents; columns: ColumnFiles; scratchDirectory: string },
): Pools {
  const { cluster } = options;
  const { blobs, scratchDirectory } = deps;
  // With a cluster, these threads do the work that must stay in this process.
  const workersIn = options.workersIn ?? 'processes';
  const cores = availableParallelism();
  const workers = options.workers ?? (workersIn === 'processes' ? cores : Math.max(1, cores - 1));
  const previewTimeoutMs = options.previewTimeoutMs ?? 30_000;
  const sampleTimeoutMs = options.sampleTimeoutMs ?? 30_000;
  const memoryMb = options.workerMemoryMb ?? 1024;
  const unpackLimits = { maxBytes: 100 * 2 ** 30, maxRatio: 1000, ratioFreeBytes: 100 << 20, ...options.unpackLimits };
  const packages =
    options.sandbox === undefined
      ? undefined
      : createPackagePlaces({ source: options.sandbox.source, directory: join(scratchDirectory, 'packages') });

  const { operatorsUrl = builtInOperators } = options;
  const orderWorkers = options.sharedWorkers ?? createWorkers();

  function createWorkers(): OrderWorkers {
    return workersIn === 'processes'
      ? createProcessSupply({
          operatorsUrl,
          memoryMb,
          scratchDirectory,
          onLost: options.onWorkerLost,
          timers: options.workerTimers,
        })
      : createThreadSupply({ operatorsUrl, memoryMb });
  }

  function sandboxOf(timeoutMs: number): { lane: LaneName; limits: SandboxLimits } | null {
    if (options.sandbox === undefined) return null;
    // The sandbox must stop code before the worker that waits for it is given up.
    const limits = { ...sandboxLimits, cpuMs: timeoutMs / 3, ...options.sandbox.limits };
    return { lane: options.sandbox.lane, limits };
  }

  function threadsOf(size: number, timeoutMs: number): ThreadPool {
    const setup = sandboxOf(timeoutMs);
    const sandbox: ThreadPoolOptions['sandbox'] =
      setup === null || packages === undefined
        ? undefined
        : { packages, setup: { ...setup, packagesDirectory: packages.directory } };
    return createThreadPool({ size, threads: orderWorkers, sampleTimeoutMs: timeoutMs, sandbox });
  }

  const unpackerOver = (threads: ThreadPool): Unpacker =>
    createUnpacker({ blobs, pool: threads, scratchDirectory, limits: unpackLimits });
  const poolOver = (threads: ThreadPool): WorkerPool =>
    createLocalPool({ ...deps, threads, unpacker: unpackerOver(threads) });

  const places = createShardPlaces(cluster === undefined ? workers : 0);
  const local = poolOver(threadsOf(workers, sampleTimeoutMs));
  const pool =
    cluster === undefined
      ? local
      : createRemoteWorkerPool({
          ...cluster,
          local,
          blobs,
          shared: requireShared(blobs),
          settings: { sampleTimeoutMs, memoryMb, unpackLimits, sandbox: sandboxOf(sampleTimeoutMs) },
          packagesOf: (order) => packagesOf(packages, order),
          onSlots: places.resize,
        });
  const modelPool = poolOver(threadsOf(modelWorkers, sampleTimeoutMs));
  const previewPool = threadsOf(previewWorkers, Math.min(sampleTimeoutMs, previewTimeoutMs / 3));

  return {
    pool,
    places,
    modelPool,
    modelPlaces: createShardPlaces(modelWorkers),
    previewPool,
    previewUnpacker: unpackerOver(previewPool),
    previewTimeoutMs,
    packages,
    async close() {
      await Promise.all([pool.close(), modelPool.close(), previewPool.close()]);
      if (options.sharedWorkers === undefined) await orderWorkers.close();
    },
  };
}

function requireShared({ shared }: BlobStore): SharedBlobs {
  if (shared === undefined) throw new Error('The processes of a cluster need the bytes in an object store');
  return shared;
}

/** Writes the packages of the published operators that the work needs to files on this machine. */
async function packagesOf(places: PackagePlaces | undefined, { job }: PoolOrder): Promise<PackageFile[]> {
  if (places === undefined || !('recipe' in job)) return [];
  const { steps } = job.recipe;
  await places.prepare(steps);
  const digests = new Set(steps.flatMap(({ digest }) => digest ?? []));
  return [...digests].map((digest) => ({ digest, path: packagePath(places.directory, digest) }));
}
