import type { AreaRoutes } from '../../http/routes.ts';
import type { Operators } from './operators.ts';
import { OperatorPageSchema, OperatorParams, OperatorSchema, OperatorsQuery } from './schemas.ts';

const tags = ['Operator market'];

/** Routes under `/operator-market`. */
export function operatorMarketRoutes({ operators }: { operators: Operators }): AreaRoutes {
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
      (request) => operators.list(request.query),
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
          response: { 200: OperatorSchema },
        },
      },
      (request) => operators.get(request.params.id),
    );
  };
}
