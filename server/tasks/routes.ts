import type { TSchema } from 'typebox';
import { lastEventIdOf } from '../http/event-stream.ts';
import type { AreaApp } from '../http/routes.ts';
import { NoContent, pageOf } from '../http/schemas.ts';
import {
  EventsQuery,
  ExecuteBody,
  LogPageSchema,
  PageQuery,
  RunPageSchema,
  RunParams,
  RunSchema,
  runEventResponses,
  RunsQuery,
  TaskParams,
  TasksQuery,
  type Execution,
  type NewTaskFields,
} from './schemas.ts';
import type { Tasks } from './tasks.ts';

export type TaskRoutesOptions<Given, Definition, Own> = {
  tasks: Tasks<Given, Definition, Own>;
  /** OpenAPI tag, such as `Data cleaning`. */
  tag: string;
  /** Used in operation ids (`listCleaningTasks`) and summaries (`List cleaning tasks`). */
  noun: string;
  /** Schemas of the task, and of the bodies that create and change one. */
  schemas: { task: TSchema; newTask: TSchema; changes: TSchema };
  /** Body of an execution, if it differs from the common one. */
  execution?: TSchema;
  /** Body limit in bytes, for long definitions. */
  bodyLimit?: number;
};

/** Routes of tasks and their runs, under the prefix of an area. */
export function addTaskRoutes<Given extends NewTaskFields, Definition, Own>(
  app: AreaApp,
  { tasks, tag, noun, schemas, execution = ExecuteBody, bodyLimit }: TaskRoutesOptions<Given, Definition, Own>,
): void {
  const tags = [tag];
  const Noun = noun.charAt(0).toUpperCase() + noun.slice(1);
  const TaskSchema = schemas.task;
  const limit = bodyLimit === undefined ? {} : { bodyLimit };
  app.get(
    '/tasks',
    {
      config: { access: 'VIEWER' },
      schema: {
        operationId: `list${Noun}Tasks`,
        summary: `List ${noun} tasks`,
        tags,
        querystring: TasksQuery,
        response: { 200: pageOf(TaskSchema) },
      },
    },
    (request) => tasks.list(request.query),
  );
  app.post(
    '/tasks',
    {
      ...limit,
      config: { access: 'EDITOR' },
      schema: {
        operationId: `create${Noun}Task`,
        summary: `Create a ${noun} task`,
        tags,
        body: schemas.newTask,
        response: { 201: TaskSchema },
      },
    },
    (request) => tasks.create(request.body as Given, request.principal.username),
  );
  app.get(
    '/tasks/:id',
    {
      config: { access: 'VIEWER' },
      schema: {
        operationId: `get${Noun}Task`,
        summary: `Get a ${noun} task`,
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
      ...limit,
      config: { access: 'EDITOR' },
      schema: {
        operationId: `update${Noun}Task`,
        summary: `Change a ${noun} task that is not running`,
        tags,
        params: TaskParams,
        body: schemas.changes,
        response: { 200: TaskSchema },
      },
    },
    (request) => tasks.update(request.params.id, request.body as Partial<Given>, request.principal.username),
  );
  app.delete(
    '/tasks/:id',
    {
      config: { access: 'EDITOR' },
      schema: {
        operationId: `delete${Noun}Task`,
        summary: `Delete a ${noun} task and its runs; datasets stay`,
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
