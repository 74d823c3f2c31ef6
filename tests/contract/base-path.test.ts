import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { adminPassword, startApp } from '../support/server.ts';

const login = JSON.stringify({ username: 'admin', password: adminPassword, cookie: true });

test('a service under a path answers with it and without it', async (t) => {
  const app = await startApp(t, { settings: { TILTH_BASE_PATH: '/data/tilth/' } });
  for (const base of ['/data/tilth', '']) {
    const at = app.url + base;
    const signedIn = await fetch(`${at}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: login,
    });
    assert.equal(signedIn.status, 200);
    for (const cookie of signedIn.headers.getSetCookie()) assert.match(cookie, /; Path=\/data\/tilth;/);

    const headers = { authorization: `Bearer ${app.token}` };
    const missing = await fetch(`${at}/api/v1/data-management/datasets/%zz?x=1`, { headers });
    const { error, path } = (await missing.json()) as Record<string, string>;
    assert.deepEqual([missing.status, error], [400, 'INVALID_PARAMETER']);
    assert.equal(path, '/data/tilth/api/v1/data-management/datasets/%zz');
    assert.equal((await fetch(`${at}/api/v1/nothing`)).status, 401);
    assert.equal((await fetch(`${at}/api/v1/auth/me`, { method: 'DELETE', headers })).status, 405);

    const { servers } = (await (await fetch(`${at}/api/v1/openapi.json`)).json()) as { servers: unknown };
    assert.deepEqual(servers, [{ url: '/data/tilth' }]);
    const docs = await (await fetch(`${at}/docs`)).text();
    assert.match(docs, /src="\/data\/tilth\/docs\/start\.js"/);
    assert.match(await (await fetch(`${at}/docs/start.js`)).text(), /"\/data\/tilth\/api\/v1\/openapi\.json"/);

    for (const address of base === '' ? ['/', '/datasets/x'] : ['', '/', '?a=b', '/datasets/x']) {
      const page = await (await fetch(at + address, { headers: { accept: 'text/html' } })).text();
      const files = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file = '']) => file);
      assert.ok(files.length > 3 && files.every((file) => file.startsWith('/data/tilth/')), files.join());
      assert.match(page, /<meta name="tilth-base-path" content="\/data\/tilth"/);
      for (const file of files) assert.equal((await fetch(app.url + file)).status, 200, file);
    }
  }
  assert.equal((await fetch(`${app.url}/data/tilthing`)).status, 404);
});

test('what is no HTTP is told in the shape of its path under the base path as well', async (t) => {
  const app = await startApp(t, { settings: { TILTH_BASE_PATH: '/tilth' } });
  for (const base of ['/tilth', '']) {
    const text = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(new URL(app.url).port), '127.0.0.1', () =>
        socket.write(`GET ${base}/api/v1/data-management/tags HTTP/9.9\r\nHost: x\r\n\r\n`),
      );
      let answer = '';
      socket.on('data', (part) => (answer += String(part))).on('error', reject);
      socket.on('close', () => resolve(answer));
    });
    const { error, path } = JSON.parse(text.slice(text.indexOf('\r\n\r\n'))) as Record<string, string>;
    assert.deepEqual([error, path], ['INVALID_PARAMETER', '/tilth/api/v1/data-management/tags']);
  }
});
