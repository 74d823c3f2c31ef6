import { callerGone } from '../../http/caller-gone.ts';
import type { AreaRoutes } from '../../http/routes.ts';
import {
  ConnectorPageSchema,
  ConnectorParams,
  ConnectorTestBody,
  ConnectorTestResultSchema,
} from './schemas/connectors.ts';
import { collectionBodyLimit, PageOnlyQuery } from './schemas/tasks.ts';
import type { Sources } from './sources.ts';

const tags = ['Data collection'];

/** Connectors, and tests of their sources. */
export function connectorRoutes({ sources }: { sources: Sources }): AreaRoutes {
  return (app) => {
    app.get(
      '/connectors',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'listConnectors',
          summary: 'List the connectors with their configuration schemas',
          tags,
          querystring: PageOnlyQuery,
          response: { 200: ConnectorPageSchema },
        },
      },
      (request) => sources.list(request.query),
    );
    app.post(
      '/connectors/:type/test',
      {
        bodyLimit: collectionBodyLimit,
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'testConnector',
          summary: 'Connect to a source and list a sample; writes nothing',
          description: 'Returns 200 even if the source cannot be reached; `message` then says why. Takes at most 60 s.',
          tags,
          params: ConnectorParams,
          body: ConnectorTestBody,
          response: { 200: ConnectorTestResultSchema },
        },
      },
      (request, reply) => sources.test(request.params.type, request.body, callerGone(reply)),
    );
  };
}
