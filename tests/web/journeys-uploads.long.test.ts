// Uploads of many and large files: paused, interrupted, continued, and beside files of the same names.
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { chromium } from '../support/chromium.ts';
import { testWith } from '../support/tools.ts';
import { createDataset, datasetWithFiles, temporaryFolder } from './datasets.ts';
import { patienceMs, screenshot, startWebSession } from './web-session.ts';

testWith([chromium], 'an upload is paused, goes on, and goes on after the page was closed', async (t, path) => {
  const session = await startWebSession(t, path);
  const dataset = await createDataset(session.app, 'Field notes');
  const directory = await temporaryFolder(t);
  // Two chunks of 8 MiB and a bit.
  const content = Buffer.alloc(17 << 20, 'tilth ');
  await writeFile(join(directory, 'large.bin'), content);
  await writeFile(join(directory, 'small.txt'), 'small');
  const files = [join(directory, 'large.bin'), join(directory, 'small.txt')];

  const page = await session.open(`/datasets/${dataset}/upload`);
  // The second chunk hangs: the upload is caught in the middle.
  let chunks = 0;
  await page.route('**/files/upload/chunk', async (route) => {
    chunks += 1;
    if (chunks === 1) await route.continue();
  });
  await page.locator('input[type=file][aria-label="Choose files"]').setInputFiles(files);
  const firstChunk = page.waitForResponse(/\/upload\/chunk$/);
  await page.getByRole('button', { name: 'Upload 2 files' }).click();
  await firstChunk;
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('heading', { name: 'Paused' }).waitFor();
  await screenshot(page, 'upload-paused');

  const later = await page.context().newPage();
  await page.close({ runBeforeUnload: false });
  later.setDefaultTimeout(patienceMs);
  await later.goto(`${session.app.url}/datasets/${dataset}/upload`);
  await later.getByText('An upload of 2 files was interrupted').waitFor();
  await screenshot(later, 'upload-interrupted');
  const sent: number[] = [];
  later.on('request', (request) => {
    if (request.url().endsWith('/upload/chunk')) sent.push(request.postDataBuffer()?.length ?? 0);
  });
  await later.locator('input[type=file][aria-label="Choose files"]').first().setInputFiles(files);
  await later.getByRole('heading', { name: 'Uploaded', exact: true }).waitFor();
  assert.equal(sent.length, 3, 'what had arrived was not sent again');

  const { body } = await session.app.api<{ content: { filePath: string; fileSize: number; sha256: string | null }[] }>(
    'GET',
    `/data-management/datasets/${dataset}/files`,
  );
  assert.deepEqual(
    body.content.map(({ filePath, fileSize }) => [filePath, fileSize]),
    [
      ['large.bin', content.length],
      ['small.txt', 5],
    ],
  );
  assert.deepEqual(session.faults, []);
});

testWith([chromium], 'many small files go up while the page stays usable', async (t, path) => {
  const session = await startWebSession(t, path);
  const id = await createDataset(session.app, 'Field notes');
  const directory = await temporaryFolder(t);
  const count = 1_011;
  const shownCount = '1,011';
  await mkdir(join(directory, 'many'));
  for (let index = 0; index < count; index++)
    await writeFile(join(directory, 'many', `${String(index).padStart(4, '0')}.txt`), `file ${index}`);
  const page = await session.open(`/datasets/${id}/upload`);
  let calls = 0;
  page.on('request', (request) => {
    if (/\/files\/upload\/(?:chunk|[^/]+\/files)$/.test(request.url())) calls += 1;
  });
  await page.locator('input[type=file][aria-label="Choose folder"]').setInputFiles(join(directory, 'many'));
  await page.getByRole('button', { name: `Upload ${count} files` }).click();
  const list = page.getByRole('list', { name: 'Files of the upload' });
  await list.getByText('many/0000.txt').waitFor();
  // However long the list is, only its visible part is in the page.
  const rows = list.getByRole('listitem');
  assert.ok((await rows.count()) < 40, `${await rows.count()} rows`);
  await list.evaluate((element) => element.parentElement?.scrollTo(0, 1e9));
  await list.getByText(`many/${String(count - 1).padStart(4, '0')}.txt`).waitFor();
  assert.ok((await rows.count()) < 40, `${await rows.count()} rows at the end`);
  // The upload continues while another page is open.
  await page.getByRole('tab', { name: 'Lineage' }).click();
  await page.getByText('No run has read or written this dataset yet').waitFor();
  await page.getByRole('complementary', { name: 'Uploads' }).getByRole('link', { name: 'Field notes' }).click();
  await page.getByRole('heading', { name: 'Uploaded', exact: true }).waitFor();
  await page.getByText(`${shownCount} of ${shownCount} files`).waitFor();
  await screenshot(page, 'upload-many');
  const { body } = await session.app.api<{ fileCount: number; version: number }>(
    'GET',
    `/data-management/datasets/${id}`,
  );
  assert.deepEqual([body.fileCount, body.version], [count, 2], 'all files of an upload are one version');
  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByRole('row', { name: `Upload: ${shownCount} files added` }).waitFor();
  await screenshot(page, 'versions-one-upload');
  assert.ok(calls <= 12, `${calls} requests for ${count} small files`);
  assert.deepEqual(session.faults, []);
});

