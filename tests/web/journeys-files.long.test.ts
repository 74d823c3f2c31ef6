// Files, folders and archives go in and come out, and are renamed, deleted and never rendered.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { toTar } from '../contract/archive-bytes.ts';
import { chromium } from '../support/chromium.ts';
import type { RunningApp } from '../support/server.ts';
import { findTool, testWith } from '../support/tools.ts';
import { datasetWithFiles, temporaryFolder, createDataset } from './datasets.ts';
import { screenshot, startWebSession, findBarriers } from './web-session.ts';

const zip = findTool('zip');

testWith([chromium, zip], 'files, folders and archives go in and come out', async (t, path, zipPath) => {
  const session = await startWebSession(t, path);
  const folder = await makeFolder(t, zipPath);
  const page = await session.open('/datasets');
  await page.getByRole('button', { name: 'New dataset' }).first().click();
  await page.getByRole('dialog').getByLabel('Name').fill('Field notes');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { name: 'Field notes' }).waitFor();

  await page.getByRole('button', { name: 'Upload files' }).first().click();
  await page.locator('input[type=file][aria-label="Choose folder"]').setInputFiles(join(folder, 'notes'));
  await page.locator('input[type=file][aria-label="Choose files"]').setInputFiles(join(folder, 'letters.zip'));
  await page.getByText(/^4 files/).waitFor();
  const followed = page.waitForRequest(/\/files\/upload\/[^/]+\/events$/);
  await page.getByRole('button', { name: 'Upload 4 files' }).click();
  await page.getByRole('heading', { name: 'Uploaded', exact: true }).waitFor();
  await followed;
  await page.getByText('2 files unpacked').waitFor();
  await screenshot(page, 'upload-done');

  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByRole('row', { name: 'Upload: 5 files added' }).waitFor();
  await page.getByRole('row', { name: /Dataset created/ }).waitFor();

  await page.getByRole('tab', { name: 'Files' }).click();
  await page.getByRole('row', { name: /letters/ }).waitFor();
  await page.getByRole('row', { name: /notes/ }).click();
  await page.getByRole('link', { name: 'rows.jsonl' }).click();
  await page.getByRole('gridcell', { name: 'the first row' }).waitFor();
  await page.getByText('This row cannot be read').waitFor();
  await page.goBack();
  await page.getByRole('link', { name: 'plain.txt' }).click();
  await page.getByLabel('plain.txt').getByText('A plain text').waitFor();
  await page.getByPlaceholder('Find in the loaded part').fill('plain');
  await page.getByText('1 match').waitFor();

  const downloading = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download', exact: true }).click();
  const file = await (await downloading).path();
  assert.equal(await readFile(file, 'utf8'), 'A plain text.\n');
  assert.deepEqual(session.faults, []);
});

testWith([chromium], 'files are renamed, deleted, and looked at in an older version', async (t, path) => {
  const session = await startWebSession(t, path);
  const dataset = await datasetWithFiles(session.app, 'Field notes', { 'a.txt': 'first', 'b.txt': 'second' });
  const page = await session.open(`/datasets/${dataset}/files`);
  await page.getByRole('button', { name: 'Actions for a.txt' }).click();
  await page.getByRole('menuitem', { name: 'Rename or move' }).click();
  await page.getByLabel('Path in the dataset').fill('kept/a.txt');
  await page.keyboard.press('Enter');
  await page.getByRole('row', { name: /kept/ }).waitFor();

  await page.getByLabel('Select b.txt').check();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText(/older versions keep them/).waitFor();
  await page.getByRole('dialog').getByText('b.txt', { exact: true }).waitFor();
  await screenshot(page, 'delete-files');
  await page.getByRole('button', { name: 'Delete 1 file' }).click();
  await page.getByText('1 file was deleted').waitFor();
  await page.getByRole('link', { name: 'b.txt' }).waitFor({ state: 'detached' });

  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByRole('row', { name: /1 file deleted/ }).waitFor();
  await page.getByRole('row', { name: /Moved to kept\/a\.txt/ }).waitFor();
  await page.getByRole('row', { name: /^2 / }).click();
  await page.getByText('This is version 2. It cannot be changed.').waitFor();
  await page.getByRole('link', { name: 'b.txt' }).waitFor();
  assert.deepEqual(session.faults, []);
});

testWith([chromium], 'uploaded pages are never rendered, and nothing foreign runs', async (t, path) => {
  const session = await startWebSession(t, path);
  const hostile = '<script>window.harmed = true</script><img src=x onerror="window.harmed = true">';
  const dataset = await datasetWithFiles(session.app, 'Field notes', {
    // Its extracted text is markup again.
    'page.html': `${hostile}<p>${hostile.replaceAll('<', '&lt;')}</p>`,
    // An HTML page without an extension.
    page: `<!doctype html><p>${hostile.replaceAll('<', '&lt;')}</p>`,
    'rows.jsonl': JSON.stringify({ text: hostile }),
  });
  const page = await session.open(`/datasets/${dataset}/files`);
  for (const name of ['page.html', 'page']) {
    await page.getByRole('link', { name, exact: true }).click();
    await page.getByText('window.harmed').first().waitFor();
    await page.goBack();
  }
  await page.getByRole('link', { name: 'rows.jsonl' }).click();
  await page.getByRole('gridcell', { name: /window\.harmed/ }).waitFor();
  assert.equal(await page.evaluate('window.harmed === undefined'), true);
  const policy = (await page.request.get(session.app.url)).headers()['content-security-policy'] ?? '';
  assert.match(policy, /script-src 'self'/);
  assert.doesNotMatch(/script-src[^;]*/.exec(policy)?.[0] ?? '', /unsafe-inline|unsafe-eval'(?<!wasm-unsafe-eval')/);
});

