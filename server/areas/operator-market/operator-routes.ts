import type { AreaRoutes } from '../../http/routes.ts';
import type { Operators } from './operators.ts';
import {
  FacetsQuery,
  OperatorFacetsSchema,
  OperatorPageSchema,
  OperatorParams,
  OperatorSchema,
  OperatorQuery,
  OperatorsQuery,
} from './schemas/operators.ts';

const tags = ['Operator market'];

/** The operators of the market. */
export function operatorRoutes({ operators }: { operators: Operators }): AreaRoutes {
  return (app) => {
    app.get(
      '/operators',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'listOperators',
          summary: 'List operators',
          tags,
          querystring: OperatorsQuery,
          response: { 200: OperatorPageSchema },
        },
      },
      (request) => operators.list(request.query, request.principal),
    );
    app.get(
      '/facets',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'listOperatorFacets',
          summary: 'List the filter values for operators, with the number of operators per value',
          tags,
          querystring: FacetsQuery,
          response: { 200: OperatorFacetsSchema },
        },
      },
      (request) => operators.facets(request.query),
    );
    app.get(
      '/operators/:id',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'getOperator',
          summary: 'Get an operator',
          tags,
          params: OperatorParams,
          querystring: OperatorQuery,
          response: { 200: OperatorSchema },
        },
      },
      (request) => operators.get(request.params.id, request.query.version, request.principal),
    );
  };
}
