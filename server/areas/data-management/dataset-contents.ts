import { createContentCounter } from '../../contents/index.ts';
import type { Engine } from '../../engine/index.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { LifetimePart } from '../../kernel/lifetime.ts';
import type { Runs } from '../../runs/index.ts';
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { Database } from '../../storage/database/database.ts';
import { createTableViews, type TableViews } from '../../tables/views/index.ts';
import { createDatasetAccess, type DatasetAccess } from './datasets/dataset-access.ts';
import { createDatasetSweep } from './datasets/dataset-sweep.ts';
import { createDatasets, type Datasets } from './datasets/datasets.ts';
import { createFileCommits, type FileCommits } from './files/file-commits.ts';
import { createFiles, type Files } from './files/files.ts';
import { createContentStatistics, type ContentStatisticsOf } from './statistics/content-statistics.ts';
import { createFileContents } from './statistics/file-contents.ts';
import { createTableFiles, type TableFiles } from './views/table-files.ts';
import type { ViewRoom } from './views/view-space.ts';
import { createViewStore, type ViewStore } from './views/view-store.ts';

/** Datasets, their files and data derived from them: all that other areas and drivers of runs need from this area. */
export type DatasetContents = LifetimePart & {
  /** What other areas may do with datasets and their files. */
  access: DatasetAccess;
  commits: FileCommits;
  datasets: Datasets;
  files: Files;
  /** References to blobs; data derived from erased content is erased soon after it. */
  holding: Pick<BlobStore, 'retain' | 'release'>;
  tables: TableFiles;
  views: TableViews;
  viewStore: ViewStore;
  contentStatistics: ContentStatisticsOf;
};

export type DatasetContentsServices = {
  db: Database;
  blobs: BlobStore;
  clock: Clock;
  /** Reads files for people the way runs read them. */
  engine: Pick<Engine, 'previewFile' | 'inspect'>;
  /** A dataset that a run reads or writes can't be deleted. */
  runs: Pick<Runs, 'isDatasetBusy'>;
  /** The indexes of tables: their folder, and how much space they may take. */
  viewIndexes: { directory: string; maxBytes: number; room?: ViewRoom };
  logger: { error(details: object, message: string): void };
};

export function createDatasetContents({
  db,
  blobs,
  clock,
  engine,
  runs,
  viewIndexes,
  logger,
}: DatasetContentsServices): DatasetContents {
  const views = createTableViews({ directory: viewIndexes.directory });
  const viewStore = createViewStore({
    ...viewIndexes,
    blobs,
    views,
    onError: (error) => logger.error({ err: error }, 'deleting indexes of tables failed; it is tried again'),
  });
  const tables = createTableFiles({ db, store: viewStore });
  const counter = createContentCounter({ directory: viewIndexes.directory });
  const contentStatistics = createContentStatistics({
    db,
    contents: createFileContents({ blobs, tables, store: viewStore, engine, counter }),
    onError: (error) => logger.error({ err: error }, 'counting the contents of a dataset failed'),
  });
  const holding: DatasetContents['holding'] = {
    retain: blobs.retain,
    async release(tx, ids) {
      await blobs.release(tx, ids);
      viewStore.sweepSoon();
      contentStatistics.sweepSoon();
    },
  };
  const sweep = createDatasetSweep({
    db,
    blobs: holding,
    onError: (error) => logger.error({ err: error }, 'erasing a deleted dataset failed; it is tried again'),
  });
  const commits = createFileCommits({ clock, blobs: holding });
  const datasets = createDatasets({ db, clock, isBusy: runs.isDatasetBusy, onRemoved: () => sweep.wake() });
  return {
    access: createDatasetAccess({ datasets, commits }),
    commits,
    datasets,
    files: createFiles({ db, commits }),
    holding,
    tables,
    views,
    viewStore,
    contentStatistics,
    start() {
      sweep.start();
      viewStore.start();
      contentStatistics.start();
    },
    async stop() {
      await sweep.stop();
      // Close both together: a count in progress may be waiting for an index.
      await Promise.all([contentStatistics.close(), viewStore.close()]);
      counter.close();
    },
  };
}
