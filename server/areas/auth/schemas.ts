import { Type } from 'typebox';
import { IdSchema, named, namedObject, nullable, oneOf, TimestampSchema } from '../../http/schemas.ts';
import { roles } from '../../kernel/principal.ts';

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
  newPassword: Type.String({ description: '12 to 128 characters' }),
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
  username: Type.String({ description: '1 to 64 letters, digits or . _ @ + -; unique without regard to case' }),
  password: Type.String({ description: '12 to 128 characters' }),
  role: RoleSchema,
});
export const UserChangesBody = named('UserChanges', Type.Partial(NewUserBody));
export const UserParams = Type.Object({ userId: IdSchema });

export const ApiKeySchema = namedObject('ApiKey', {
  id: Type.String(),
  name: Type.String(),
  prefix: Type.String({ description: 'First characters of the key' }),
  role: nullable(oneOf('Role', roles, { description: "Null: whatever the owner's role is" })),
  expiresAt: nullable(TimestampSchema),
  createdAt: TimestampSchema,
});
export const ApiKeysSchema = Type.Array(ApiKeySchema);
export const NewApiKeySchema = namedObject('CreatedApiKey', {
  ...ApiKeySchema.properties,
  key: Type.String({ description: 'Shown this once' }),
});
export const NewApiKeyBody = namedObject('NewApiKey', {
  name: Type.String({ description: '1 to 100 characters' }),
  role: Type.Optional(RoleSchema),
  expiresAt: Type.Optional(Type.String({ description: 'ISO 8601 time in the future' })),
});
export const ApiKeyParams = Type.Object({ keyId: IdSchema });
