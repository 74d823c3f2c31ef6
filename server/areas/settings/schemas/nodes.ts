import { type Static, Type } from 'typebox';
import { IdSchema, namedObject, oneOf, pageOf, pageQuery, TimestampSchema } from '../../../http/schemas.ts';

export const nodeStates = ['STARTING', 'SERVING', 'DRAINING', 'SILENT'] as const;

export const NodeSchema = namedObject('Node', {
  id: IdSchema,
  version: Type.String({ description: 'Release of the service' }),
  address: Type.String({ description: 'Where it listens; empty while it starts' }),
  state: oneOf('NodeState', nodeStates, {
    description: 'DRAINING: it is about to stop. SILENT: the database has not heard of it for 10 seconds',
  }),
  startedAt: TimestampSchema,
  seenAt: TimestampSchema,
  runs: Type.Integer({ description: 'Runs that it is at work on' }),
  isSelf: Type.Boolean({ description: 'Whether it is the node that answers' }),
});

export type NodeRecord = Static<typeof NodeSchema>;

export const NodePageSchema = pageOf(NodeSchema);

export const NodesQuery = Type.Object(pageQuery);
