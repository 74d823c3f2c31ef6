import type { AreaRoutes } from '../../http/routes.ts';
import { NoContent } from '../../http/schemas.ts';
import type { Auth } from './auth.ts';
import { ApiKeyParams, ApiKeysSchema, NewApiKeyBody, NewApiKeySchema } from './schemas/api-keys.ts';

const tags = ['Auth'];

/** The API keys of the caller. */
export function apiKeyRoutes({ apiKeys }: { apiKeys: Auth['apiKeys'] }): AreaRoutes {
  return (app) => {
    app.get(
      '/api-keys',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'listApiKeys',
          summary: 'List your own API keys',
          tags,
          response: { 200: ApiKeysSchema },
        },
      },
      (request) => apiKeys.list(request.principal),
    );
    app.post(
      '/api-keys',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'createApiKey',
          summary: 'Create an API key',
          tags,
          body: NewApiKeyBody,
          response: { 201: NewApiKeySchema },
        },
      },
      (request) => apiKeys.create(request.principal, request.body),
    );
    app.delete(
      '/api-keys/:keyId',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'deleteApiKey',
          summary: 'Delete one of your API keys',
          tags,
          params: ApiKeyParams,
          response: { 204: NoContent },
        },
      },
      async (request) => {
        await apiKeys.remove(request.principal, request.params.keyId);
        return null;
      },
    );
  };
}