async function makeFolder(t: TestContext, zipPath: string): Promise<string> {
  const directory = await temporaryFolder(t);
  await mkdir(join(directory, 'notes'));
  await mkdir(join(directory, 'letters'));
  await writeFile(join(directory, 'notes', 'rows.jsonl'), '{"id":1,"text":"the first row"}\nbroken\n');
  await writeFile(join(directory, 'notes', 'plain.txt'), 'A plain text.\n');
  await writeFile(join(directory, 'notes', 'table.csv'), 'id,text\n1,"a, b"\n');
  await writeFile(join(directory, 'letters', 'one.txt'), 'one');
  await writeFile(join(directory, 'letters', 'two.txt'), 'two');
  await promisify(execFile)(zipPath, ['-qr', 'letters.zip', 'letters'], { cwd: directory });
  return directory;
}

const run = promisify(execFile);
const tar = findTool('tar');

testWith(
  [chromium, tar],
  'what entries of archives do to other files is listed, and an open version says so',
  async (t, path, tarPath) => {
    const session = await startWebSession(t, path);
    const id = await datasetWithFiles(session.app, 'With files', { 'bundle/one.txt': 'old', 'bundle/two.txt': 'old' });
    const directory = await temporaryFolder(t);
    await mkdir(join(directory, 'first'));
    await mkdir(join(directory, 'second'));
    await writeFile(join(directory, 'first', 'one.txt'), 'new');
    await writeFile(join(directory, 'second', 'one.txt'), 'newer');
    await writeFile(join(directory, 'large.bin'), Buffer.alloc(9 << 20, 'tilth '));
    const archive = join(directory, 'bundle.tar');
    await run(tarPath, ['-cf', archive, '-C', join(directory, 'first'), 'one.txt']);
    await run(tarPath, ['-rf', archive, '-C', join(directory, 'second'), 'one.txt']);

    const page = await session.open(`/datasets/${id}/upload`);
    await page.locator('input[type=file][aria-label="Choose files"]').setInputFiles([archive]);
    // By default the entries are placed in a folder named after the archive.
    assert.equal(
      await page
        .getByRole('switch', { name: 'Unpack into a folder named after the archive' })
        .or(page.getByLabel(/folder .*archive/i))
        .first()
        .isChecked(),
      true,
    );
    await page.getByRole('button', { name: 'Upload 1 file' }).click();
    const outcome = page
      .getByRole('alert')
      .filter({ hasText: 'bundle.tar' })
      .or(page.locator('.mantine-Alert-root').filter({ hasText: 'bundle.tar' }))
      .first();
    await outcome.getByText(/replaced an existing file|1 replaced/).click();
    await outcome.getByText('bundle/one.txt').first().waitFor();
    await outcome.getByText(/overwritten/).click();
    await screenshot(page, 'archive-effects');
    await page.getByRole('button', { name: 'Close' }).click();

    let chunks = 0;
    await page.route('**/files/upload/chunk', async (route) => {
      chunks += 1;
      if (chunks === 1) await route.continue();
    });
    await writeFile(join(directory, 'quick.txt'), 'quick');
    await page
      .locator('input[type=file][aria-label="Choose files"]')
      .setInputFiles([join(directory, 'large.bin'), join(directory, 'quick.txt')]);
    await page.getByRole('button', { name: 'Upload 2 files' }).click();
    await fileListed(session.app, id, 'quick.txt');
    await page.getByRole('tab', { name: 'Versions' }).click();
    await page.getByText('uploading', { exact: true }).waitFor();
    await screenshot(page, 'version-open');
    assert.deepEqual(session.faults, []);
  },
);

testWith(
  [chromium],
  'names in an archive of an old system are read in the encoding that is chosen',
  async (t, path) => {
    const session = await startWebSession(t, path);
    const id = await createDataset(session.app, 'Old names');
    // "資料.txt" in Big5, an encoding that no field of a tar can declare: without the choice, the entry is refused.
    const name = Buffer.concat([Buffer.from('b8eaaec6', 'hex'), Buffer.from('.txt')]);
    const page = await session.open(`/datasets/${id}/upload`);
    await page
      .locator('input[type=file][aria-label="Choose files"]')
      .setInputFiles([{ name: 'old.tar', mimeType: 'application/x-tar', buffer: toTar([{ name, content: 'text' }]) }]);
    await page.getByRole('combobox', { name: 'Encoding of file names in archives' }).click();
    await page.getByRole('option', { name: 'big5' }).click();
    assert.deepEqual(await findBarriers(page), []);
    await screenshot(page, 'upload-name-encoding');
    await page.getByRole('button', { name: 'Upload 1 file' }).click();
    await page.getByText('1 file unpacked').waitFor();
    await fileListed(session.app, id, 'old/資料.txt');
    assert.deepEqual(session.faults, []);
  },
);

async function fileListed(app: RunningApp, datasetId: string, path: string): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    const { body } = await app.api<{ content: { filePath: string }[] }>(
      'GET',
      `/data-management/datasets/${datasetId}/files?keyword=${path}`,
    );
    if (body.content.some(({ filePath }) => filePath === path)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.fail(`${path} is not listed`);
}
