import type { AreaRoutes } from '../../http/routes.ts';
import type { Comparisons } from './comparisons.ts';
import type { Operators } from './operators.ts';
import {
  ComparisonBody,
  ComparisonSchema,
  FacetsQuery,
  OperatorFacetsSchema,
  OperatorPageSchema,
  OperatorParams,
  OperatorSchema,
  OperatorSpeedsSchema,
  OperatorQuery,
  OperatorsQuery,
  TrialBody,
  trialBodyLimit,
  TrialSchema,
} from './schemas.ts';
import type { Speeds } from './speeds.ts';
import type { Trials } from './trials.ts';

const tags = ['Operator market'];

/** Routes under `/operator-market`. */
export function operatorMarketRoutes({
  operators,
  trials,
  comparisons,
  speeds,
}: {
  operators: Operators;
  trials: Trials;
  comparisons: Comparisons;
  speeds: Speeds;
}): AreaRoutes {
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
          summary: 'What operators can be filtered by, with the number of operators of each value',
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
    app.post(
      '/operators/:id/try',
      {
        bodyLimit: trialBodyLimit,
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'tryOperator',
          summary: 'Try an operator on given texts; writes nothing',
          description:
            'An operator over the whole set, such as a deduplicator, compares the given texts. Resulting texts longer than 20,000 characters are cut.',
          tags,
          params: OperatorParams,
          body: TrialBody,
          response: { 200: TrialSchema },
        },
      },
      (request) => trials.try(request.params.id, request.body),
    );
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
    app.get(
      '/speeds',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'listOperatorSpeeds',
          summary: 'How fast the operators are on this machine',
          description:
            'Measured once per process from the first question on, which takes some seconds; a busy machine answers sooner, with what it knows, and says what is pending. Each operator with its default parameters, on one core, over documents of ' +
            'about 2,000 characters, three in English to one in Chinese, or over a JPEG and a PNG of half a megapixel. Of operators over the whole set, the signing of samples is measured.',
          tags,
          response: { 200: OperatorSpeedsSchema },
        },
      },
      () => speeds.list(),
    );
  };
}
