import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after } from 'node:test';
import { createDataCollection, type DataCollection } from '../../server/areas/data-collection/index.ts';
import type { CollectionItem } from '../../server/areas/data-collection/schemas/items.ts';
import { createDatasetContents, type DatasetContents } from '../../server/areas/data-management/index.ts';
import { createEngine } from '../../server/engine/index.ts';
import { systemClock } from '../../server/kernel/clock.ts';
import { parseDestination } from '../../server/kernel/destination.ts';
import { createOutgoing } from '../../server/outgoing/index.ts';
import { createRuns, isUnfinished, type Run, type Runs } from '../../server/runs/index.ts';
import { createSecrets, createSettingKeyRing } from '../../server/secrets/index.ts';
import { openBlobStore } from '../../server/storage/blobs/index.ts';
import type { BlobStore } from '../../server/storage/blobs/blob-store.ts';
import type { BlobStoreOptions } from '../../server/storage/blobs/index.ts';
import { openDatabase, type Database } from '../../server/storage/database/database.ts';
import { builtInOperators, sharedThreads } from './engine-workers.ts';
import { openNewSqlite } from './databases.ts';
import { createTaskFloor } from '../../server/tasks/index.ts';
import type { Ending } from './server.ts';

/** Task fields of a test; missing ones have the API's defaults. */
export type TestTask = Partial<Parameters<DataCollection['tasks']['create']>[0]>;

/** The collection area over a real database and store, with helpers for tests. */
export type CollectionBench = Omit<DataCollection, 'items'> & {
  db: Database;
  blobs: BlobStore;
  runs: Runs;
  data: DatasetContents;
  /** Creates a task; returns its id. */
  task(type: string, config: object, task?: TestTask): Promise<string>;
  /** Executes a task and waits for the end of the run. */
  run(taskId: string, execution?: { resume?: boolean; fromStart?: boolean }): Promise<Run>;
  ended(run: Run): Promise<Run>;
  /** The items of the run as `verdict name: reason`. */
  verdicts(run: Run): Promise<string[]>;
  items(run: Run): Promise<CollectionItem[]>;
  logs(run: Run): Promise<string[]>;
  /** Path → content of the dataset's current version. */
  contents(taskId: string): Promise<Record<string, string>>;
  /** The bytes of a file of the dataset's current version. */
  bytes(taskId: string, path: string): Promise<Buffer>;
  /** Number of the dataset's current version; 0 without a dataset. */
  version(taskId: string): Promise<number>;
};

export type BenchOptions = {
  /** Default: SQLite in the folder. */
  db?: Database;
  roots?: readonly string[];
  partBytes?: number;
  /** Replaces the waiting between attempts; by default there is hardly any. */
  pause?: (ms: number, signal: AbortSignal) => Promise<void>;
  blobs?: Partial<BlobStoreOptions>;
  /** Where the store is; a second bench over the same folder continues the first one's runs. */
  directory?: string;
};

const logger = { error: () => {}, warn: () => {}, info: () => {} };
const by = 'erin';

export type OpenBench = CollectionBench & { directory: string; stop(): Promise<void> };

/**
 * One bench for all tests of a file, to be called at its top level: the first test that needs it opens it. Each test has its own tasks, and
 * counts only their results.
 */
export function sharedCollection(options: BenchOptions = {}): () => Promise<OpenBench> {
  const ends: (() => unknown)[] = [];
  let opened: Promise<OpenBench> | undefined;
  after(async () => {
    for (const end of ends.toReversed()) await end();
  });
  return () => (opened ??= openCollection({ after: (end) => void ends.push(end) }, options));
}

