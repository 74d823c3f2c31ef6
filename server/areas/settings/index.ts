import type { Area } from '../../area.ts';
import type { Models } from '../../models/index.ts';
import type { Nodes } from '../../nodes/index.ts';
import type { RunCluster, Runs } from '../../runs/index.ts';
import { createClusterView } from './cluster.ts';
import { createModelSettings } from './models.ts';
import { createNodeList } from './nodes.ts';
import { settingsRoutes } from './routes.ts';
import type { RetentionView } from './schemas/retention.ts';

export type { RetentionView } from './schemas/retention.ts';

/** The area of installation-wide settings, for administrators. */
export function createSettings({
  models,
  nodes,
  runs,
  runCluster,
  retention,
}: {
  models: Models;
  nodes: Pick<Nodes, 'list'>;
  runs: Pick<Runs, 'countDriven'>;
  runCluster: RunCluster | undefined;
  retention: RetentionView;
}): Area {
  const routes = settingsRoutes({
    models: createModelSettings({ models }),
    nodes: createNodeList({ nodes, runs }),
    cluster: createClusterView(runCluster),
    retention,
  });
  return {
    prefix: '/settings',
    envelope: true,
    routes,
    contentHolders: [],
    lineageSources: [],
    runNames: {},
    start() {},
    stop() {},
  };
}
