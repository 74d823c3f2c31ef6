import { type Static, Type } from 'typebox';
import { IdSchema, named, namedObject, TimestampSchema } from '../../../http/schemas.ts';

export const PublisherKeySchema = namedObject('PublisherKey', {
  id: IdSchema,
  name: Type.String(),
  publicKey: Type.String(),
  createdAt: TimestampSchema,
  createdBy: Type.String(),
});

export type PublisherKey = Static<typeof PublisherKeySchema>;

export const PublisherKeysSchema = named('PublisherKeys', Type.Array(PublisherKeySchema));

export const NewPublisherKeyBody = namedObject('NewPublisherKey', {
  name: Type.String({ minLength: 1, maxLength: 100 }),
  publicKey: Type.String({ maxLength: 1000, description: 'Ed25519, in PEM' }),
});

export type NewPublisherKey = Static<typeof NewPublisherKeyBody>;

export const PublisherKeyParams = Type.Object({ keyId: IdSchema });
