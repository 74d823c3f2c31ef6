import { callerGone } from '../../http/caller-gone.ts';
import type { AreaRoutes } from '../../http/routes.ts';
import { addTaskRoutes } from '../../tasks/routes.ts';
import { ExecuteAnewBody, RunParams, TaskParams } from '../../tasks/schemas.ts';
import type { Tasks } from '../../tasks/index.ts';
import type { CollectionDefinition } from './definition.ts';
import type { Items } from './items.ts';
import {
  collectionBodyLimit,
  CollectionTaskChangesBody,
  CollectionTaskSchema,
  ConnectorPageSchema,
  ConnectorParams,
  ConnectorTestBody,
  ConnectorTestResultSchema,
  ItemPageSchema,
  ItemsQuery,
  NewCollectionTaskBody,
  PageOnlyQuery,
  SourceStatePageSchema,
  type CollectionFields,
  type NewCollectionTask,
} from './schemas.ts';
import type { Sources } from './sources.ts';

const tags = ['Data collection'];

/** Routes under `/data-collection`. */
export function dataCollectionRoutes({
  tasks,
  sources,
  items,
}: {
  tasks: Tasks<NewCollectionTask, CollectionDefinition, CollectionFields>;
  sources: Sources;
  items: Items;
}): AreaRoutes {
  return (app) => {
    app.get(
      '/connectors',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'listConnectors',
          summary: 'List the connectors with the schemas of their configurations',
          tags,
          querystring: PageOnlyQuery,
          response: { 200: ConnectorPageSchema },
        },
      },
      (request) => sources.list(request.query),
    );
    app.post(
      '/connectors/:type/test',
      {
        bodyLimit: collectionBodyLimit,
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'testConnector',
          summary: 'Reach a source and list a sample; writes nothing',
          description:
            'Answers 200 also when the source can not be reached; `message` then says why. Takes at most 60 s.',
          tags,
          params: ConnectorParams,
          body: ConnectorTestBody,
          response: { 200: ConnectorTestResultSchema },
        },
      },
      (request, reply) => sources.test(request.params.type, request.body, callerGone(reply)),
    );
    addTaskRoutes(app, {
      tasks,
      tag: 'Data collection',
      noun: 'collection',
      schemas: { task: CollectionTaskSchema, newTask: NewCollectionTaskBody, changes: CollectionTaskChangesBody },
      execution: ExecuteAnewBody,
      bodyLimit: collectionBodyLimit,
    });
    app.get(
      '/tasks/:id/state',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'listCollectionState',
          summary: 'List what a task has fetched so far, which later runs compare with the source',
          tags,
          params: TaskParams,
          querystring: PageOnlyQuery,
          response: { 200: SourceStatePageSchema },
        },
      },
      (request) => items.state(request.params.id, request.query),
    );
    app.get(
      '/tasks/:id/runs/:runId/items',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'listCollectionItems',
          summary: 'List the items of a run: what was new, unchanged or failed, and why',
          tags,
          params: RunParams,
          querystring: ItemsQuery,
          response: { 200: ItemPageSchema },
        },
      },
      (request) => items.list(request.params.id, request.params.runId, request.query),
    );
  };
}
