import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { pino } from 'pino';
import { systemClock } from '../kernel/clock.ts';
import { createRateLimits } from '../kernel/rate-limits.ts';
import { createMetrics } from './metrics.ts';
import { createHttpServer } from './server.ts';

const script = 'console.log("the application");'.repeat(40);

async function serve(t: TestContext): ReturnType<typeof listen> {
  const root = await mkdtemp(join(tmpdir(), 'tilth-web-'));
  t.after(() => rm(root, { recursive: true }));
  const folder = join(root, 'dist');
  await mkdir(join(folder, 'assets', 'fonts'), { recursive: true });
  await writeFile(join(root, 'secret.js'), 'a secret');
  await writeFile(join(folder, 'index.html'), '<html>the page</html>');
  await writeFile(join(folder, 'favicon.svg'), '<svg/>');
  await writeFile(join(folder, 'assets', 'app-1a2b.js'), script);
  await writeFile(join(folder, 'assets', 'app-1a2b.js.br'), brotliCompressSync(script));
  await writeFile(join(folder, 'assets', 'fonts', 'a b.woff2'), 'a font');
  await writeFile(join(folder, 'assets', 'notes.md'), 'not for browsers');
  return listen(t, folder);
}

async function listen(t: TestContext, folder: string) {
  const times = { monotonicMs: () => performance.now(), wallMs: () => Date.now() };
  const limits = createRateLimits({ windows: [], ...times });
  const server = createHttpServer({
    authenticator: { recall: () => undefined, verify: async () => undefined, csrfToken: () => '' },
    limits,
    cookieLimits: limits,
    metrics: createMetrics(),
    logger: pino({ level: 'silent' }),
    clock: systemClock,
  });
  assert.equal(await server.addWebApp(folder), true);
  t.after(() => server.close(0));
  return async (url: string, headers: Record<string, string> = {}) => {
    const { statusCode, headers: answered, rawPayload } = await server.app.inject({ url, headers });
    return { status: statusCode, headers: answered, bytes: rawPayload, text: rawPayload.toString() };
  };
}

test('files of the application are served with their types, compressed where the browser takes it', async (t) => {
  const get = await serve(t);
  const plain = await get('/assets/app-1a2b.js');
  assert.deepEqual([plain.status, plain.text], [200, script]);
  assert.equal(plain.headers['content-type'], 'text/javascript; charset=utf-8');
  assert.match(String(plain.headers['cache-control']), /immutable/);
  assert.match(String(plain.headers['content-security-policy']), /default-src 'none'/);
  const compressed = await get('/assets/app-1a2b.js', { 'accept-encoding': 'gzip, br' });
  assert.equal(compressed.headers['content-encoding'], 'br');
  assert.ok(compressed.bytes.equals(brotliCompressSync(script)));
  assert.equal((await get('/assets/fonts/a%20b.woff2')).text, 'a font');
  const icon = await get('/favicon.svg');
  assert.deepEqual([icon.text, icon.headers['cache-control']], ['<svg/>', 'no-cache']);
});

test('nothing else is served: no unknown file, none of another type, none outside of the folder', async (t) => {
  const get = await serve(t);
  for (const path of [
    'gone.js',
    'notes.md',
    '',
    'fonts',
    '..%2F..%2Fsecret.js',
    '..%2Findex.html',
    'app-1a2b.js%00',
    'app-1a2b.js/',
    '__proto__',
  ]) {
    const answer = await get(`/assets/${path}`, { accept: 'text/html' });
    assert.deepEqual([answer.status, answer.text.includes('a secret')], [404, false], path);
    assert.match(answer.text, /"NOT_FOUND"/, path);
  }
});

test('each address of a page is answered with the page', async (t) => {
  const get = await serve(t);
  for (const path of ['/', '/datasets/1', '/runs?status=RUNNING']) {
    const answer = await get(path, { accept: 'text/html' });
    assert.deepEqual([answer.status, answer.text], [200, '<html>the page</html>'], path);
  }
  assert.equal((await get('/datasets/1', { accept: 'application/json' })).status, 404);
});
