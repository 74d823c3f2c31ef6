// What users do, in a real browser against a real service, with real files.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { chromium } from '../support/chromium.ts';
import { adminPassword, startApp, type RunningApp } from '../support/server.ts';
import { longTestWith } from '../support/long-tests.ts';
import { findTool, testWith } from '../support/tools.ts';
import { addStep, patienceMs, screenshot, startWebSession } from './web-session.ts';

const zip = findTool('zip');

testWith([chromium], 'from sign-in to a cleaned dataset without reading anything', async (t, path) => {
  const session = await startWebSession(t, path, { isEmpty: true });
  const page = await session.open('/');
  await page.getByRole('button', { name: 'Use sample data' }).click();
  await page.getByRole('heading', { name: 'Sample data' }).waitFor();
  await page.getByRole('button', { name: 'Use in' }).click();
  await page.getByRole('menuitem', { name: 'Cleaning' }).click();
  await page.waitForURL((url) => url.pathname.startsWith('/cleaning'));
  await addStep(page, 'Remove control characters');
  await addStep(page, 'Filter by text length');
  await page.getByRole('textbox', { name: 'Minimum length' }).fill('70');
  await page.getByText(/Dropped or failed [1-9]/).waitFor();
  for (const move of ['Move up', 'Move down']) {
    await page.getByRole('button', { name: 'Step actions: Filter by text length' }).click();
    await page.getByRole('menuitem', { name: move }).click();
  }
  await screenshot(page, 'builder');
  await page.getByRole('button', { name: 'Save and run' }).click();
  // The sample data contains broken rows.
  await page.getByText(/samples failed$/).waitFor();
  await screenshot(page, 'run-done');

  await page.getByRole('tab', { name: 'Samples' }).click();
  await page
    .getByRole('group', { name: 'Verdict' })
    .getByRole('button', { name: /Dropped/ })
    .click();
  await page
    .getByRole('row', { name: /notes\.jsonl/ })
    .first()
    .click();
  const journey = page.getByRole('dialog', { name: 'Steps of this sample' });
  await journey.getByText('Remove control characters').waitFor();
  await screenshot(page, 'ledger-sample');
  await page.keyboard.press('Escape');

  await page.getByRole('tab', { name: 'Thresholds' }).click();
  await page.getByLabel('Sample counts').waitFor();
  // The run's own counts have already been loaded, so the next response is for the new threshold.
  const counted = page.waitForResponse(/\/rethreshold$/);
  await page.getByRole('textbox', { name: /Minimum length$/ }).fill('1');
  await counted;
  await screenshot(page, 'thresholds');

  await page.getByRole('tab', { name: 'Overview' }).click();
  await page.getByRole('link', { name: /Open “Sample data \(cleaned\)”/ }).click();
  await page.getByRole('link', { name: 'notes.jsonl' }).waitFor();
  assert.deepEqual(session.faults, []);
});

longTestWith([chromium], 'from sign-in to cleaned data by the keyboard alone', async (t, path) => {
  const session = await startWebSession(t, path);
  const directory = await temporaryFolder(t);
  await writeFile(join(directory, 'notes.txt'), 'some  notes\n');
  const page = await session.open('/datasets', { signedIn: false });
  await page.getByLabel('Username').waitFor();
  await tabTo(page, 'Username');
  await page.keyboard.type('admin');
  await tabTo(page, 'Password');
  await page.keyboard.type(adminPassword);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Datasets', exact: true }).waitFor();
  await press(page, 'New dataset');
  await page.getByRole('dialog').getByLabel('Name').waitFor();
  await page.keyboard.type('By keys');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'By keys' }).waitFor();
  await press(page, 'Upload files');
  await page.getByText('Drop files, folders or archives here').waitFor();
  const choosing = page.waitForEvent('filechooser');
  await press(page, 'Choose files');
  await (await choosing).setFiles(join(directory, 'notes.txt'));
  await press(page, 'Upload 1 file');
  await page.getByRole('heading', { name: 'Uploaded', exact: true }).waitFor();
  await press(page, 'Clean these files');
  await page.getByText('Add a step to see what it does.').waitFor();
  await press(page, 'Add step');
  await page.locator('input[type=search]:focus').waitFor();
  await page.keyboard.type('white space');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByText('All 1').waitFor();
  await press(page, 'Save and run');
  await page.getByText('Cleaned dataset ready').waitFor();
  await press(page, 'Open “By keys (cleaned)”');
  await page.getByRole('link', { name: 'notes.txt' }).waitFor();
  assert.deepEqual(session.faults, []);
});

