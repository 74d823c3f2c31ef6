import type { AreaRoutes } from '../../http/routes.ts';
import type { Lineages } from './lineage/lineage.ts';
import { DatasetParams } from './schemas/datasets.ts';
import { LineageQuery, LineageSchema, UseParams, UseQuery } from './schemas/lineage.ts';

/** The lineage of datasets: where data comes from and where it is used. */
export function lineageRoutes({ lineages }: { lineages: Lineages }): AreaRoutes {
  return (app) => {
    app.get(
      '/datasets/:datasetId/lineage',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'getDatasetLineage',
          summary: 'Show what a dataset was created from, and what was created from it',
          description:
            'A graph of dataset versions, the completed runs of all areas that read and wrote them, and what the runs used: operators with the digests ' +
            'of their packages, models, synthesis templates and connectors; also the knowledge bases that contain documents of the versions. ' +
            'It remains when runs and tasks are deleted. Nodes of deleted datasets and models also remain, `hidden` and without a name.',
          tags: ['Lineage'],
          params: DatasetParams,
          querystring: LineageQuery,
          response: { 200: LineageSchema },
        },
      },
      (request) => lineages.trace(request.params.datasetId, request.query),
    );
    app.get(
      '/lineage/:kind/:id',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'getLineage',
          summary: 'Show what was created with an operator, a model or a knowledge base, and from what',
          description:
            'The graph of `getDatasetLineage` from another starting point: the runs that used the operator (in any version) or the model, or the dataset versions that the ' +
            'knowledge base contains; UP: what these were created from, DOWN: what was created from their results. An operator that no run has used is a single node.',
          tags: ['Lineage'],
          params: UseParams,
          querystring: UseQuery,
          response: { 200: LineageSchema },
        },
      },
      (request) => lineages.traceUse({ ...request.params, ...request.query }),
    );
  };
}
