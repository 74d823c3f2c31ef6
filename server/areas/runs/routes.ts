import type { AreaRoutes } from '../../http/routes.ts';
import type { TaskFloor } from '../../tasks/index.ts';
import { AllRunsQuery, ListedRunPageSchema } from '../../tasks/schemas.ts';

/** Routes under `/runs`: the runs of all areas. */
export function runRoutes({ tasks }: { tasks: Pick<TaskFloor, 'listRuns'> }): AreaRoutes {
  return (app) => {
    app.get(
      '',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'listRuns',
          summary: 'List the runs of all areas, newest first',
          tags: ['Runs'],
          querystring: AllRunsQuery,
          response: { 200: ListedRunPageSchema },
        },
      },
      (request) => tasks.listRuns(request.query),
    );
  };
}
