import { Type } from 'typebox';
import { namedObject } from '../../../http/schemas.ts';
import { newPassword, RoleSchema } from './users.ts';

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
