import { Type } from 'typebox';
import { IdSchema, named, namedObject, nullable, oneOf, TimestampSchema } from '../../http/schemas.ts';
import { roles } from '../../kernel/principal.ts';

const newPassword = Type.String({ minLength: 12, maxLength: 128 });

export const RoleSchema = oneOf('Role', roles);

export const LoginBody = namedObject('LoginRequest', {
  username: Type.String(),
  password: Type.String(),
  cookie: Type.Optional(Type.Boolean({ description: 'Also set the session cookie of the web application' })),
});
export const LoginSchema = namedObject('Login', {
  token: Type.String({ description: 'JSON web token for Authorization: Bearer' }),
  expiresIn: Type.Integer({ description: 'Lifetime in seconds' }),
});

export const MeSchema = namedObject('Me', { id: Type.String(), username: Type.String(), role: RoleSchema });
export const PasswordBody = namedObject('PasswordChange', {
  currentPassword: Type.String(),
  newPassword,
});

export const UserSchema = namedObject('User', {
  id: Type.String(),
  username: Type.String(),
  role: RoleSchema,
  createdAt: TimestampSchema,
  updatedAt: TimestampSchema,
});
export const UsersSchema = Type.Array(UserSchema);
export const NewUserBody = namedObject('NewUser', {
  username: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'Letters, digits or . _ @ + -; unique without regard to case',
  }),
  password: newPassword,
  role: RoleSchema,
});
export const UserChangesBody = named('UserChanges', Type.Partial(NewUserBody));
export const UserParams = Type.Object({ userId: IdSchema });

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
