import type { AreaRoutes } from '../../http/routes.ts';
import type { Comparisons } from './comparisons.ts';
import { ComparisonBody, ComparisonSchema } from './schemas/comparisons.ts';
import { OperatorParams } from './schemas/operators.ts';

const tags = ['Operator market'];

/** Comparison of versions of an operator. */
export function comparisonRoutes({ comparisons }: { comparisons: Comparisons }): AreaRoutes {
  return (app) => {
    app.post(
      '/operators/:id/compare',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'compareOperatorVersions',
          summary: 'Compare two versions of an operator over samples of a dataset; writes nothing',
          tags,
          params: OperatorParams,
          body: ComparisonBody,
          response: { 200: ComparisonSchema },
        },
      },
      (request) => comparisons.compare(request.params.id, request.body),
    );
  };
}
