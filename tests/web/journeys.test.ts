// What users do, in a real browser against a real service, with real files.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { chromium } from '../support/chromium.ts';
import { adminPassword, startApp } from '../support/server.ts';
import { longTestWith } from '../support/long-tests.ts';
import { testWith } from '../support/tools.ts';
import { createDataset, datasetWithFiles, temporaryFolder } from './datasets.ts';
import { addStep, screenshot, startWebSession } from './web-session.ts';

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

longTestWith([chromium], 'search, languages, and a connection that breaks', async (t, path) => {
  const session = await startWebSession(t, path);
  await createDataset(session.app, 'Harvest reports');
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
  const dataset = await datasetWithFiles(session.app, 'Field notes', { 'a.txt': 'first' });
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
