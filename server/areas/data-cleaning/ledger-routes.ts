import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { AreaRoutes } from '../../http/routes.ts';
import {
  failedResponses,
  LedgerPageSchema,
  LedgerQuery,
  LedgerSampleSchema,
  LedgerSummarySchema,
  RethresholdBody,
  RethresholdSchema,
  RunInputPageSchema,
  SampleParams,
} from './schemas/ledgers.ts';
import type { Ledgers } from './ledgers.ts';
import { PageQuery, RunParams } from '../../tasks/schemas.ts';
import { stepsBodyLimit } from './schemas/tasks.ts';

const tags = ['Data cleaning'];

/** Outcomes of the samples of a run. */
export function ledgerRoutes({ ledgers }: { ledgers: Ledgers }): AreaRoutes {
  return (app) => {
    app.get(
      '/tasks/:id/runs/:runId/ledger',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'listLedgerEntries',
          summary: 'List the ledger of a run: the verdict on each sample',
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
          summary: 'Get the counts of each step of a run',
          tags,
          params: RunParams,
          response: { 200: LedgerSummarySchema },
        },
      },
      (request) => ledgers.summary(request.params.id, request.params.runId),
    );
    app.get(
      '/tasks/:id/runs/:runId/inputs',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'listRunInputs',
          summary: 'Show how a run read each of its files',
          tags,
          params: RunParams,
          querystring: PageQuery,
          response: { 200: RunInputPageSchema },
        },
      },
      (request) => ledgers.inputs(request.params.id, request.params.runId, request.query),
    );
    app.get(
      '/tasks/:id/runs/:runId/failed',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'downloadFailedSamples',
          summary: 'Download the failed samples of a run with their original bytes',
          tags,
          params: RunParams,
          response: failedResponses,
        },
      },
      async (request, reply) => {
        const lines = Readable.from(await ledgers.failed(request.params.id, request.params.runId), {
          objectMode: false,
        });
        const fileName = `failed-${request.params.runId}.jsonl`;
        const answer: FastifyReply = reply;
        answer.headers({
          'content-type': 'application/jsonl; charset=utf-8',
          'content-disposition': `attachment; filename="${fileName}"`,
          'x-content-type-options': 'nosniff',
        });
        return answer.send(lines);
      },
    );
    app.get(
      '/tasks/:id/runs/:runId/ledger/:sampleId',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'getLedgerSample',
          summary: 'Get one sample of a run with the effect of each step',
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
          summary: 'Count what other thresholds would drop, without a new run',
          description:
            "`steps` are those of the run; only threshold parameters (`thresholds` of the operator) may differ, and omitted ones keep their value. The counts are computed from the run's stored scores. " +
            'A sample that was dropped but would now pass is `unknown`, unless the last step dropped it; so is every sample that reaches a step over the whole set (deduplication) after a changed threshold. `kept` gives the minimum, maximum and expected number of kept samples.',
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