testWith([chromium], 'signing in and out', async (t, path) => {
  const session = await startWebSession(t, path);
  const page = await session.open('/datasets', { signedIn: false });
  await page.getByLabel('Username').fill('admin');
  await page.getByRole('textbox', { name: 'Password' }).fill('not the password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Wrong username or password.').waitFor();
  await page.getByRole('textbox', { name: 'Password' }).fill(adminPassword);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Datasets', exact: true }).waitFor();
  assert.equal(new URL(page.url()).pathname, '/datasets', 'signing in leads where one wanted to go');
  assert.equal(await page.evaluate('document.cookie.includes("tilth_session")'), false, 'no script can read the token');
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.waitForURL(/\/sign-in/);
  await page.goto(`${session.app.url}/datasets`);
  await page.waitForURL(/\/sign-in/);
  assert.deepEqual(session.faults, []);
});

testWith([chromium], 'an ended session keeps what was typed and goes on', async (t, path) => {
  const session = await startWebSession(t, path);
  const page = await session.open('/datasets?new=true');
  // The name is checked while it is typed, before the session ends.
  const asked = page.waitForResponse(/keyword=Kept/);
  await page.getByRole('dialog').getByLabel('Name').fill('Kept through the night');
  await asked;
  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Create' }).click();
  const again = page.getByRole('dialog', { name: 'Please sign in again' });
  await again.waitFor();
  await screenshot(page, 'session-ended');
  await again.getByRole('textbox', { name: 'Password' }).fill(adminPassword);
  await again.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Kept through the night' }).waitFor();
  const { body } = await session.app.api<{ totalElements: number }>(
    'GET',
    '/data-management/datasets?keyword=through%20the%20night',
  );
  assert.equal(body.totalElements, 1, 'the call was made once');
});

