import type { Area } from '../../area.ts';
import type { Auth } from './auth.ts';
import { authRoutes } from './routes.ts';

export { createAuth, type Auth, type AuthSettings } from './auth.ts';
export { authErrors } from './errors.ts';
export { createPasswordHashing, maxPasswordLength, minPasswordLength } from './passwords.ts';
export { loadSharedSigningKey, loadSigningKey, signingKeyFile } from './signing-key.ts';
export { createUsers, type User, type Users } from './users.ts';

/** The area of users, their tokens and API keys. */
export function createAuthArea(auth: Auth): Area {
  return {
    prefix: '/auth',
    envelope: false,
    routes: authRoutes(auth),
    contentHolders: [],
    lineageSources: [],
    runNames: {},
    start() {},
    stop() {},
  };
}