export async function openCollection(t: Ending, options: BenchOptions = {}): Promise<OpenBench> {
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), 'tilth-collection-')));
  const file = join(directory, 'tilth.db');
  const db = options.db ?? (await (existsSync(file) ? openDatabase({ file }) : openNewSqlite(file)));
  const blobs = await openBlobStore({ directory, db, ...options.blobs });
  const runs = createRuns({ db, clock: systemClock, logger, place: basename(directory) });
  const engine = createEngine({
    db,
    blobs,
    runs,
    // Of the area's work, nothing depends on where it is done.
    sharedWorkers: sharedThreads(builtInOperators),
    scratchDirectory: join(directory, 'scratch'),
  });
  const data = createDatasetContents({
    db,
    blobs,
    clock: systemClock,
    engine,
    runs,
    viewIndexes: { directory: join(directory, 'views'), maxBytes: 1 << 30 },
    logger,
  });
  const secrets = createSecrets({ db, keys: createSettingKeyRing('ab12'.repeat(16)), clock: systemClock, logger });
  await secrets.start();
  const outgoing = createOutgoing({ allow: [parseDestination('127.0.0.1')] });
  const floor = createTaskFloor({ db, clock: systemClock, logger, runs });
  const collection = createDataCollection({
    db,
    clock: systemClock,
    blobs,
    secrets,
    outgoing,
    roots: options.roots ?? [],
    scratchDirectory: join(directory, 'scratch'),
    runs,
    tasks: floor,
    datasets: data.access,
    limits: {
      pause: options.pause ?? (() => Promise.resolve()),
      ...(options.partBytes === undefined ? {} : { partBytes: options.partBytes }),
    },
  });
  await runs.start();
  const { tasks, items } = collection;
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopping ??= end());
  /** Polls of runs, including those whose run never ends. */
  const looks = new Set<NodeJS.Timeout>();
  t.after(async () => {
    for (const timer of looks) clearInterval(timer);
    await stop();
    if (options.directory === undefined) await rm(directory, { recursive: true });
  });

  async function end(): Promise<void> {
    await runs.stop();
    await engine.stop();
    await outgoing.close();
    await blobs.close();
    if (options.db === undefined) await db.close();
  }

  async function ended(run: Run): Promise<Run> {
    await new Promise<void>((resolve) => {
      const look = async (): Promise<void> => {
        if (isUnfinished(await tasks.getRun(run.taskId, run.id))) return;
        clearInterval(timer);
        resolve();
      };
      const timer = setInterval(() => void look().catch(() => {}), 20);
      looks.add(timer);
      void stopping?.then(resolve);
    });
    return tasks.getRun(run.taskId, run.id);
  }

  async function itemsOf(run: Run): Promise<CollectionItem[]> {
    return (await items.list(run.taskId, run.id, { page: 0, size: 1000 })).content;
  }

  return {
    ...collection,
    db,
    blobs,
    runs,
    data,
    stop,
    directory,
    async task(type, config, task = {}) {
      const made = await tasks.create(
        { name: `From ${type}`, connector: { type, config: config as Record<string, unknown> }, ...task },
        by,
      );
      return made.id;
    },
    run: async (taskId, execution = {}) => ended(await tasks.execute(taskId, execution, by)),
    ended,
    items: itemsOf,
    async verdicts(run) {
      return (await itemsOf(run)).map(
        ({ verdict, name, reason }) => `${verdict} ${name}${reason === null ? '' : `: ${reason}`}`,
      );
    },
    async logs(run) {
      return (await tasks.listLogs(run.taskId, run.id, { page: 0, size: 1000 })).content.map(({ message }) => message);
    },
    async contents(taskId) {
      const contents: Record<string, string> = {};
      const { targetDatasetId: id } = await tasks.get(taskId);
      if (id === null) return contents;
      const { version } = await data.datasets.get(id);
      for await (const files of data.files.walk({ datasetId: id, version })) {
        for (const { path, blob_id } of files) {
          contents[path] = '';
          for await (const { bytes } of blobs.readAll([blob_id ?? ''])) contents[path] += Buffer.from(bytes).toString();
        }
      }
      return contents;
    },
    async bytes(taskId, wanted) {
      const { targetDatasetId: id } = await tasks.get(taskId);
      const { version } = await data.datasets.get(id ?? '');
      const pieces: Buffer[] = [];
      for await (const files of data.files.walk({ datasetId: id ?? '', version }))
        for (const { path, blob_id } of files)
          if (path === wanted)
            for await (const { bytes } of blobs.readAll([blob_id ?? ''])) pieces.push(Buffer.from(bytes));
      return Buffer.concat(pieces);
    },
    async version(taskId) {
      const { targetDatasetId: id } = await tasks.get(taskId);
      return id === null ? 0 : (await data.datasets.get(id)).version;
    },
  };
}
