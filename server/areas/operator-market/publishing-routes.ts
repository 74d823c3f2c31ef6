import { readJsonBody } from '../../http/json-body.ts';
import { receiveForm } from '../../http/multipart.ts';
import type { AreaRoutes } from '../../http/routes.ts';
import { NoContent } from '../../http/schemas.ts';
import { bodyValidator } from '../../http/validation.ts';
import type { Operators } from './operators.ts';
import type { Publishing } from './publishing.ts';
import { OperatorParams, OperatorSchema, RatingBody } from './schemas/operators.ts';
import { ExaminationSchema, NewOperatorBody, newOperatorBodyLimit, PackageForm } from './schemas/packages.ts';
import {
  NewPublisherKeyBody,
  PublisherKeyParams,
  PublisherKeySchema,
  PublisherKeysSchema,
} from './schemas/publisher-keys.ts';
import { OperatorVersionQuery, OperatorVersionsSchema, VersionChoiceBody } from './schemas/versions.ts';
import type { PublisherSignatures } from './signatures.ts';

const tags = ['Operator market'];
const readNewOperator = bodyValidator(NewOperatorBody, 'POST');

/** Publishing, installing, approving and rating operators. */
export function publishingRoutes({
  operators,
  publishing,
  signatures,
}: {
  operators: Operators;
  publishing: Publishing;
  signatures: PublisherSignatures;
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
    app.post(
      '/operators/:id/install',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'installOperator',
          summary: 'Install a version of an operator, replacing the installed one',
          tags,
          params: OperatorParams,
          body: VersionChoiceBody,
          response: { 200: OperatorSchema },
        },
      },
      (request) => operators.install(request.params.id, request.body.version, request.principal),
    );
    app.post(
      '/operators/:id/uninstall',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'uninstallOperator',
          summary: 'Uninstall an operator; tasks that use it remain and report that it is missing',
          tags,
          params: OperatorParams,
          response: { 200: OperatorSchema },
        },
      },
      (request) => operators.uninstall(request.params.id, request.principal),
    );
    app.post(
      '/operators/:id/approve',
      {
        config: { access: 'ADMIN' },
        schema: {
          operationId: 'approveOperator',
          summary: 'Approve the capabilities that a version of an operator requests',
          tags,
          params: OperatorParams,
          body: VersionChoiceBody,
          response: { 200: OperatorSchema },
        },
      },
      (request) => operators.approve(request.params.id, request.body.version, request.principal),
    );
    for (const [action, disabled, summary] of [
      ['disable', true, 'Disable an operator: no task can use it'],
      ['enable', false, 'Enable a disabled operator'],
    ] as const) {
      app.post(
        `/operators/:id/${action}`,
        {
          config: { access: 'ADMIN' },
          schema: {
            operationId: `${action}Operator`,
            summary,
            tags,
            params: OperatorParams,
            response: { 200: OperatorSchema },
          },
        },
        (request) => operators.setDisabled(request.params.id, disabled, request.principal),
      );
    }
    app.get(
      '/publisher-keys',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'listPublisherKeys',
          summary: 'List the publisher keys used to verify signatures',
          tags,
          response: { 200: PublisherKeysSchema },
        },
      },
      () => signatures.listKeys(),
    );
    app.post(
      '/publisher-keys',
      {
        config: { access: 'ADMIN' },
        schema: {
          operationId: 'addPublisherKey',
          summary: 'Add a publisher key',
          tags,
          body: NewPublisherKeyBody,
          response: { 201: PublisherKeySchema },
        },
      },
      (request) => signatures.addKey(request.body, request.principal.username),
    );
    app.delete(
      '/publisher-keys/:keyId',
      {
        config: { access: 'ADMIN' },
        schema: {
          operationId: 'deletePublisherKey',
          summary: 'Delete a publisher key; its signatures are no longer verified',
          tags,
          params: PublisherKeyParams,
          response: { 204: NoContent },
        },
      },
      async (request) => {
        await signatures.removeKey(request.params.keyId);
        return null;
      },
    );
  };
}
