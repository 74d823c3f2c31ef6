import type { AreaRoutes } from '../../http/routes.ts';
import type { RunList } from '../../tasks/index.ts';
import { AllRunsQuery, ListedRunPageSchema, ListedRunSchema, RunOfAnyAreaParams } from '../../tasks/schemas.ts';

/** Routes under `/runs`: the runs of all areas. */
export function runRoutes({ runs }: { runs: RunList }): AreaRoutes {
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
      (request) => runs.listRuns(request.query),
    );
    app.get(
      '/:runId',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'getRun',
          summary: 'Get a run of any area',
          tags: ['Runs'],
          params: RunOfAnyAreaParams,
          response: { 200: ListedRunSchema },
        },
      },
      (request) => runs.getRun(request.params.runId),
    );
  };
}
