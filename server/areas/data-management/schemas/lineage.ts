import { Type, type Static } from 'typebox';
import { IdSchema, namedObject, nullable, oneOf, TimestampSchema } from '../../../http/schemas.ts';
import { recordOf } from '../../../kernel/record-schema.ts';

export const lineageDepth = { default: 3, maximum: 20 };
export const lineageNodes = { default: 200, maximum: 1000 };

const bounds = {
  direction: Type.Optional(
    oneOf('LineageDirection', ['BOTH', 'UP', 'DOWN'], {
      default: 'BOTH',
      description: 'UP: what the dataset was created from; DOWN: what was created from it',
    }),
  ),
  depth: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: lineageDepth.maximum,
      default: lineageDepth.default,
      description: 'Maximum number of consecutive runs to follow in each direction',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: lineageNodes.maximum,
      default: lineageNodes.default,
      description: 'Maximum number of nodes to return; the newest runs are kept',
    }),
  ),
};

export const LineageQuery = Type.Object({
  ...bounds,
  version: Type.Optional(
    Type.Integer({
      minimum: 1,
      description:
        'Show what this version and earlier ones were created from, and what read this or a later version. Default: all versions',
    }),
  ),
});
export type LineageQuery = Static<typeof LineageQuery>;

export const UseParams = Type.Object({
  kind: oneOf('LineageRootKind', ['OPERATOR', 'MODEL', 'KNOWLEDGE_BASE']),
  id: IdSchema,
});
export type LineageRootKind = Static<typeof UseParams>['kind'];
export const UseQuery = Type.Object(bounds);
export type UseQuery = Static<typeof UseParams> & Static<typeof UseQuery>;

const LineageStepSchema = namedObject('LineageStep', {
  operatorId: Type.String(),
  version: Type.String(),
  digest: nullable(Type.String({ description: 'Digest of the package of a published operator' })),
  params: recordOf(Type.Unknown(), { description: 'All parameters' }),
});

const LineageNodeSchema = namedObject('LineageNode', {
  id: Type.String({ description: 'Unique in the graph' }),
  kind: oneOf('LineageNodeKind', [
    'DATASET_VERSION',
    'RUN',
    'QUERY',
    'OPERATOR',
    'MODEL',
    'TEMPLATE',
    'CONNECTOR',
    'KNOWLEDGE_BASE',
  ]),
  name: nullable(Type.String({ description: 'Display name; null if the object was deleted' })),
  hidden: Type.Boolean({ description: 'Whether the object was deleted; the node shows only that it existed' }),
  refId: Type.String({ description: 'Id of the dataset, run, query, operator, model, template or knowledge base' }),
  version: nullable(Type.String({ description: 'Version of the dataset, the operator or the template' })),
  digest: Type.Optional(Type.String({ description: 'Digest of the package of a published operator' })),
  run: Type.Optional(
    namedObject('LineageRun', {
      area: Type.String({ description: 'URL prefix of its area' }),
      taskId: IdSchema,
      number: Type.Integer({ description: 'Number of the run within its task; 0 if no longer known' }),
      stored: Type.Boolean({ description: 'Whether the run still exists, with its log and ledger' }),
      steps: Type.Array(LineageStepSchema),
      counts: namedObject('LineageCounts', {
        in: Type.Integer(),
        kept: Type.Integer(),
        changed: Type.Integer(),
        dropped: Type.Integer(),
        failed: Type.Integer(),
        emitted: Type.Integer(),
      }),
      createdBy: Type.String(),
      startedAt: TimestampSchema,
      finishedAt: TimestampSchema,
    }),
  ),
  query: Type.Optional(
    namedObject('LineageSqlQuery', {
      sql: Type.String({ description: 'The SQL statement, truncated if long' }),
      createdBy: Type.String(),
      createdAt: TimestampSchema,
    }),
  ),
  documents: Type.Optional(
    Type.Integer({ description: 'Number of documents in the knowledge base from the versions shown' }),
  ),
});
export type LineageNode = Static<typeof LineageNodeSchema>;

const LineageEdgeSchema = namedObject('LineageEdge', {
  from: Type.String({ description: 'Id of the node that the data, or the tool, comes from' }),
  to: Type.String(),
  kind: oneOf('LineageEdgeKind', ['READ', 'COMPARED', 'WROTE', 'USED', 'INDEXED', 'BECAME'], {
    description:
      'A run or a query READ a version, COMPARED its samples with one, WROTE one, or USED a tool; a knowledge base INDEXED a version; a version BECAME a later one of its dataset',
  }),
});
export type LineageEdge = Static<typeof LineageEdgeSchema>;

export const LineageSchema = namedObject('DatasetLineage', {
  root: Type.String({ description: 'Id of the requested node' }),
  nodes: Type.Array(LineageNodeSchema),
  edges: Type.Array(LineageEdgeSchema),
  truncated: Type.Boolean({ description: 'Whether `depth` or `limit` cut off part of the graph' }),
});
export type DatasetLineage = Static<typeof LineageSchema>;
