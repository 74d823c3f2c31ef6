import { lastEventIdOf } from '../../http/event-stream.ts';
import type { AreaRoutes } from '../../http/routes.ts';
import { NoContent } from '../../http/schemas.ts';
import { ledgerRoutes } from './ledger-routes.ts';
import type { Ledgers } from './ledgers.ts';
import { PreviewBody, PreviewSchema } from './preview-schemas.ts';
import type { Previews } from './previews.ts';
import type { Runs } from './runs.ts';
import {
  EventsQuery,
  ExecuteBody,
  LogPageSchema,
  NewTaskBody,
  PageQuery,
  RunPageSchema,
  RunParams,
  RunSchema,
  RunsQuery,
  runEventResponses,
  stepsBodyLimit,
  TaskChangesBody,
  TaskPageSchema,
  TaskParams,
  TaskSchema,
  TasksQuery,
} from './schemas.ts';
import type { Tasks } from './tasks.ts';
import { templateRoutes } from './template-routes.ts';
import type { Templates } from './templates.ts';

const tags = ['Data cleaning'];

/** Routes under `/data-cleaning`. */
export function dataCleaningRoutes(services: {
  tasks: Tasks;
  runs: Runs;
  templates: Templates;
  previews: Previews;
  ledgers: Ledgers;
}): AreaRoutes {
  const { tasks, runs, previews } = services;
  return async (app) => {
    await templateRoutes(services)(app);
    app.post(
      '/preview',
      {
        bodyLimit: stepsBodyLimit,
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'previewCleaning',
          summary: 'Try steps out on the first samples of a dataset; writes nothing',
          description:
            'Steps over the whole set, as deduplication, compare those samples alone. Of a long text the beginning is shown: 20,000 ' +
            'characters, less when samples × steps are many. Takes at most 30 s.',
          tags,
          body: PreviewBody,
          response: { 200: PreviewSchema },
        },
      },
      (request) => previews.preview(request.body),
    );
    app.get(
      '/tasks',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'listCleaningTasks',
          summary: 'List cleaning tasks',
          tags,
          querystring: TasksQuery,
          response: { 200: TaskPageSchema },
        },
      },
      (request) => tasks.list(request.query),
    );
    app.post(
      '/tasks',
      {
        bodyLimit: stepsBodyLimit,
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'createCleaningTask',
          summary: 'Create a cleaning task',
          tags,
          body: NewTaskBody,
          response: { 201: TaskSchema },
        },
      },
      (request) => tasks.create(request.body, request.principal.username),
    );
    app.get(
      '/tasks/:id',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'getCleaningTask',
          summary: 'Get a cleaning task',
          tags,
          params: TaskParams,
          response: { 200: TaskSchema },
        },
      },
      (request) => tasks.get(request.params.id),
    );
    app.put(
      '/tasks/:id',
      {
        bodyLimit: stepsBodyLimit,
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'updateCleaningTask',
          summary: 'Change a cleaning task that is not running',
          tags,
          params: TaskParams,
          body: TaskChangesBody,
          response: { 200: TaskSchema },
        },
      },
      (request) => tasks.update(request.params.id, request.body, request.principal.username),
    );
    app.delete(
      '/tasks/:id',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'deleteCleaningTask',
          summary: 'Delete a cleaning task with its runs; datasets stay',
          tags,
          params: TaskParams,
          response: { 204: NoContent },
        },
      },
      async (request) => {
        await tasks.remove(request.params.id);
        return null;
      },
    );

    app.post(
      '/tasks/:id/execute',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'executeCleaningTask',
          summary: 'Execute a cleaning task',
          tags,
          params: TaskParams,
          body: ExecuteBody,
          response: { 200: RunSchema },
        },
      },
      (request) => runs.execute(request.params.id, request.body, request.principal.username),
    );
    app.post(
      '/tasks/:id/stop',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'stopCleaningTask',
          summary: 'Stop the run of a task',
          tags,
          params: TaskParams,
          response: { 200: RunSchema },
        },
      },
      (request) => runs.stop(request.params.id),
    );
    app.get(
      '/tasks/:id/runs',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'listCleaningRuns',
          summary: 'List the runs of a task',
          tags,
          params: TaskParams,
          querystring: RunsQuery,
          response: { 200: RunPageSchema },
        },
      },
      (request) => runs.list(request.params.id, request.query),
    );
    app.get(
      '/tasks/:id/runs/:runId',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'getCleaningRun',
          summary: 'Get a run',
          tags,
          params: RunParams,
          response: { 200: RunSchema },
        },
      },
      (request) => runs.get(request.params.id, request.params.runId),
    );
    app.get(
      '/tasks/:id/runs/:runId/logs',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'listCleaningRunLogs',
          summary: "Read a run's log",
          tags,
          params: RunParams,
          querystring: PageQuery,
          response: { 200: LogPageSchema },
        },
      },
      (request) => runs.logs(request.params.id, request.params.runId, request.query),
    );
    app.get(
      '/tasks/:id/runs/:runId/events',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'followCleaningRun',
          summary: 'Follow a run live: server-sent events',
          description:
            'Resumes behind `Last-Event-ID`, also after a restart of the service. The stream ends after the event `end`, and within seconds ' +
            'when its credential expires or is revoked.',
          tags,
          params: RunParams,
          querystring: EventsQuery,
          response: runEventResponses,
        },
      },
      async (request, reply) => {
        const lastEventId = lastEventIdOf(request) ?? request.query.lastEventId;
        const feed = await runs.follow(request.params.id, request.params.runId, lastEventId);
        return request.server.eventStreams.open(request, reply, feed);
      },
    );
    await ledgerRoutes(services)(app);
  };
}
