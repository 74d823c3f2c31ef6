import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { createDataCleaning, type DataCleaning } from '../../server/areas/data-cleaning/index.ts';
import { createDatasetContents, type DatasetContents } from '../../server/areas/data-management/index.ts';
import { createCatalogue } from '../../server/areas/operator-market/index.ts';
import { createEngine, type Engine } from '../../server/engine/index.ts';
import { systemClock } from '../../server/kernel/clock.ts';
import { fileNameOf } from '../../server/kernel/file-path.ts';
import { operators } from '../../server/operators/index.ts';
import { createRuns, type Run, type Runs } from '../../server/runs/index.ts';
import { openBlobStore } from '../../server/storage/blobs/index.ts';
import type { Database } from '../../server/storage/database/database.ts';
import { createTaskFloor } from '../../server/tasks/index.ts';
import { builtInOperators, sharedThreads } from './engine-workers.ts';
import { openModels } from './models.ts';

/** The area of cleaning over a real engine, database and store, with helpers for tests. */
export type CleaningBench = DataCleaning & {
  runs: TaskRuns;
  db: Database;
  engine: Engine;
  /** The runs of all areas. */
  allRuns: Runs;
  data: DatasetContents;
  /** Creates a dataset with files. */
  dataset(name: string, files: Readonly<Record<string, string>>): Promise<string>;
  put(datasetId: string, files: Readonly<Record<string, string>>): Promise<void>;
  /** Path → content of a dataset's current version. */
  contents(datasetId: string | null): Promise<Record<string, string>>;
  ended(run: Run): Promise<Run>;
};

/** The runs of a task, as the tests call them. */
type TaskRuns = Pick<DataCleaning['tasks'], 'execute' | 'stop'> & {
  get: DataCleaning['tasks']['getRun'];
  list: DataCleaning['tasks']['listRuns'];
  logs: DataCleaning['tasks']['listLogs'];
};

const logger = { error: () => {}, warn: () => {}, info: () => {} };
/** Who calls. */
export const by = 'erin';
export const steps = [
  { operatorId: 'whitespace-normalizer' },
  { operatorId: 'text-length-filter', params: { min: 2 } },
];

/** Opens the area over a database, with files in a folder of its own, which is removed after the test. */
export async function open(t: TestContext, db: Database): Promise<CleaningBench> {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-cleaning-'));
  const blobs = await openBlobStore({ directory, db });
  const scratchDirectory = join(directory, 'scratch');
  const runs = createRuns({ db, clock: systemClock, logger });
  const engine = createEngine({
    db,
    blobs,
    runs,
    workers: 1,
    // Of the area's work, nothing depends on where it is done.
    sharedWorkers: sharedThreads(builtInOperators),
    shardBytes: 2000,
    scratchDirectory,
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
  const floor = createTaskFloor({ db, clock: systemClock, logger, runs });
  const { models } = await openModels(t, db);
  const cleaning = createDataCleaning({
    db,
    clock: systemClock,
    engine,
    models,
    runs,
    tasks: floor,
    datasets: data.access,
    catalogue: createCatalogue({ db, operators }),
  });
  const { execute, stop, getRun: get, listRuns: list, listLogs: logs } = cleaning.tasks;
  t.after(async () => {
    await runs.stop();
    await engine.stop();
    await blobs.close();
    await rm(directory, { recursive: true });
  });

  async function put(datasetId: string, files: Readonly<Record<string, string>>): Promise<void> {
    const staged = await Promise.all(
      Object.entries(files).map(async ([path, content]) => {
        const writer = blobs.create();
        await writer.write(Buffer.from(content));
        return { path, blob: await writer.finish() };
      }),
    );
    await blobs.flush();
    await db.write(async (tx) => {
      await blobs.adopt(
        tx,
        staged.map(({ blob }) => blob),
      );
      await data.commits.add(tx, {
        datasetId,
        by,
        onConflict: 'REPLACE',
        files: staged.map(({ path, blob }) => ({
          path,
          originalName: fileNameOf(path),
          sizeBytes: blob.sizeBytes,
          status: 'COMPLETED',
          blobId: blob.id,
        })),
      });
    });
    await blobs.settle(staged.map(({ blob }) => blob));
  }

  return {
    ...cleaning,
    runs: { execute, stop, get, list, logs },
    db,
    engine,
    allRuns: runs,
    data,
    put,
    async dataset(name, files) {
      const { id } = await data.datasets.create({ name, type: 'TEXT' }, by);
      if (Object.keys(files).length > 0) await put(id, files);
      return id;
    },
    async contents(datasetId) {
      const contents: Record<string, string> = {};
      const { version } = await data.datasets.get(datasetId ?? '');
      for await (const files of data.files.walk({ datasetId: datasetId ?? '', version })) {
        for (const { path, blob_id } of files) {
          contents[path] = '';
          for await (const { bytes } of blobs.readAll([blob_id ?? ''])) contents[path] += Buffer.from(bytes).toString();
        }
      }
      return contents;
    },
    ended(run) {
      return new Promise((resolve, reject) => {
        const look = (): void => {
          get(run.taskId, run.id).then((seen) => {
            if (seen.status === 'QUEUED' || seen.status === 'RUNNING') return;
            forget();
            resolve(seen);
          }, reject);
        };
        const forget = runs.onChange(run.id, look);
        look();
      });
    },
  };
}
