import { defineErrors } from '../../kernel/errors.ts';

export const authErrors = defineErrors('auth', {
  LOGIN_FAILED: ['unauthenticated', 'The username or the password is wrong'],
  TOO_MANY_LOGINS: ['rate-limited', 'Too many failed logins; try again in {seconds} s'],
  USER_NOT_FOUND: ['not-found', 'User {id} does not exist'],
  USERNAME_TAKEN: ['conflict', 'There is a user {username} already'],
  LAST_ADMIN: ['conflict', 'The last ADMIN can neither be removed nor get another role'],
  API_KEY_NOT_FOUND: ['not-found', 'API key {id} does not exist'],
});
