import type { AreaRoutes } from '../../http/routes.ts';
import { NoContent } from '../../http/schemas.ts';
import {
  NewPublisherKeyBody,
  PublisherKeyParams,
  PublisherKeySchema,
  PublisherKeysSchema,
} from './schemas/publisher-keys.ts';
import type { PublisherSignatures } from './signatures.ts';

const tags = ['Operator market'];

/** The keys by which signatures of packages are verified. */
export function publisherKeyRoutes({ signatures }: { signatures: PublisherSignatures }): AreaRoutes {
  return (app) => {
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