testWith([chromium], 'files whose names are taken are kept beside, or refused with the reason', async (t, path) => {
  const session = await startWebSession(t, path);
  const dataset = await datasetWithFiles(session.app, 'Field notes', { 'a.txt': 'first' });
  const directory = await temporaryFolder(t);
  await writeFile(join(directory, 'a.txt'), 'second');
  const upload = async (page: Page, choice: string): Promise<void> => {
    await page.locator('input[type=file][aria-label="Choose files"]').last().setInputFiles(join(directory, 'a.txt'));
    await page.getByRole('combobox', { name: 'If a file exists' }).click();
    await page.getByRole('option', { name: choice }).click();
    await page.getByRole('button', { name: 'Upload 1 file' }).click();
  };
  const page = await session.open(`/datasets/${dataset}/upload`);
  await upload(page, 'Keep both');
  await page.getByText('stored as a (1).txt').waitFor();
  await page.getByRole('button', { name: 'Close' }).click();

  await upload(page, 'Reject the new file');
  const row = page.getByRole('listitem').filter({ hasText: 'a.txt' });
  await row.getByText(/already/).waitFor();
  await screenshot(page, 'upload-refused');
  // Once the name is free, the same file is accepted.
  const { body } = await session.app.api<{ content: { id: string; filePath: string }[] }>(
    'GET',
    `/data-management/datasets/${dataset}/files`,
  );
  const taken = body.content.find(({ filePath }) => filePath === 'a.txt');
  await session.app.api('DELETE', `/data-management/datasets/${dataset}/files/${taken?.id}`);
  await page.getByRole('button', { name: 'Retry a.txt' }).click();
  await page.getByRole('heading', { name: 'Uploaded', exact: true }).waitFor();
  assert.deepEqual(session.faults, []);
});

testWith(
  [chromium],
  'an interrupted upload stands on every page, with the files that it waits for',
  async (t, path) => {
    const session = await startWebSession(t, path);
    const id = await createDataset(session.app, 'Half there');
    const directory = await temporaryFolder(t);
    await writeFile(join(directory, 'large.bin'), Buffer.alloc(17 << 20, 'tilth '));
    await writeFile(join(directory, 'small.txt'), 'small');
    const page = await session.open(`/datasets/${id}/upload`);
    let chunks = 0;
    await page.route('**/files/upload/chunk', async (route) => {
      chunks += 1;
      if (chunks === 1) await route.continue();
    });
    await page
      .locator('input[type=file][aria-label="Choose files"]')
      .setInputFiles([join(directory, 'large.bin'), join(directory, 'small.txt')]);
    const sent = page.waitForResponse(/\/upload\/chunk$/);
    await page.getByRole('button', { name: 'Upload 2 files' }).click();
    await sent;
    const later = await page.context().newPage();
    await later.goto(`${session.app.url}/datasets/${id}/versions`);
    // The small file may already have arrived: the version of the upload is open until it ends.
    await later.getByText('uploading', { exact: true }).or(later.getByText('Dataset created')).first().waitFor();
    await page.close({ runBeforeUnload: false });

    await later.goto(session.app.url);
    const attention = later.getByRole('region', { name: 'Needs attention' });
    await attention
      .getByText(/Upload interrupted, \d files? missing/)
      .first()
      .waitFor({ timeout: 60_000 });
    await attention
      .getByText(/large\.bin/)
      .first()
      .waitFor();
    await screenshot(later, 'home-interrupted');
    await session.visit(later, `/datasets?keyword=Half%20there`);
    await later
      .getByRole('row', { name: /Half there/ })
      .getByText(/Upload interrupted/)
      .waitFor();
    await session.visit(later, `/datasets/${id}`);
    await later
      .getByRole('main')
      .getByText(/^Upload interrupted/)
      .first()
      .waitFor();
    // Uploads of other tests may be interrupted, too.
    await later
      .getByRole('complementary', { name: 'Uploads' })
      .getByRole('link', { name: 'Resume' })
      .and(later.locator(`[href="/datasets/${id}/upload"]`))
      .click();
    await later.getByRole('listitem').filter({ hasText: 'large.bin' }).waitFor();
    await screenshot(later, 'upload-interrupted-names');
    assert.deepEqual(session.faults, []);
  },
);
