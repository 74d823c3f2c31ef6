import type { AreaRoutes } from '../../http/routes.ts';
import { apiKeyRoutes } from './api-key-routes.ts';
import type { Auth } from './auth.ts';
import { loginRoutes } from './login-routes.ts';
import { userRoutes } from './user-routes.ts';

/** Routes under `/auth`. */
export function authRoutes(auth: Auth): AreaRoutes {
  return async (app) => {
    await loginRoutes(auth)(app);
    await userRoutes(auth)(app);
    await apiKeyRoutes(auth)(app);
  };
}
