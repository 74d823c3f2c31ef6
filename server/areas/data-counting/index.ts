import type { Area } from '../../area.ts';
import type { Runs } from '../../runs/index.ts';
import type { Database } from '../../storage/database/database.ts';
import type { TaskFloor } from '../../tasks/index.ts';
import type { DatasetAccess } from '../data-management/index.ts';
import { createCountingKind } from './kind.ts';
import { dataCountingRoutes } from './routes.ts';
import { createCountingTasks } from './tasks.ts';

/** The area of tasks that count the files of a dataset. */
export function createDataCounting({
  db,
  runs,
  tasks: floor,
  datasets,
}: {
  db: Database;
  runs: Runs;
  tasks: TaskFloor;
  datasets: Pick<DatasetAccess, 'lock' | 'countFiles'>;
}): Area {
  runs.register(createCountingKind(db.read, datasets));
  return {
    prefix: '/data-counting',
    envelope: true,
    routes: dataCountingRoutes({ tasks: floor.define(createCountingTasks(datasets)) }),
    contentHolders: [],
    lineageSources: [],
    runNames: {},
    start() {},
    stop() {},
  };
}
