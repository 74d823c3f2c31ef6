import type { TSchema } from 'typebox';
import { lastEventIdOf } from '../http/event-stream.ts';
import type { AreaApp } from '../http/routes.ts';
import {
  EventsQuery,
  LogPageSchema,
  PageQuery,
  RunPageSchema,
  RunParams,
  RunSchema,
  runEventResponses,
  RunsQuery,
  TaskParams,
  type Execution,
} from './schemas.ts';
import type { Tasks } from './tasks.ts';

export type RunRoutesOptions = {
  tasks: Pick<Tasks<never, unknown, unknown>, 'execute' | 'stop' | 'listRuns' | 'getRun' | 'listLogs' | 'follow'>;
  tag: string;
  noun: string;
  /** Body of an execution. */
  execution: TSchema;
};

/** Routes of the runs of tasks: executing, stopping and following them. */
export function addRunRoutes(app: AreaApp, { tasks, tag, noun, execution }: RunRoutesOptions): void {
  const tags = [tag];
  const Noun = noun.charAt(0).toUpperCase() + noun.slice(1);
  app.post(
    '/tasks/:id/execute',
    {
      config: { access: 'EDITOR' },
      schema: {
        operationId: `execute${Noun}Task`,
        summary: `Execute a ${noun} task`,
        tags,
        params: TaskParams,
        body: execution,
        response: { 200: RunSchema },
      },
    },
    (request) => tasks.execute(request.params.id, request.body as Execution, request.principal.username),
  );
  app.post(
    '/tasks/:id/stop',
    {
      config: { access: 'EDITOR' },
      schema: {
        operationId: `stop${Noun}Task`,
        summary: 'Stop the run of a task',
        tags,
        params: TaskParams,
        response: { 200: RunSchema },
      },
    },
    (request) => tasks.stop(request.params.id),
  );
  app.get(
    '/tasks/:id/runs',
    {
      config: { access: 'VIEWER' },
      schema: {
        operationId: `list${Noun}Runs`,
        summary: 'List the runs of a task',
        tags,
        params: TaskParams,
        querystring: RunsQuery,
        response: { 200: RunPageSchema },
      },
    },
    (request) => tasks.listRuns(request.params.id, request.query),
  );
  app.get(
    '/tasks/:id/runs/:runId',
    {
      config: { access: 'VIEWER' },
      schema: {
        operationId: `get${Noun}Run`,
        summary: 'Get a run',
        tags,
        params: RunParams,
        response: { 200: RunSchema },
      },
    },
    (request) => tasks.getRun(request.params.id, request.params.runId),
  );
  app.get(
    '/tasks/:id/runs/:runId/logs',
    {
      config: { access: 'VIEWER' },
      schema: {
        operationId: `list${Noun}RunLogs`,
        summary: "Read a run's log",
        tags,
        params: RunParams,
        querystring: PageQuery,
        response: { 200: LogPageSchema },
      },
    },
    (request) => tasks.listLogs(request.params.id, request.params.runId, request.query),
  );
  app.get(
    '/tasks/:id/runs/:runId/events',
    {
      config: { access: 'VIEWER' },
      schema: {
        operationId: `follow${Noun}Run`,
        summary: 'Follow a run live: server-sent events',
        description:
          'Resumes after `Last-Event-ID`, even after a restart of the service. The stream ends after the event `end`, and within seconds ' +
          'when its credential expires or is revoked.',
        tags,
        params: RunParams,
        querystring: EventsQuery,
        response: runEventResponses,
      },
    },
    async (request, reply) => {
      const lastEventId = lastEventIdOf(request) ?? request.query.lastEventId;
      const feed = await tasks.follow(request.params.id, request.params.runId, lastEventId);
      return request.server.eventStreams.open(request, reply, feed);
    },
  );
}
