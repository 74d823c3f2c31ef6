import { callerGone } from '../../http/caller-gone.ts';
import type { AreaRoutes } from '../../http/routes.ts';
import { RunParams, TaskParams } from '../../tasks/schemas.ts';
import type { Exports } from './exports.ts';
import {
  DiversitySchema,
  ExportBody,
  ExportSchema,
  FacetsQuery,
  FacetsSchema,
  ForecastSchema,
  RecordChangesBody,
  RecordPageSchema,
  RecordParams,
  RecordSchema,
  RecordsQuery,
  RejectionBody,
  RunUsageSchema,
} from './schemas/records.ts';
import type { Records } from './records.ts';
import type { RunReports } from './run-reports.ts';
import { synthesisBodyLimit } from './schemas/tasks.ts';

const tags = ['Data synthesis'];

/** Records of tasks, their usage, and their export. */
export function recordRoutes({
  records,
  exports,
  reports,
}: {
  records: Records;
  exports: Exports;
  reports: RunReports;
}): AreaRoutes {
  return (app) => {
    app.get(
      '/tasks/:id/records',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'listSynthesisRecords',
          summary: 'List the records of a run, by default of the latest that has any, in the order of the source',
          tags,
          params: TaskParams,
          querystring: RecordsQuery,
          response: { 200: RecordPageSchema },
        },
      },
      (request) => records.list(request.params.id, request.query),
    );
    app.get(
      '/tasks/:id/records/facets',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'countSynthesisRecords',
          summary: 'Count the records of a run by verdict, reason and review',
          tags,
          params: TaskParams,
          querystring: FacetsQuery,
          response: { 200: FacetsSchema },
        },
      },
      (request) => records.countFacets(request.params.id, request.query.runId),
    );
    app.get(
      '/tasks/:id/records/:recordId',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'getSynthesisRecord',
          summary: 'Get a record with its source and prompt',
          tags,
          params: RecordParams,
          response: { 200: RecordSchema },
        },
      },
      (request) => records.get(request.params.id, request.params.recordId),
    );
    app.patch(
      '/tasks/:id/records/:recordId',
      {
        bodyLimit: synthesisBodyLimit,
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'editSynthesisRecord',
          summary: 'Edit a record; the edit also holds in later runs of the task',
          tags,
          params: RecordParams,
          body: RecordChangesBody,
          response: { 200: RecordSchema },
        },
      },
      (request) => records.edit(request.params.id, request.params.recordId, request.body, request.principal.username),
    );
    app.post(
      '/tasks/:id/records/:recordId/accept',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'acceptSynthesisRecord',
          summary: 'Accept a record: it is part of the result, also if it was dropped',
          tags,
          params: RecordParams,
          response: { 200: RecordSchema },
        },
      },
      (request) => records.accept(request.params.id, request.params.recordId, request.principal.username),
    );
    app.post(
      '/tasks/:id/records/:recordId/reject',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'rejectSynthesisRecord',
          summary: 'Reject a record: it is no part of the result',
          tags,
          params: RecordParams,
          body: RejectionBody,
          response: { 200: RecordSchema },
        },
      },
      (request) => records.reject(request.params.id, request.params.recordId, request.body, request.principal.username),
    );
    app.post(
      '/tasks/:id/records/:recordId/regenerate',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'regenerateSynthesisRecord',
          summary: 'Make a record anew by one further call',
          description:
            'Replaces the record, its edit and its review; later runs of the task take the same reply. It is checked as in a run, apart from the ' +
            'comparison with other records. A record that is KEPT, edited, accepted or rejected stays as it is, with SYNTHESIS_NOT_REPLACED, ' +
            'if the new one would not be KEPT. Counts of the run stay those of its end: `records/facets` counts anew.',
          tags,
          params: RecordParams,
          response: { 200: RecordSchema },
        },
      },
      (request, reply) => {
        const { id, recordId } = request.params;
        return records.regenerate(id, recordId, request.principal.username, callerGone(reply));
      },
    );
    app.post(
      '/tasks/:id/export',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'exportSynthesisRecords',
          summary:
            'Write the records of the latest run that has any to the target dataset, in place of those written before',
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
          summary: 'Expect the calls, tokens, cost and time of a run',
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
          summary: 'Get what a run used, with those that it resumes, beside what was expected',
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
          summary: 'Measure how unlike each other the records of a run are, and how much of the source they cover',
          tags,
          params: RunParams,
          response: { 200: DiversitySchema },
        },
      },
      (request) => reports.diversity(request.params.id, request.params.runId),
    );
  };
}
