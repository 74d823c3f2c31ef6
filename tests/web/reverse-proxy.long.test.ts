// The whole service under a path behind nginx with TLS, as in docs/reverse-proxy.md: once with a proxy that keeps the path,
// once with one that strips it.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { BrowserContext } from 'playwright-core';
import { buildWeb } from '../../scripts/web-build.mjs';
import { chromium, launchChromium } from '../support/chromium.ts';
import { nginx, openssl, startNginx } from '../support/nginx.ts';
import { adminPassword, startApp } from '../support/server.ts';
import { testWith } from '../support/tools.ts';
import { patienceMs } from './web-session.ts';

type Tools = { chromium: string; nginx: string; openssl: string };

for (const takesPathAway of [false, true]) {
  const how = takesPathAway ? 'takes the path away' : 'keeps the path';
  testWith([chromium, nginx, openssl], `a proxy that ${how}`, async (t, ...paths) => {
    const [chromiumPath = '', nginxPath = '', opensslPath = ''] = paths;
    await journey(t, { chromium: chromiumPath, nginx: nginxPath, openssl: opensslPath }, takesPathAway);
  });
}

async function journey(t: TestContext, tools: Tools, takesPathAway: boolean): Promise<void> {
  await buildWeb(process.execPath);
  const app = await startApp(t, { settings: { TILTH_BASE_PATH: '/tilth', TILTH_TRUSTED_PROXIES: '127.0.0.1' } });
  const origin = await startNginx(t, tools, { serviceUrl: app.url, takesPathAway });
  const browser = await launchChromium(t, tools.chromium);
  const context = await browser.newContext({ ignoreHTTPSErrors: true, locale: 'en-US', reducedMotion: 'reduce' });
  t.after(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(patienceMs);
  const strays: string[] = [];
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/tilth/`) && !url.startsWith('blob:') && !url.startsWith('data:')) strays.push(url);
  });
  page.on('pageerror', (error) => strays.push(error.message));

  // A link to a page, the sign-in page in between, and the page.
  await page.goto(`${origin}/tilth/datasets?keyword=x`);
  await page.getByLabel('Username').fill('admin');
  await page.getByRole('textbox', { name: 'Password' }).fill(adminPassword);
  assert.match(page.url(), /\/tilth\/sign-in\?/);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${origin}/tilth/datasets?keyword=x`);
  const cookies = (await context.cookies()).map(({ name, path, secure }) => ({ name, path, secure }));
  assert.deepEqual(
    cookies.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    [
      { name: 'tilth_csrf', path: '/tilth', secure: true },
      { name: 'tilth_session', path: '/tilth', secure: true },
    ],
  );

  // Writes by cookie, a run with live updates, and the result.
  await page.goto(`${origin}/tilth/`);
  await page.getByRole('button', { name: 'Use sample data' }).click();
  await page.getByRole('heading', { name: 'Sample data' }).waitFor();
  const events = page.waitForResponse(/\/tilth\/api\/v1\/data-cleaning\/tasks\/[^/]+\/runs\/[^/]+\/events$/);
  await page.getByRole('button', { name: 'Use in' }).click();
  await page.getByRole('menuitem', { name: 'Cleaning' }).click();
  await page.getByRole('button', { name: 'Add step' }).click();
  await page.getByRole('button', { name: 'Add: Remove control characters' }).click();
  await page.getByRole('button', { name: 'Save and run' }).click();
  assert.equal((await events).headers()['content-type'], 'text/event-stream; charset=utf-8');
  await page.getByRole('link', { name: /Open “Sample data \(cleaned\)”/ }).click();
  await page.getByRole('link', { name: 'notes.jsonl' }).waitFor();

  // An upload larger than nginx accepts and buffers by default, and its download.
  const folder = await mkdtemp(join(tmpdir(), 'tilth-proxy-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const bytes = Buffer.alloc(9 * 1024 * 1024, 'behind a proxy ');
  await writeFile(join(folder, 'large file.txt'), bytes);
  const { body: dataset } = await app.api<{ id: string }>('POST', '/data-management/datasets', {
    name: 'Up',
    type: 'TEXT',
  });
  await page.goto(`${origin}/tilth/datasets/${dataset.id}`);
  await page.getByRole('button', { name: 'Upload files' }).first().click();
  await page.locator('input[type=file][aria-label="Choose files"]').setInputFiles(join(folder, 'large file.txt'));
  await page.getByRole('button', { name: 'Upload 1 file' }).click();
  await page.getByRole('heading', { name: 'Uploaded', exact: true }).waitFor();
  await page.goto(`${origin}/tilth/datasets/${dataset.id}/files`);
  await page.getByRole('link', { name: 'large file.txt' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('a[href$="/download"]:not([href$="/files/download"])').first().click(),
  ]);
  assert.ok((await readFile(await download.path())).equals(bytes));

  // The page of the API, and the address in its document.
  await page.goto(`${origin}/tilth/docs`);
  await page.getByRole('heading', { name: /^Tilth/ }).waitFor();
  assert.deepEqual(strays, [], 'everything is asked for below the path');

  await checkApi(context, `${origin}/tilth`, dataset.id);
}

/** What API clients see behind the proxy. */
async function checkApi(context: BrowserContext, base: string, datasetId: string): Promise<void> {
  const { request } = context;
  const document = (await (await request.get(`${base}/api/v1/openapi.json`)).json()) as { servers: unknown };
  assert.deepEqual(document.servers, [{ url: '/tilth' }]);
  assert.equal((await request.get(`${base}/readyz`)).status(), 200);

  const refused = await request.get(`${base}/api/v1/data-management/datasets/a.b`);
  const { path, error } = (await refused.json()) as { path: string; error: string };
  assert.deepEqual([path, error], ['/tilth/api/v1/data-management/datasets/a.b', 'INVALID_PARAMETER']);

  const unknown = (await (await request.get(`${base}/api/v1/nothing`)).json()) as { path: string };
  assert.equal(unknown.path, '/tilth/api/v1/nothing');
  const bare = await request.get(base, { maxRedirects: 0 });
  assert.ok(bare.status() === 200 || bare.headers().location?.endsWith('/tilth/'), String(bare.headers().location));
  const ranged = await request.get(`${base}/api/v1/data-management/datasets/${datasetId}/files/download`, {
    headers: { range: 'bytes=0-3' },
  });
  assert.deepEqual([ranged.status(), (await ranged.body()).toString('latin1')], [206, 'PK\u0003\u0004']);
}
