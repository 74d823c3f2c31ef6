import type { TSchema } from 'typebox';
import type { AreaApp } from '../http/routes.ts';
import { NoContent, pageOf } from '../http/schemas.ts';
import { ExecuteBody, TaskParams, TasksQuery, type NewTaskFields } from './schemas.ts';
import { addRunRoutes } from './run-routes.ts';
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
  addRunRoutes(app, { tasks, tag, noun, execution });
}
