import { type Static, Type } from 'typebox';
import { named, namedObject, nullable, TimestampSchema } from '../../../http/schemas.ts';
import { MetricsSchema, SignatureSchema, StatusSchema } from './operators.ts';

export const OperatorVersionQuery = Type.Object({
  version: Type.Optional(Type.String({ description: 'Default: all versions' })),
});

export const OperatorVersionSchema = namedObject('OperatorVersion', {
  version: Type.String(),
  status: StatusSchema,
  installed: Type.Boolean(),
  digest: Type.String(),
  sizeBytes: Type.Integer(),
  capabilities: Type.Array(Type.String()),
  models: Type.Array(Type.String()),
  signature: nullable(SignatureSchema),
  changes: nullable(Type.String()),
  metrics: nullable(MetricsSchema),
  createdAt: nullable(TimestampSchema),
  createdBy: nullable(Type.String()),
});

export type OperatorVersionView = Static<typeof OperatorVersionSchema>;

export const OperatorVersionsSchema = named('OperatorVersions', Type.Array(OperatorVersionSchema));

export const VersionChoiceBody = namedObject('OperatorVersionChoice', {
  version: Type.Optional(Type.String({ maxLength: 64, description: 'Default: the newest' })),
});

export type VersionChoice = Static<typeof VersionChoiceBody>;
