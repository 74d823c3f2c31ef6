import { callerGone } from '../../http/caller-gone.ts';
import type { AreaRoutes } from '../../http/routes.ts';
import { TaskParams } from '../../tasks/schemas.ts';
import { addTemplateRoutes } from '../../tasks/template-routes.ts';
import { PreviewBody, PreviewSchema } from './schemas/previews.ts';
import type { SynthesisPreviews } from './previews.ts';
import {
  NewTemplateBody,
  TemplateChangesBody,
  TemplateSchema,
  InstructionsQuery,
  TemplateVersionPageSchema,
  InstructionVersionsQuery,
} from './schemas/templates.ts';
import type { InstructionTemplates } from './templates.ts';

const tags = ['Data synthesis'];
const templateBodyLimit = 512 * 1024;

/** Instruction templates. */
export function templateRoutes({
  templates,
  previews,
}: {
  templates: InstructionTemplates;
  previews: SynthesisPreviews;
}): AreaRoutes {
  return (app) => {
    addTemplateRoutes(app, {
      templates,
      tag: 'Data synthesis',
      noun: 'synthesis',
      summaries: {
        list: 'List instruction templates, by name',
        create: 'Create an instruction template',
        get: 'Get an instruction template',
        update: 'Change an instruction template that is not built in: makes its next version',
        remove: 'Delete an instruction template that is not built in; tasks keep their copy',
      },
      schemas: {
        template: TemplateSchema,
        query: InstructionsQuery,
        newTemplate: NewTemplateBody,
        changes: TemplateChangesBody,
      },
      bodyLimit: templateBodyLimit,
    });
    app.get(
      '/templates/:id/versions',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'listSynthesisTemplateVersions',
          summary: 'List the versions of an instruction template, newest first',
          tags,
          params: TaskParams,
          querystring: InstructionVersionsQuery,
          response: { 200: TemplateVersionPageSchema },
        },
      },
      (request) => templates.listVersions(request.params.id, request.query),
    );
    app.post(
      '/templates/:id/preview',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'previewSynthesisTemplate',
          summary: 'Try an instruction template on the first samples of a dataset',
          description:
            'Returns the messages and their tokens. With a model, each sample is one paid call, as in a run; a later run with the same ' +
            'template, sample and model reuses the reply from the ledger. `changes` to the template are tried without being stored.',
          tags,
          params: TaskParams,
          body: PreviewBody,
          response: { 200: PreviewSchema },
        },
      },
      (request, reply) => previews.preview(request.params.id, request.body, callerGone(reply)),
    );
  };
}
