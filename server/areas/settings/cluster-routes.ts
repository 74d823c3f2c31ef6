import type { AreaRoutes } from '../../http/routes.ts';
import type { ClusterView } from './cluster.ts';
import { ClusterSchema } from './schemas/cluster.ts';

const tags = ['Settings'];

/** The cluster that drives runs. */
export function clusterRoutes({ cluster }: { cluster: ClusterView }): AreaRoutes {
  return (app) => {
    app.get(
      '/cluster',
      {
        config: { access: 'ADMIN' },
        schema: {
          operationId: 'getCluster',
          summary: 'Get the current state of the Ray cluster that drives runs',
          tags,
          response: { 200: ClusterSchema },
        },
      },
      () => cluster.find(),
    );
  };
}
