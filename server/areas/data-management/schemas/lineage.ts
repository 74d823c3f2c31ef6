import { Type, type Static } from 'typebox';
import { IdSchema, namedObject, nullable, oneOf, TimestampSchema } from '../../../http/schemas.ts';

export const lineageDepth = { default: 3, maximum: 20 };
export const lineageNodes = { default: 200, maximum: 1000 };

const bounds = {
  direction: Type.Optional(
    oneOf('LineageDirection', ['BOTH', 'UP', 'DOWN'], {
      default: 'BOTH',
      description: 'UP: what the dataset was made of; DOWN: what was made of it',
    }),
  ),
  depth: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: lineageDepth.maximum,
      default: lineageDepth.default,
      description: 'Runs, one after the other, that are followed in each direction',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: lineageNodes.maximum,
      default: lineageNodes.default,
      description: 'Most nodes of the answer; the newest runs are kept',
    }),
  ),
};

export const LineageQuery = Type.Object({
  ...bounds,
  version: Type.Optional(
    Type.Integer({
      minimum: 1,
      description:
        'Of this version: what it and the versions before it were made of, and who read it or a later one. Default: all versions',
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
  digest: nullable(Type.String({ description: 'Of the package of a published operator' })),
  params: Type.Record(Type.String(), Type.Unknown(), { description: 'Complete parameters' }),
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
  name: nullable(Type.String({ description: 'For people; null if the thing is deleted and so its name is hidden' })),
  hidden: Type.Boolean({ description: 'The thing is deleted: the node shows that it was there, and nothing of it' }),
  refId: Type.String({ description: 'Id of the dataset, run, query, operator, model, template or knowledge base' }),
  version: nullable(Type.String({ description: 'Of the dataset, the operator or the template' })),
  digest: Type.Optional(Type.String({ description: 'Of the package of a published operator' })),
  run: Type.Optional(
    namedObject('LineageRun', {
      area: Type.String({ description: 'URL prefix of its area' }),
      taskId: IdSchema,
      number: Type.Integer({ description: 'Of the run within its task; 0 if it is not known any more' }),
      stored: Type.Boolean({ description: 'Whether the run itself is still there, with its log and ledger' }),
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
      sql: Type.String({ description: 'The statement; a long one is cut' }),
      createdBy: Type.String(),
      createdAt: TimestampSchema,
    }),
  ),
  documents: Type.Optional(Type.Integer({ description: 'Documents of a knowledge base from the versions shown' })),
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
  root: Type.String({ description: 'Id of the node that was asked about' }),
  nodes: Type.Array(LineageNodeSchema),
  edges: Type.Array(LineageEdgeSchema),
  truncated: Type.Boolean({ description: 'More is known than `depth` or `limit` let through' }),
});
export type DatasetLineage = Static<typeof LineageSchema>;
