import type { AreaRoutes } from '../../http/routes.ts';
import { OperatorParams } from './schemas/operators.ts';
import { TrialBody, trialBodyLimit, TrialSchema } from './schemas/trials.ts';
import type { Trials } from './trials.ts';

const tags = ['Operator market'];

/** Trials of operators. */
export function trialRoutes({ trials }: { trials: Trials }): AreaRoutes {
  return (app) => {
    app.post(
      '/operators/:id/try',
      {
        bodyLimit: trialBodyLimit,
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'tryOperator',
          summary: 'Try an operator on given texts; writes nothing',
          description:
            'An operator over the whole set, such as a deduplicator, compares the given texts with each other. Resulting texts longer than 20,000 characters are truncated.',
          tags,
          params: OperatorParams,
          body: TrialBody,
          response: { 200: TrialSchema },
        },
      },
      (request) => trials.try(request.params.id, request.body),
    );
  };
}
