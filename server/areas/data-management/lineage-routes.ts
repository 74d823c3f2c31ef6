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
          summary: 'Show what a dataset was made of, and what was made of it',
          description:
            'A graph of versions of datasets, the completed runs of all areas that read and wrote them, and what these used: operators with the digests ' +
            'of their packages, models, templates of synthesis, connectors of collections; and the knowledge bases that hold documents of the versions. ' +
            'It stays when runs and tasks are deleted. Of deleted datasets and models the nodes stay, `hidden` and without a name.',
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
          summary: 'Show what was made with an operator, a model or a knowledge base, and of what',
          description:
            'The graph of `getDatasetLineage` from another end: the runs that used the operator (of any version) or the model, or the versions of datasets that the ' +
            'knowledge base holds; UP what these were made of, DOWN what was made of their results. An operator that no run has used stands alone.',
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
