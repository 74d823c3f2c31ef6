import { type Static, Type } from 'typebox';
import { IdSchema, namedObject, oneOf, pageOf, pageQuery, TimestampSchema } from '../../../http/schemas.ts';

export const nodeStates = ['STARTING', 'SERVING', 'DRAINING', 'SILENT'] as const;

export const NodeSchema = namedObject('Node', {
  id: IdSchema,
  version: Type.String({ description: 'Release of the service' }),
  address: Type.String({ description: 'Address that it listens on; empty while it starts' }),
  state: oneOf('NodeState', nodeStates, {
    description: 'DRAINING: it is about to stop. SILENT: it has not reported to the database for 10 seconds',
  }),
  startedAt: TimestampSchema,
  seenAt: TimestampSchema,
  runs: Type.Integer({ description: 'Runs that it is working on' }),
  isSelf: Type.Boolean({ description: 'Whether it is the node that sent this response' }),
});

export type NodeRecord = Static<typeof NodeSchema>;

export const NodePageSchema = pageOf(NodeSchema);

export const NodesQuery = Type.Object(pageQuery);
