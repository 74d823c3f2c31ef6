import { Type } from 'typebox';
import { IdSchema, namedObject, nullable, oneOf, TimestampSchema } from '../../../http/schemas.ts';
import { roles } from '../../../kernel/principal.ts';
import { RoleSchema } from './users.ts';

export const ApiKeySchema = namedObject('ApiKey', {
  id: Type.String(),
  name: Type.String(),
  prefix: Type.String({ description: 'First characters of the key' }),
  role: nullable(oneOf('Role', roles, { description: 'Null: the role of the owner' })),
  expiresAt: nullable(TimestampSchema),
  createdAt: TimestampSchema,
});

export const ApiKeysSchema = Type.Array(ApiKeySchema);

export const NewApiKeySchema = namedObject('CreatedApiKey', {
  ...ApiKeySchema.properties,
  key: Type.String({ description: 'Shown only once' }),
});

export const NewApiKeyBody = namedObject('NewApiKey', {
  name: Type.String({ minLength: 1, maxLength: 100 }),
  role: Type.Optional(RoleSchema),
  expiresAt: Type.Optional(Type.String({ description: 'ISO 8601 time in the future' })),
});

export const ApiKeyParams = Type.Object({ keyId: IdSchema });
