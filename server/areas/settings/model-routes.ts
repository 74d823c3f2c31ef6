import type { AreaRoutes } from '../../http/routes.ts';
import { NoContent } from '../../http/schemas.ts';
import type { ModelSettings } from './models.ts';
import {
  ModelChangesBody,
  ModelPageSchema,
  ModelParams,
  ModelSchema,
  ModelsQuery,
  ModelTestSchema,
  ModelUsageSchema,
  NewModelBody,
} from './schemas/models.ts';

const tags = ['Settings'];

/** Models and their usage. */
export function modelRoutes({ models }: { models: ModelSettings }): AreaRoutes {
  return (app) => {
    app.get(
      '/models',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'listModels',
          summary: 'List models, built-in ones first, then the newest',
          tags,
          querystring: ModelsQuery,
          response: { 200: ModelPageSchema },
        },
      },
      (request) => models.list(request.query),
    );
    app.post(
      '/models',
      {
        config: { access: 'ADMIN' },
        schema: {
          operationId: 'createModel',
          summary: 'Create a model',
          tags,
          body: NewModelBody,
          response: { 201: ModelSchema },
        },
      },
      (request) => models.create(request.body, request.principal.username),
    );
    app.get(
      '/models/:id',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'getModel',
          summary: 'Get a model',
          tags,
          params: ModelParams,
          response: { 200: ModelSchema },
        },
      },
      (request) => models.get(request.params.id),
    );
    app.put(
      '/models/:id',
      {
        config: { access: 'ADMIN' },
        schema: {
          operationId: 'updateModel',
          summary: 'Change a model that is not built in; omitted fields stay unchanged, including the API key',
          tags,
          params: ModelParams,
          body: ModelChangesBody,
          response: { 200: ModelSchema },
        },
      },
      (request) => models.update(request.params.id, request.body, request.principal.username),
    );
    app.delete(
      '/models/:id',
      {
        config: { access: 'ADMIN' },
        schema: {
          operationId: 'deleteModel',
          summary: 'Delete a model that is not built in, with its API key',
          tags,
          params: ModelParams,
          response: { 204: NoContent },
        },
      },
      async (request) => {
        await models.remove(request.params.id);
        return null;
      },
    );
    app.post(
      '/models/:id/test',
      {
        config: { access: 'ADMIN' },
        schema: {
          operationId: 'testModel',
          summary: 'Test a model with one small call, within 60 seconds',
          tags,
          params: ModelParams,
          response: { 200: ModelTestSchema },
        },
      },
      (request) => models.test(request.params.id),
    );
    app.get(
      '/models/:id/usage',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'getModelUsage',
          summary: 'Get the calls, tokens and cost of a model by day and by run',
          tags,
          params: ModelParams,
          response: { 200: ModelUsageSchema },
        },
      },
      (request) => models.usage(request.params.id),
    );
  };
}
