import type { AreaRoutes } from '../../http/routes.ts';
import { clusterRoutes } from './cluster-routes.ts';
import type { ClusterView } from './cluster.ts';
import { modelRoutes } from './model-routes.ts';
import type { ModelSettings } from './models.ts';
import { nodeRoutes } from './node-routes.ts';
import type { NodeList } from './nodes.ts';
import { retentionRoutes } from './retention-routes.ts';
import type { RetentionView } from './schemas/retention.ts';

export type SettingsNouns = { models: ModelSettings; nodes: NodeList; cluster: ClusterView; retention: RetentionView };

/** Routes under `/settings`. */
export function settingsRoutes(nouns: SettingsNouns): AreaRoutes {
  return async (app) => {
    await retentionRoutes(nouns)(app);
    await nodeRoutes(nouns)(app);
    await clusterRoutes(nouns)(app);
    await modelRoutes(nouns)(app);
  };
}
