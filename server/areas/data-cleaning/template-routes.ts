import type { AreaRoutes } from '../../http/routes.ts';
import { addTemplateRoutes } from '../../tasks/template-routes.ts';
import { stepsBodyLimit } from './schemas/tasks.ts';
import { NewTemplateBody, TemplateChangesBody, TemplateSchema, TemplatesQuery } from './schemas/templates.ts';
import type { CleaningTemplates } from './templates.ts';

/** Named lists of steps. */
export function templateRoutes({ templates }: { templates: CleaningTemplates }): AreaRoutes {
  return (app) => {
    addTemplateRoutes(app, {
      templates,
      tag: 'Data cleaning',
      noun: 'cleaning',
      summaries: {
        list: 'List templates of cleaning tasks, by name',
        create: 'Create a template',
        get: 'Get a template',
        update: 'Change a template that is not built in',
        remove: 'Delete a template that is not built in; tasks created from it stay',
      },
      schemas: {
        template: TemplateSchema,
        query: TemplatesQuery,
        newTemplate: NewTemplateBody,
        changes: TemplateChangesBody,
      },
      bodyLimit: stepsBodyLimit,
    });
  };
}