longTestWith([chromium, zip], 'files, folders and archives go in and come out', async (t, path, zipPath) => {
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

longTestWith([chromium], 'an upload is paused, goes on, and goes on after the page was closed', async (t, path) => {
  const session = await startWebSession(t, path);
  const dataset = await createDataset(session.app);
  const directory = await temporaryFolder(t);
  // Two chunks of 8 MiB and a bit.
  const content = Buffer.alloc(17 << 20, 'tilth ');
  await writeFile(join(directory, 'large.bin'), content);
  await writeFile(join(directory, 'small.txt'), 'small');
  const files = [join(directory, 'large.bin'), join(directory, 'small.txt')];

  const page = await session.open(`/datasets/${dataset.id}/upload`);
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
  await later.goto(`${session.app.url}/datasets/${dataset.id}/upload`);
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
    `/data-management/datasets/${dataset.id}/files`,
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

longTestWith([chromium], 'many small files go up while the page stays usable', async (t, path) => {
  const session = await startWebSession(t, path);
  const { id } = await createDataset(session.app);
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

longTestWith([chromium], 'files whose names are taken are kept beside, or refused with the reason', async (t, path) => {
  const session = await startWebSession(t, path);
  const dataset = await datasetWithFiles(session.app, { 'a.txt': 'first' });
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

longTestWith([chromium], 'files are renamed, deleted, and looked at in an older version', async (t, path) => {
  const session = await startWebSession(t, path);
  const dataset = await datasetWithFiles(session.app, { 'a.txt': 'first', 'b.txt': 'second' });
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

longTestWith([chromium], 'search, languages, and a connection that breaks', async (t, path) => {
  const session = await startWebSession(t, path);
  await createDataset(session.app, { name: 'Harvest reports' });
  const page = await session.open('/');
  await page.getByRole('heading', { name: 'Home', exact: true }).waitFor();
  await page.keyboard.press('Control+K');
  await page.getByRole('textbox', { name: 'Search', exact: true }).fill('harvest');
  await page.getByRole('button', { name: /Harvest reports/ }).click();
  await page.waitForURL(/\/datasets\/[^/]+$/);
  await page.getByRole('button', { name: 'Language' }).click();
  await page.getByRole('menuitem', { name: '中文' }).click();
  await page.getByRole('tab', { name: '数据' }).waitFor();
  assert.equal(await page.getAttribute('html', 'lang'), 'zh-CN');
  await page.reload();
  await page.getByRole('tab', { name: '数据' }).waitFor();

  await page.context().setOffline(true);
  await page.getByText('无法连接到服务。').waitFor();
  await screenshot(page, 'offline');
  await page.context().setOffline(false);
  await page.getByText('已重新连接').waitFor();
  assert.deepEqual(session.faults, []);
});

longTestWith([chromium], 'every page says that the disk is filling up', async (t, path) => {
  const session = await startWebSession(t, path);
  // No test machine has that much disk space.
  const app = await startApp(t, { settings: { TILTH_LOW_DISK_SPACE_MB: '1048576' } });
  const page = await session.open('/', { signedIn: false });
  await page.goto(`${app.url}/sign-in`);
  await page.getByLabel('Username').fill('admin');
  await page.getByRole('textbox', { name: 'Password' }).fill(adminPassword);
  await page.keyboard.press('Enter');
  await page.getByText(/^Disk space is running low: [\d.,]+ \w+ left$/).waitFor();
  await screenshot(page, 'disk-low');
  await page.getByRole('button', { name: 'Language' }).click();
  await page.getByRole('menuitem', { name: '中文' }).click();
  await page.getByText(/^磁盘空间不足：剩余/).waitFor();
  assert.deepEqual(session.faults, []);
});

testWith([chromium], 'viewers are offered only what they may do', async (t, path) => {
  const session = await startWebSession(t, path);
  const password = 'a password for vera';
  await session.app.api('POST', '/auth/users', { username: 'vera', password, role: 'VIEWER' });
  const dataset = await datasetWithFiles(session.app, { 'a.txt': 'first' });
  const page = await session.open('/sign-in', { signedIn: false });
  await page.getByLabel('Username').fill('vera');
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Home', exact: true }).waitFor();
  await session.visit(page, `/datasets/${dataset}/files`);
  await page.getByRole('link', { name: 'a.txt' }).waitFor();
  for (const name of ['Upload files', 'Upload here', 'Use in', 'New folder'])
    assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name);
  await session.visit(page, `/settings`);
  await page.getByRole('tab', { name: 'API keys' }).waitFor();
  assert.equal(await page.getByRole('tab', { name: 'Users' }).count(), 0);
});

longTestWith([chromium], 'uploaded pages are never rendered, and nothing foreign runs', async (t, path) => {
  const session = await startWebSession(t, path);
  const hostile = '<script>window.harmed = true</script><img src=x onerror="window.harmed = true">';
  const dataset = await datasetWithFiles(session.app, {
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

const mostTabs = 120;

/** Moves the focus to the control of that name by Tab, like a user without a mouse. */
async function tabTo(page: Page, name: string): Promise<void> {
  const wanted = page.getByRole('main').or(page.locator('body')).first();
  await wanted.waitFor();
  for (let tabs = 0; tabs < mostTabs; tabs += 1) {
    await page.keyboard.press('Tab');
    const focused = (await page.evaluate(
      `(() => {
        const active = document.activeElement;
        const label = active?.getAttribute('aria-label') ?? active?.labels?.[0]?.textContent ?? active?.textContent ?? '';
        return label.replace(/\\s*\\*$/, '').trim();
      })()`,
    )) as string;
    if (focused === name) return;
  }
  assert.fail(`${name} is not reached by ${mostTabs} times Tab`);
}

async function press(page: Page, name: string): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press('Enter');
}

async function createDataset(app: RunningApp, { name = 'Field notes' } = {}): Promise<{ id: string }> {
  const { status, body } = await app.api<{ id: string }>('POST', '/data-management/datasets', { name, type: 'TEXT' });
  assert.equal(status, 201);
  return body;
}

async function datasetWithFiles(app: RunningApp, files: Readonly<Record<string, string>>): Promise<string> {
  const { id } = await createDataset(app);
  const form = new FormData();
  for (const [name, content] of Object.entries(files)) form.append('files', new File([content], name), name);
  const { status } = await app.api('POST', `/data-management/datasets/${id}/files/upload`, form);
  assert.equal(status, 201);
  return id;
}

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

async function temporaryFolder(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tilth-web-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
