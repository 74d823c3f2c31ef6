import type { AreaRoutes } from '../../http/routes.ts';
import { NoContent } from '../../http/schemas.ts';
import { TaskParams } from '../../tasks/schemas.ts';
import { stepsBodyLimit } from './schemas/tasks.ts';
import {
  NewTemplateBody,
  TemplateChangesBody,
  TemplatePageSchema,
  TemplateSchema,
  TemplatesQuery,
} from './schemas/templates.ts';
import type { Templates } from './templates.ts';

const tags = ['Data cleaning'];

/** Named lists of steps. */
export function templateRoutes({ templates }: { templates: Templates }): AreaRoutes {
  return (app) => {
    app.get(
      '/templates',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'listCleaningTemplates',
          summary: 'List templates of cleaning tasks, by name',
          tags,
          querystring: TemplatesQuery,
          response: { 200: TemplatePageSchema },
        },
      },
      (request) => templates.list(request.query),
    );
    app.post(
      '/templates',
      {
        bodyLimit: stepsBodyLimit,
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'createCleaningTemplate',
          summary: 'Create a template',
          tags,
          body: NewTemplateBody,
          response: { 201: TemplateSchema },
        },
      },
      (request) => templates.create(request.body, request.principal.username),
    );
    app.get(
      '/templates/:id',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'getCleaningTemplate',
          summary: 'Get a template',
          tags,
          params: TaskParams,
          response: { 200: TemplateSchema },
        },
      },
      (request) => templates.get(request.params.id),
    );
    app.put(
      '/templates/:id',
      {
        bodyLimit: stepsBodyLimit,
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'updateCleaningTemplate',
          summary: 'Change a template that is not built in',
          tags,
          params: TaskParams,
          body: TemplateChangesBody,
          response: { 200: TemplateSchema },
        },
      },
      (request) => templates.update(request.params.id, request.body, request.principal.username),
    );
    app.delete(
      '/templates/:id',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'deleteCleaningTemplate',
          summary: 'Delete a template that is not built in; tasks created from it stay',
          tags,
          params: TaskParams,
          response: { 204: NoContent },
        },
      },
      async (request) => {
        await templates.remove(request.params.id);
        return null;
      },
    );
  };
}
