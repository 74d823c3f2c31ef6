import assert from 'node:assert/strict';
import { after, type TestContext } from 'node:test';
import type { DatabaseOptions } from '../../server/storage/database/database.ts';
import { startApp, type RunningApp } from '../support/server.ts';
import { sharedApp } from '../support/shared-app.ts';
import { createClient, type Client } from './client.ts';
import { closeIdleConnections, exchange } from './http-exchange.ts';
import { readOpenApi, type OpenApiDocument } from './openapi-document.ts';
import { Login, User } from './shapes.ts';

type Headers = Readonly<Record<string, string>>;

/**
 * A running service with a client per role; erin, the editor, and vera, the viewer, are created at their first call.
 */
export type Service = {
  url: string;
  openApi: OpenApiDocument;
  admin: Client;
  editor: Client;
  viewer: Client;
  anonymous: Client;
  /** Creates a user and signs in. */
  newCaller(username: string, role: string): Promise<Client>;
};

export const userPassword = 'correct horse battery';

/**
 * Starts a complete service on a free port, by default over SQLite in its own data directory; it stops with the test.
 * Rate limits are off unless the settings set them: table-driven tests make hundreds of calls.
 */
export async function startService(
  t: TestContext,
  settings: Readonly<Record<string, string>> = {},
  database?: DatabaseOptions,
): Promise<Service> {
  t.after(closeIdleConnections);
  return serviceOf(await startApp(t, { settings, ...(database === undefined ? {} : { database }) }));
}

/** One service for all tests of a file, to be called at its top level; see `sharedApp`. */
export function sharedService(
  fileUrl: string,
  settings: Readonly<Record<string, string>> = {},
): {
  open(): Promise<Service>;
  /** With erin and vera. */
  openWithUsers(): Promise<Service>;
  forAnyDatabase(name: string, run: (t: TestContext, service: Service) => void | Promise<void>): void;
} {
  after(closeIdleConnections);
  const shared = sharedApp(fileUrl, { settings });
  const services = new Map<RunningApp, Promise<Service>>();
  const known = (app: RunningApp): Promise<Service> => {
    const service = services.get(app) ?? serviceOf(app);
    services.set(app, service);
    return service;
  };
  const open = async () => known(await shared.open());
  return {
    open,
    openWithUsers: async () => withUsers(await open()),
    forAnyDatabase: (name, run) => shared.forAnyDatabase(name, async (t, app) => run(t, await known(app))),
  };
}

async function serviceOf(app: RunningApp): Promise<Service> {
  const document = await exchange({ url: app.url, method: 'GET', path: '/api/v1/openapi.json' });
  assert.equal(document.status, 200, 'the OpenAPI document is public');
  const openApi = readOpenApi(JSON.parse(document.bytes.toString('utf8')) as Record<string, unknown>);
  const credential = { Authorization: `Bearer ${app.token}` };
  const admin = createClient({ url: app.url, credential, openApi, dataDirectory: app.dataDir });

  const newToken = async (username: string, role: string): Promise<Headers> => {
    (await admin.post('/auth/users', { username, password: userPassword, role })).is(201, User);
    const answer = await admin.withoutCredential().post('/auth/login', { username, password: userPassword });
    return { Authorization: `Bearer ${answer.is(200, Login).token}` };
  };
  // Most tests need at most one of the two, and hashing a password is slow on purpose.
  const onFirstCall = (username: string, role: string): Client => {
    let token: Promise<Headers> | undefined;
    return createClient({
      url: app.url,
      credential: () => (token ??= newToken(username, role)),
      openApi,
      dataDirectory: app.dataDir,
    });
  };

  return {
    url: app.url,
    openApi,
    admin,
    editor: onFirstCall('erin', 'EDITOR'),
    viewer: onFirstCall('vera', 'VIEWER'),
    anonymous: admin.withoutCredential(),
    newCaller: async (username, role) => admin.as(await newToken(username, role)),
  };
}

/** Starts a service with the users erin (EDITOR) and vera (VIEWER), for tests that sign in as them. */
export async function startServiceWithUsers(
  t: TestContext,
  settings: Readonly<Record<string, string>> = {},
): Promise<Service> {
  return withUsers(await startService(t, settings));
}

async function withUsers(service: Service): Promise<Service> {
  await Promise.all([service.editor.get('/auth/me'), service.viewer.get('/auth/me')]);
  return service;
}

/** Signs a user in and returns a client with the bearer token. */
export async function signIn(client: Client, username: string, password = userPassword): Promise<Client> {
  const { token } = (await client.post('/auth/login', { username, password })).is(200, Login);
  return client.withBearer(token);
}
