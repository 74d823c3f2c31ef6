import type { AreaRoutes } from '../../http/routes.ts';
import { RunParams, TaskParams } from '../../tasks/schemas.ts';
import type { Items } from './items.ts';
import { ItemPageSchema, ItemsQuery } from './schemas/items.ts';
import { SourceStatePageSchema } from './schemas/states.ts';
import { PageOnlyQuery } from './schemas/tasks.ts';

const tags = ['Data collection'];

/** The items that tasks have fetched, and their outcome in each run. */
export function itemRoutes({ items }: { items: Items }): AreaRoutes {
  return (app) => {
    app.get(
      '/tasks/:id/state',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'listCollectionState',
          summary: 'List what a task has fetched so far; later runs compare it with the source',
          tags,
          params: TaskParams,
          querystring: PageOnlyQuery,
          response: { 200: SourceStatePageSchema },
        },
      },
      (request) => items.state(request.params.id, request.query),
    );
    app.get(
      '/tasks/:id/runs/:runId/items',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'listCollectionItems',
          summary: 'List the items of a run: what was new, unchanged or failed, and why',
          tags,
          params: RunParams,
          querystring: ItemsQuery,
          response: { 200: ItemPageSchema },
        },
      },
      (request) => items.list(request.params.id, request.params.runId, request.query),
    );
  };
}
