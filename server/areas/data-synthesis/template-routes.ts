import { callerGone } from '../../http/caller-gone.ts';
import type { AreaRoutes } from '../../http/routes.ts';
import { NoContent } from '../../http/schemas.ts';
import { TaskParams } from '../../tasks/schemas.ts';
import { PreviewBody, PreviewSchema } from './schemas/previews.ts';
import type { SynthesisPreviews } from './previews.ts';
import {
  NewTemplateBody,
  TemplateChangesBody,
  TemplatePageSchema,
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
    app.get(
      '/templates',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'listSynthesisTemplates',
          summary: 'List instruction templates, by name',
          tags,
          querystring: InstructionsQuery,
          response: { 200: TemplatePageSchema },
        },
      },
      (request) => templates.list(request.query),
    );
    app.post(
      '/templates',
      {
        bodyLimit: templateBodyLimit,
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'createSynthesisTemplate',
          summary: 'Create an instruction template',
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
          operationId: 'getSynthesisTemplate',
          summary: 'Get an instruction template',
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
        bodyLimit: templateBodyLimit,
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'updateSynthesisTemplate',
          summary: 'Change an instruction template that is not built in: makes its next version',
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
          operationId: 'deleteSynthesisTemplate',
          summary: 'Delete an instruction template that is not built in; tasks keep their copy',
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
            'Answers the messages and their tokens. With a model, each sample is one call, as a run would make it: it is paid for, and a run with the same ' +
            'template, sample and model has its reply from the ledger. `changes` of the template are tried without being stored.',
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
