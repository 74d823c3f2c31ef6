// Made from the files of this folder by `npm run docs`; do not edit.
import type { AreaRoutes } from '../../http/routes.ts';
import { clusterRoutes } from './cluster-routes.ts';
import { modelRoutes } from './model-routes.ts';
import { nodeRoutes } from './node-routes.ts';
import { retentionRoutes } from './retention-routes.ts';

export type SettingsNouns = Parameters<typeof clusterRoutes>[0] &
  Parameters<typeof modelRoutes>[0] &
  Parameters<typeof nodeRoutes>[0] &
  Parameters<typeof retentionRoutes>[0];

/** Routes under `/settings`. */
export function settingsRoutes(nouns: SettingsNouns): AreaRoutes {
  return async (app) => {
    await retentionRoutes(nouns)(app);
    await nodeRoutes(nouns)(app);
    await clusterRoutes(nouns)(app);
    await modelRoutes(nouns)(app);
  };
}
