import type { Timers } from '../../kernel/timers.ts';
import type { Models } from '../../models/index.ts';
import type { RunContext, Runs } from '../../runs/index.ts';
import type { LaneName } from '../../sandbox/index.ts';
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { Database } from '../../storage/database/database.ts';
import type { ColumnFiles } from './shards/column-files.ts';
import type { LedgerReader } from './ledger/ledger-reader.ts';
import type { SharedIndex } from '../orders/shared-index.ts';
import type { RecipeRun } from './recipe-run.ts';
import type { ShardSizes } from './shards/plan.ts';
import type { ShardPlaces } from './shards/shard-places.ts';
import type { ComparisonSizes } from './sets/comparison-sizes.ts';
import type { WorkerPool } from './shards/worker-pool.ts';

/**
 * Models, and separate workers for the steps that call them: these mostly wait, and other runs must not wait with them.
 * Their shards are small, so that a run shows its progress.
 */
export type ModelWork = {
  models: Pick<Models, 'chat' | 'registry' | 'usageOfRuns'>;
  pool: WorkerPool;
  places: ShardPlaces;
  plan: ShardSizes;
};

/** Dependencies of the driver of cleaning runs. */
export type RunDriverDeps = {
  db: Database;
  blobs: BlobStore;
  runs: Pick<Runs, 'listDatasets' | 'findRun'>;
  pool: WorkerPool;
  /** For runs with steps that call models; undefined: there are no models. */
  modelWork: ModelWork | undefined;
  /** Where published operators run. */
  lane: LaneName | undefined;
  places: ShardPlaces;
  /** Reads and writes Parquet files. */
  columns: ColumnFiles;
  /** Finds the failed samples of an earlier run. */
  ledgers: Pick<LedgerReader, 'failed'>;
  plan: ShardSizes;
  comparison: ComparisonSizes;
  /** For files that will become blobs; its contents don't outlive the process. */
  scratchDirectory: string;
  timers?: Timers | undefined;
};

/** One run with its context and the dependencies of its driver. */
export type Drive = RunDriverDeps & {
  run: RecipeRun;
  context: RunContext;
  /** By step over single samples: the index of the datasets that it compares with. */
  indexes: ReadonlyMap<number, SharedIndex>;
};
