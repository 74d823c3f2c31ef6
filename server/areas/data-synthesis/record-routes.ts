import { callerGone } from '../../http/caller-gone.ts';
import type { AreaRoutes } from '../../http/routes.ts';
import { TaskParams } from '../../tasks/schemas.ts';
import {
  FacetsQuery,
  FacetsSchema,
  RecordChangesBody,
  RecordPageSchema,
  RecordParams,
  RecordSchema,
  RecordsQuery,
  RejectionBody,
} from './schemas/records.ts';
import type { Records } from './records.ts';
import { synthesisBodyLimit } from './schemas/tasks.ts';

const tags = ['Data synthesis'];

/** Records of tasks, and their review. */
export function recordRoutes({ records }: { records: Records }): AreaRoutes {
  return (app) => {
    app.get(
      '/tasks/:id/records',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'listSynthesisRecords',
          summary: 'List the records of a run, by default the latest run that has any, in source order',
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
          summary: 'Edit a record; later runs of the task keep the edit',
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
          summary: 'Accept a record: it is included in the result even if it was dropped',
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
          summary: 'Reject a record: it is excluded from the result',
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
          summary: 'Regenerate a record with one more call',
          description:
            'Replaces the record, its edit and its review; later runs of the task use the new reply. It is checked as in a run, except for the ' +
            'comparison with other records. A record that is KEPT, edited, accepted or rejected is not replaced (SYNTHESIS_NOT_REPLACED) ' +
            'if the new one would not be KEPT. The counts of the run do not change; `records/facets` gives current counts.',
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
  };
}
