import type { AreaRoutes } from '../../http/routes.ts';
import { NoContent } from '../../http/schemas.ts';
import type { Auth } from './auth.ts';
import { NewUserBody, UserChangesBody, UserParams, UserSchema, UsersSchema } from './schemas/users.ts';

const tags = ['Auth'];

/** Users, for administrators. */
export function userRoutes({ users }: { users: Auth['users'] }): AreaRoutes {
  return (app) => {
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
  };
}
