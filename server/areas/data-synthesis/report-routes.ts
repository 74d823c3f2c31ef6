import type { AreaRoutes } from '../../http/routes.ts';
import { RunParams, TaskParams } from '../../tasks/schemas.ts';
import type { Exports } from './exports.ts';
import type { RunReports } from './run-reports.ts';
import { DiversitySchema, ExportBody, ExportSchema, ForecastSchema, RunUsageSchema } from './schemas/records.ts';

const tags = ['Data synthesis'];

/** What the runs of a task will cost and have made: forecast, usage, diversity, and the export of the records. */
export function reportRoutes({ exports, reports }: { exports: Exports; reports: RunReports }): AreaRoutes {
  return (app) => {
    app.post(
      '/tasks/:id/export',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'exportSynthesisRecords',
          summary:
            'Write the records of the latest run that has any to the target dataset, replacing those written before',
          tags,
          params: TaskParams,
          body: ExportBody,
          response: { 200: ExportSchema },
        },
      },
      (request) => exports.export(request.params.id, request.body, request.principal.username),
    );
    app.get(
      '/tasks/:id/forecast',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'forecastSynthesisTask',
          summary: 'Estimate the calls, tokens, cost and time of a run',
          description: 'Reads up to 2,000 samples for at most 5 s and estimates the rest by size; calls no model.',
          tags,
          params: TaskParams,
          response: { 200: ForecastSchema },
        },
      },
      (request) => reports.forecast(request.params.id),
    );
    app.get(
      '/tasks/:id/runs/:runId/usage',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'getSynthesisRunUsage',
          summary: 'Get the usage of a run and the runs that it resumes, compared with the estimate',
          tags,
          params: RunParams,
          response: { 200: RunUsageSchema },
        },
      },
      (request) => reports.usage(request.params.id, request.params.runId),
    );
    app.get(
      '/tasks/:id/runs/:runId/diversity',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'getSynthesisDiversity',
          summary: 'Measure how diverse the records of a run are and how much of the source they cover',
          tags,
          params: RunParams,
          response: { 200: DiversitySchema },
        },
      },
      (request) => reports.diversity(request.params.id, request.params.runId),
    );
  };
}
