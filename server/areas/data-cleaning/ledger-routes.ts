import type { AreaRoutes } from '../../http/routes.ts';
import {
  LedgerPageSchema,
  LedgerQuery,
  LedgerSampleSchema,
  LedgerSummarySchema,
  RethresholdBody,
  RethresholdSchema,
  SampleParams,
} from './ledger-schemas.ts';
import type { Ledgers } from './ledgers.ts';
import { RunParams } from '../../tasks/schemas.ts';
import { stepsBodyLimit } from './schemas.ts';

const tags = ['Data cleaning'];

/** What became of the samples of a run. */
export function ledgerRoutes({ ledgers }: { ledgers: Ledgers }): AreaRoutes {
  return (app) => {
    app.get(
      '/tasks/:id/runs/:runId/ledger',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'listLedgerEntries',
          summary: 'What became of each sample of a run',
          tags,
          params: RunParams,
          querystring: LedgerQuery,
          response: { 200: LedgerPageSchema },
        },
      },
      (request) => ledgers.page(request.params.id, request.params.runId, request.query),
    );
    app.get(
      '/tasks/:id/runs/:runId/ledger/summary',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'getLedgerSummary',
          summary: 'What each step of a run did',
          tags,
          params: RunParams,
          response: { 200: LedgerSummarySchema },
        },
      },
      (request) => ledgers.summary(request.params.id, request.params.runId),
    );
    app.get(
      '/tasks/:id/runs/:runId/ledger/:sampleId',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'getLedgerSample',
          summary: 'One sample of a run, with its way through the steps',
          tags,
          params: SampleParams,
          response: { 200: LedgerSampleSchema },
        },
      },
      (request) => ledgers.sample(request.params.id, request.params.runId, request.params.sampleId),
    );
    app.post(
      '/tasks/:id/runs/:runId/rethreshold',
      {
        bodyLimit: stepsBodyLimit,
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'rethresholdCleaningRun',
          summary: 'Count what other thresholds would leave out, without a new run',
          description:
            "`steps` are those of the run; only parameters that are thresholds (`thresholds` of the operator) may differ, and what is not given is as it was. The run's stored scores decide. " +
            'A sample that was left out and would pass now is `unknown` unless that was the last step, and so is every sample that comes to a step over the whole set (deduplication) behind a changed threshold.',
          tags,
          params: RunParams,
          body: RethresholdBody,
          response: { 200: RethresholdSchema },
        },
      },
      (request) => ledgers.rethreshold(request.params.id, request.params.runId, request.body.steps),
    );
  };
}
