export { createAuth, type Auth, type AuthSettings } from './auth.ts';
export { authErrors } from './errors.ts';
export { createPasswordHashing, maxPasswordLength, minPasswordLength } from './passwords.ts';
export { authRoutes } from './routes.ts';
export { loadSharedSigningKey, loadSigningKey, signingKeyFile } from './signing-key.ts';
export { createUsers, type User, type Users } from './users.ts';
