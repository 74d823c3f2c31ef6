// Made from the files of this folder by `npm run docs`; do not edit.
import type { AreaRoutes } from '../../http/routes.ts';
import { apiKeyRoutes } from './api-key-routes.ts';
import { loginRoutes } from './login-routes.ts';
import { userRoutes } from './user-routes.ts';

export type AuthNouns = Parameters<typeof apiKeyRoutes>[0] &
  Parameters<typeof loginRoutes>[0] &
  Parameters<typeof userRoutes>[0];

/** Routes under `/auth`. */
export function authRoutes(nouns: AuthNouns): AreaRoutes {
  return async (app) => {
    await apiKeyRoutes(nouns)(app);
    await loginRoutes(nouns)(app);
    await userRoutes(nouns)(app);
  };
}
