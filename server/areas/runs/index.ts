import type { Area } from '../../area.ts';
import type { Runs } from '../../runs/index.ts';
import type { Database } from '../../storage/database/database.ts';
import { createRunList, type RunNames } from '../../tasks/index.ts';
import { runRoutes } from './routes.ts';

/** The list of the runs of all areas. */
export function createRunArea(services: { db: Database; runs: Runs; runNames: RunNames }): Area {
  return {
    prefix: '/runs',
    envelope: true,
    routes: runRoutes({ runs: createRunList(services) }),
    contentHolders: [],
    lineageSources: [],
    runNames: {},
    start() {},
    stop() {},
  };
}
