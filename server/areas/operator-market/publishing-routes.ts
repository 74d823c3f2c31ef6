import { readJsonBody } from '../../http/json-body.ts';
import { receiveForm } from '../../http/multipart.ts';
import type { AreaRoutes } from '../../http/routes.ts';
import { NoContent } from '../../http/schemas.ts';
import { bodyValidator } from '../../http/validation.ts';
import type { Operators } from './operators.ts';
import type { Publishing } from './publishing.ts';
import { OperatorParams, OperatorSchema, RatingBody } from './schemas/operators.ts';
import { ExaminationSchema, NewOperatorBody, newOperatorBodyLimit, PackageForm } from './schemas/packages.ts';
import { OperatorVersionQuery, OperatorVersionsSchema } from './schemas/versions.ts';

const tags = ['Operator market'];
const readNewOperator = bodyValidator(NewOperatorBody, 'POST');

/** Publishing, rating and deleting operators. */
export function publishingRoutes({
  operators,
  publishing,
}: {
  operators: Operators;
  publishing: Publishing;
}): AreaRoutes {
  return (app) => {
    app.post(
      '/operators',
      {
        config: {
          access: 'EDITOR',
          body: 'stream',
          streamBody: { contentType: 'multipart/form-data', schema: PackageForm, orJson: NewOperatorBody },
        },
        schema: {
          operationId: 'publishOperator',
          summary:
            'Publish an operator: a package (.tgz or .zip) as multipart/form-data, or manifest and source as JSON',
          description:
            'Before it returns, the manifest is checked, the examples run in the sandbox, and speed, memory and determinism are measured. Published versions never change.',
          tags,
          response: { 201: OperatorSchema },
        },
      },
      async (request) => {
        const by = request.principal;
        if (/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
          return publishing.publish(readNewOperator(await readJsonBody(request.raw, newOperatorBodyLimit)), by);
        }
        return receiveForm(request.raw, publishing.receive(by));
      },
    );
    app.post(
      '/examinations',
      {
        config: {
          access: 'EDITOR',
          body: 'stream',
          streamBody: { contentType: 'multipart/form-data', schema: PackageForm },
        },
        schema: {
          operationId: 'examineOperatorPackage',
          summary: 'Run all publishing checks on a package (.tgz or .zip) without publishing it',
          description: 'Returns 200 even for a package that would be refused, with the failed check and the reason.',
          tags,
          response: { 200: ExaminationSchema },
        },
      },
      (request) => receiveForm(request.raw, publishing.receiveExamined(request.principal)),
    );
    app.delete(
      '/operators/:id',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'deleteOperator',
          summary: 'Delete a version of a published operator, or all of them',
          description:
            'Only for its publisher and administrators. The number of a deleted version can never be used again.',
          tags,
          params: OperatorParams,
          querystring: OperatorVersionQuery,
          response: { 204: NoContent },
        },
      },
      async (request) => {
        await operators.remove(request.params.id, request.query.version, request.principal);
        return null;
      },
    );
    app.get(
      '/operators/:id/versions',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'listOperatorVersions',
          summary: 'List the versions of an operator, newest first',
          tags,
          params: OperatorParams,
          response: { 200: OperatorVersionsSchema },
        },
      },
      (request) => operators.versions(request.params.id),
    );
    app.put(
      '/operators/:id/rating',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'rateOperator',
          summary: 'Rate an operator; each user has one rating',
          tags,
          params: OperatorParams,
          body: RatingBody,
          response: { 200: OperatorSchema },
        },
      },
      (request) => operators.rate(request.params.id, request.body.stars, request.principal),
    );
  };
}
