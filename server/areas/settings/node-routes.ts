import type { AreaRoutes } from '../../http/routes.ts';
import type { NodeList } from './nodes.ts';
import { NodePageSchema, NodesQuery } from './schemas/nodes.ts';

const tags = ['Settings'];

/** The processes of the service. */
export function nodeRoutes({ nodes }: { nodes: NodeList }): AreaRoutes {
  return (app) => {
    app.get(
      '/nodes',
      {
        config: { access: 'ADMIN' },
        schema: {
          operationId: 'listNodes',
          summary: 'List the processes that serve this API with the same database, oldest first',
          tags,
          querystring: NodesQuery,
          response: { 200: NodePageSchema },
        },
      },
      (request) => nodes.list(request.query),
    );
  };
}
