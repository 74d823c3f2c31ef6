import type { Models } from '../../models/index.ts';
import type { Nodes } from '../../nodes/index.ts';
import type { RunCluster, Runs } from '../../runs/index.ts';
import { createClusterView } from './cluster.ts';
import { createModelSettings, type ModelSettings } from './models.ts';
import { createNodeList } from './nodes.ts';
import { settingsRoutes } from './routes.ts';
import type { RetentionView } from './schemas/retention.ts';

export type { RetentionView } from './schemas/retention.ts';

/** The area of installation-wide settings, for administrators. */
export type Settings = { routes: ReturnType<typeof settingsRoutes>; models: ModelSettings };

export function createSettings({
  models,
  nodes,
  runs,
  cluster,
  retention,
}: {
  models: Models;
  nodes: Pick<Nodes, 'list'>;
  runs: Pick<Runs, 'countDriven'>;
  cluster: RunCluster | undefined;
  retention: RetentionView;
}): Settings {
  const modelSettings = createModelSettings({ models });
  const routes = settingsRoutes({
    models: modelSettings,
    nodes: createNodeList({ nodes, runs }),
    cluster: createClusterView(cluster),
    retention,
  });
  return { routes, models: modelSettings };
}
