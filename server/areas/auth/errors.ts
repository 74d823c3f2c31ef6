import { defineErrors } from '../../kernel/errors.ts';

export const authErrors = defineErrors('auth', {
  LOGIN_FAILED: ['unauthenticated', 'The username or the password is wrong; check both'],
  TOO_MANY_LOGINS: ['rate-limited', 'Too many failed logins; try again in {seconds} s'],
  USER_NOT_FOUND: ['not-found', 'User {id} does not exist'],
  USER_ALREADY_EXISTS: ['conflict', 'A user named {username} already exists; choose another name'],
  LAST_ADMIN: ['conflict', 'The last ADMIN cannot be removed or given another role; make another user ADMIN first'],
  API_KEY_NOT_FOUND: ['not-found', 'API key {id} does not exist'],
});
