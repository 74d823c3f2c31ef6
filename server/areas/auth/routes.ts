import { clearSessionCookies, setSessionCookies } from '../../http/session-cookies.ts';
import type { AreaRoutes } from '../../http/routes.ts';
import { NoContent } from '../../http/schemas.ts';
import type { Auth } from './auth.ts';
import {
  ApiKeyParams,
  ApiKeysSchema,
  LoginBody,
  LoginSchema,
  MeSchema,
  NewApiKeyBody,
  NewApiKeySchema,
  NewUserBody,
  PasswordBody,
  UserChangesBody,
  UserParams,
  UserSchema,
  UsersSchema,
} from './schemas.ts';

const tags = ['Auth'];

/** Routes under `/auth`. */
export function authRoutes({ logins, users, apiKeys, sessions }: Auth): AreaRoutes {
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
          summary: 'Revoke the token or cookie in use',
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

    app.get(
      '/users',
      {
        config: { access: 'ADMIN' },
        schema: { operationId: 'listUsers', summary: 'List users', tags, response: { 200: UsersSchema } },
      },
      () => users.list(),
    );
    app.post(
      '/users',
      {
        config: { access: 'ADMIN' },
        schema: {
          operationId: 'createUser',
          summary: 'Create a user',
          tags,
          body: NewUserBody,
          response: { 201: UserSchema },
        },
      },
      (request) => users.create(request.body),
    );
    app.put(
      '/users/:userId',
      {
        config: { access: 'ADMIN' },
        schema: {
          operationId: 'updateUser',
          summary: "Change a user's name, password or role",
          tags,
          params: UserParams,
          body: UserChangesBody,
          response: { 200: UserSchema },
        },
      },
      (request) => users.update(request.params.userId, request.body),
    );
    app.delete(
      '/users/:userId',
      {
        config: { access: 'ADMIN' },
        schema: {
          operationId: 'deleteUser',
          summary: 'Remove a user',
          tags,
          params: UserParams,
          response: { 204: NoContent },
        },
      },
      async (request) => {
        await users.remove(request.params.userId);
        return null;
      },
    );

    app.get(
      '/api-keys',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'listApiKeys',
          summary: 'List your own API keys',
          tags,
          response: { 200: ApiKeysSchema },
        },
      },
      (request) => apiKeys.list(request.principal),
    );
    app.post(
      '/api-keys',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'createApiKey',
          summary: 'Create an API key',
          tags,
          body: NewApiKeyBody,
          response: { 201: NewApiKeySchema },
        },
      },
      (request) => apiKeys.create(request.principal, request.body),
    );
    app.delete(
      '/api-keys/:keyId',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'deleteApiKey',
          summary: 'Delete one of your API keys',
          tags,
          params: ApiKeyParams,
          response: { 204: NoContent },
        },
      },
      async (request) => {
        await apiKeys.remove(request.principal, request.params.keyId);
        return null;
      },
    );
  };
}
