import { clearSessionCookies, setSessionCookies } from '../../http/session-cookies.ts';
import type { AreaRoutes } from '../../http/routes.ts';
import { NoContent } from '../../http/schemas.ts';
import type { Auth } from './auth.ts';
import { LoginBody, LoginSchema, MeSchema, PasswordBody } from './schemas/logins.ts';

const tags = ['Auth'];

/** Sign-in and sign-out, and what users do with their own account. */
export function loginRoutes({ logins, sessions }: { logins: Auth['logins']; sessions: Auth['sessions'] }): AreaRoutes {
  return (app) => {
    app.post(
      '/login',
      {
        // Callable without credentials.
        bodyLimit: 16 * 1024,
        config: { access: 'PUBLIC' },
        schema: { operationId: 'login', summary: 'Sign in', tags, body: LoginBody, response: { 200: LoginSchema } },
      },
      async (request, reply) => {
        const login = await logins.login(request.body, request.ip);
        if (request.body.cookie === true)
          setSessionCookies(request, reply, { ...login, csrfToken: sessions.csrfToken(login.token) });
        reply.header('cache-control', 'no-store');
        return login;
      },
    );
    app.post(
      '/logout',
      {
        config: { access: 'VIEWER', freesSpace: true },
        schema: {
          operationId: 'logout',
          summary: 'Sign out: revoke the token or cookie in use',
          tags,
          response: { 204: NoContent },
        },
      },
      async (request, reply) => {
        await logins.logout(request.principal);
        clearSessionCookies(request, reply);
        return null;
      },
    );
    app.get(
      '/me',
      {
        config: { access: 'VIEWER' },
        schema: { operationId: 'getMe', summary: 'Get the current user', tags, response: { 200: MeSchema } },
      },
      async ({ principal: { userId: id, username, role } }) => ({ id, username, role }),
    );
    app.put(
      '/me/password',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'changePassword',
          summary: 'Change your own password',
          tags,
          body: PasswordBody,
          response: { 204: NoContent },
        },
      },
      async (request) => {
        await logins.changePassword(request.principal, request.body, request.ip);
        return null;
      },
    );
  };
}
