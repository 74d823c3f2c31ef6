import type { TSchema } from 'typebox';
import type { AreaApp } from '../http/routes.ts';
import { NoContent, pageOf } from '../http/schemas.ts';
import { TaskParams } from './schemas.ts';
import type { NewTemplateFields, TemplatesQuery } from './template-schemas.ts';
import type { TemplateCalls } from './templates.ts';

export type TemplateRoutesOptions<Given, Own> = {
  templates: TemplateCalls<Given, Own>;
  /** OpenAPI tag, such as `Data cleaning`. */
  tag: string;
  /** Used in operation ids, such as `listCleaningTemplates`. */
  noun: string;
  /** Summaries of the operations, for the documentation. */
  summaries: Record<'list' | 'create' | 'get' | 'update' | 'remove', string>;
  /** Schemas of the template, of the query of a list, and of the bodies that create and change one. */
  schemas: { template: TSchema; query: TSchema; newTemplate: TSchema; changes: TSchema };
  /** Body limit in bytes. */
  bodyLimit: number;
};

/** Routes of the templates of an area, under its prefix. */
export function addTemplateRoutes<Given extends NewTemplateFields, Own>(
  app: AreaApp,
  { templates, tag, noun, summaries, schemas, bodyLimit }: TemplateRoutesOptions<Given, Own>,
): void {
  const tags = [tag];
  const Noun = noun.charAt(0).toUpperCase() + noun.slice(1);
  const TemplateSchema = schemas.template;
  app.get(
    '/templates',
    {
      config: { access: 'VIEWER' },
      schema: {
        operationId: `list${Noun}Templates`,
        summary: summaries.list,
        tags,
        querystring: schemas.query,
        response: { 200: pageOf(TemplateSchema) },
      },
    },
    (request) => templates.list(request.query as TemplatesQuery),
  );
  app.post(
    '/templates',
    {
      bodyLimit,
      config: { access: 'EDITOR' },
      schema: {
        operationId: `create${Noun}Template`,
        summary: summaries.create,
        tags,
        body: schemas.newTemplate,
        response: { 201: TemplateSchema },
      },
    },
    (request) => templates.create(request.body as Given, request.principal.username),
  );
  app.get(
    '/templates/:id',
    {
      config: { access: 'VIEWER' },
      schema: {
        operationId: `get${Noun}Template`,
        summary: summaries.get,
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
      bodyLimit,
      config: { access: 'EDITOR' },
      schema: {
        operationId: `update${Noun}Template`,
        summary: summaries.update,
        tags,
        params: TaskParams,
        body: schemas.changes,
        response: { 200: TemplateSchema },
      },
    },
    (request) => templates.update(request.params.id, request.body as Partial<Given>, request.principal.username),
  );
  app.delete(
    '/templates/:id',
    {
      config: { access: 'EDITOR' },
      schema: {
        operationId: `delete${Noun}Template`,
        summary: summaries.remove,
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
}
