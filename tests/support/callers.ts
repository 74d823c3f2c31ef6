// Users of a service and their calls.
import assert from 'node:assert/strict';
import type { RunningApp } from './server.ts';

export const password = 'a long enough password';

type Caller = RunningApp['api'];

/** Calls as somebody else: with these headers instead of the admin's token. */
export function callerOf({ api }: RunningApp, headers: Record<string, string>): Caller {
  return (method, path, body, more = {}) => api(method, path, body, { authorization: '', ...headers, ...more });
}

/** Creates a user and signs in as this one. */
export async function newUser(
  app: RunningApp,
  username: string,
  role: string,
): Promise<{ id: string; call: Caller; token: string }> {
  const { status, body } = await app.api<{ id: string }>('POST', '/auth/users', { username, password, role });
  assert.equal(status, 201, JSON.stringify(body));
  const token = await signIn(app, username);
  return { id: body.id, token, call: callerOf(app, { authorization: `Bearer ${token}` }) };
}

/** Returns the token of a user. */
export async function signIn(app: RunningApp, username: string, secret = password): Promise<string> {
  const { status, body } = await app.api<{ token: string }>('POST', '/auth/login', { username, password: secret });
  assert.equal(status, 200, JSON.stringify(body));
  return body.token;
}
