import type { AreaRoutes } from '../../http/routes.ts';
import type { Cards } from './cards/cards.ts';
import { CardQuery, CardSchema, CroissantSchema } from './schemas/cards.ts';
import { DatasetParams } from './schemas/datasets.ts';

const tags = ['Datasets'];
const params = DatasetParams;

/** Descriptions of a dataset for people and for programs. */
export function cardRoutes({ cards }: { cards: Cards }): AreaRoutes {
  return (app) => {
    app.get(
      '/datasets/:datasetId/card',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'getDatasetCard',
          summary: 'Show the card of a dataset: README, licence, tags, sizes, splits and tables',
          description:
            'Describes one version. For column statistics see `files/{fileId}/columns`, for the origin of the data `lineage`. Description, licence, citation and tags ' +
            'are changed by updating the dataset, the README by uploading a new one.',
          tags,
          params,
          querystring: CardQuery,
          response: { 200: CardSchema },
        },
      },
      (request) => cards.card(request.params.datasetId, request.query.version),
    );
    app.get(
      '/datasets/:datasetId/croissant',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'getDatasetCroissant',
          summary: 'Describe a dataset in Croissant, the JSON-LD of MLCommons',
          description:
            'Complete files with their checksums, and a record set with typed fields for each of the first 50 tables. If Croissant readers cannot open a table, ' +
            'the description of its file says why; columns that they cannot read are listed in the description of the record set. 503 UNAVAILABLE with Retry-After while ' +
            'checksums and column types are being computed; 409 CARD_TOO_LARGE beyond 10,000 files.',
          tags,
          params,
          querystring: CardQuery,
          response: { 200: CroissantSchema },
        },
      },
      (request) => {
        const { params: path, query, protocol, host, server } = request;
        return cards.croissant(path.datasetId, query.version, `${protocol}://${host}${server.basePath}`);
      },
    );
  };
}
