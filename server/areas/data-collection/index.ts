import type { Area } from '../../area.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Outgoing } from '../../outgoing/index.ts';
import type { Runs } from '../../runs/index.ts';
import type { Secrets } from '../../secrets/index.ts';
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { Database } from '../../storage/database/database.ts';
import type { TaskFloor, Tasks } from '../../tasks/index.ts';
import type { DatasetAccess } from '../data-management/index.ts';
import { createCollectionKind } from './collection-run.ts';
import type { CollectionDefinition } from './definition.ts';
import type { CollectionServices } from './drive.ts';
import { createItems, type Items } from './items.ts';
import { dataCollectionRoutes } from './routes.ts';
import type { CollectionFields, NewCollectionTask } from './schemas/tasks.ts';
import { createSources, type Sources } from './sources.ts';
import { createCollectionTasks } from './tasks.ts';

export { collectionSentences } from './sentences.ts';

export type DataCollection = Area & {
  tasks: Tasks<NewCollectionTask, CollectionDefinition, CollectionFields>;
  sources: Sources;
  items: Items;
};

/** The area of collection tasks. */
export function createDataCollection({
  db,
  clock,
  blobs,
  secrets,
  outgoing,
  roots,
  scratchDirectory,
  runs,
  tasks: floor,
  datasets,
  limits = {},
}: {
  db: Database;
  clock: Clock;
  blobs: BlobStore;
  secrets: Secrets;
  outgoing: Outgoing;
  /** Folders that an administrator allows to read. */
  roots: readonly string[];
  /** For temporary files: not needed after a restart. */
  scratchDirectory: string;
  runs: Runs;
  tasks: TaskFloor;
  datasets: DatasetAccess;
  limits?: Pick<CollectionServices, 'pause' | 'partBytes'>;
}): DataCollection {
  const tasks = floor.define(createCollectionTasks({ db, datasets, secrets, roots }));
  runs.register(
    createCollectionKind({
      db,
      clock,
      blobs,
      secrets,
      outgoing,
      roots,
      scratchDirectory,
      datasets,
      tasks,
      ...limits,
    }),
  );
  const sources = createSources({ db, secrets, outgoing, roots, scratchDirectory, tasks });
  const items = createItems({ db, tasks });
  return {
    prefix: '/data-collection',
    envelope: true,
    routes: dataCollectionRoutes({ tasks, sources, items }),
    tasks,
    sources,
    items,
    contentHolders: [],
    lineageSources: [],
    runNames: {},
    start() {},
    stop() {},
  };
}
