import { Type } from 'typebox';
import { IdSchema, named, namedObject, oneOf, TimestampSchema } from '../../../http/schemas.ts';
import { roles } from '../../../kernel/principal.ts';

export const newPassword = Type.String({ minLength: 12, maxLength: 128 });

export const RoleSchema = oneOf('Role', roles);

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
    description: 'Letters, digits or . _ @ + -; unique, not case-sensitive',
  }),
  password: newPassword,
  role: RoleSchema,
});

export const UserChangesBody = named('UserChanges', Type.Partial(NewUserBody));

export const UserParams = Type.Object({ userId: IdSchema });
