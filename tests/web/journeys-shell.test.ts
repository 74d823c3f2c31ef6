// Runs in a process of its own: it measures the size of Home, which loads more if other journeys have left runs.
// The frame of every page: navigation, keys, search with actions, the list of all runs, and pages waiting for their code.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { chromium } from '../support/chromium.ts';
import type { RunningApp } from '../support/server.ts';
import { longTestWith } from '../support/long-tests.ts';
import { testWith } from '../support/tools.ts';
import { until } from '../support/until.ts';
import { createDataset } from './datasets.ts';
import { changeWidth, findBarriers, screenshot, startWebSession } from './web-session.ts';

testWith([chromium], 'the navigation groups what is there, folds, and is led by keys', async (t, path) => {
  const session = await startWebSession(t, path);
  await createDataset(session.app, 'Counted in the navigation');
  const page = await session.open('/');
  const navigation = page.getByRole('navigation', { name: 'Main navigation' });
  await navigation.getByRole('link', { name: /^Datasets \d+$/ }).waitFor();
  // Home has not loaded the texts of these areas' pages.
  for (const name of ['Collection', 'Knowledge']) await navigation.getByRole('link', { name, exact: true }).waitFor();
  // Scripts are listed a moment after they have run.
  await until(async () => sumOf(await scriptsOf(page)) > 50_000);
  const scripts = await scriptsOf(page);
  assert.ok(sumOf(scripts) <= 250_000, `Home loads ${sumOf(scripts)} bytes of JavaScript: ${JSON.stringify(scripts)}`);
  for (const group of ['Data', 'Prepare', 'Use', 'Build'])
    await navigation.getByRole('button', { name: group, exact: true }).waitFor();
  assert.equal(await widthOf(page), 232);

  await navigation.getByRole('button', { name: 'Build' }).click();
  await navigation.getByRole('link', { name: 'Operators' }).waitFor({ state: 'detached' });
  await navigation.getByRole('button', { name: 'Collapse the navigation' }).click();
  await until(async () => (await widthOf(page)) === 56);
  await page.reload();
  await navigation.getByRole('link', { name: 'Operators' }).waitFor();
  await until(async () => (await widthOf(page)) === 56);
  await screenshot(page, 'navigation-folded');
  assert.deepEqual(await findBarriers(page), []);

  await page.keyboard.press('g');
  await page.keyboard.press('d');
  await page.getByRole('heading', { name: 'Datasets', exact: true }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('r');
  await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
  await page.getByRole('searchbox', { name: 'Started by' }).fill('g');
  await page.getByRole('searchbox', { name: 'Started by' }).press('d');
  assert.equal(new URL(page.url()).pathname, '/runs', 'what is typed leads nowhere');
  await page.getByRole('heading', { name: 'Runs', exact: true }).click();
  await page.keyboard.press('?');
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await list.getByText('Go to Cleaning').waitFor();
  await screenshot(page, 'keys');
  assert.deepEqual(session.faults, []);
});

longTestWith(
  [chromium],
  'search finds operators, templates, runs and files, and does what it offers',
  async (t, path) => {
    const session = await startWebSession(t, path);
    const { dataset } = await cleanOnce(session.app, 'Lupin');
    const page = await session.open('/');
    const look = async (words: string): Promise<void> => {
      const field = page.getByRole('textbox', { name: 'Search', exact: true });
      // The previous search field disappears first, and takes its words with it.
      await field.waitFor({ state: 'detached' });
      await page.keyboard.press('Control+K');
      await field.fill(words);
    };
    await page.getByRole('heading', { name: 'Home', exact: true }).waitFor();
    await look('white space');
    await page
      .getByRole('button', { name: /Normalize white space/ })
      .first()
      .click();
    await page.waitForURL(/\/operators\/whitespace-normalizer$/);
    await look('lupin #1');
    await page.getByRole('button', { name: /Tidy Lupin #1/ }).click();
    await page.getByRole('heading', { name: 'Tidy Lupin #1' }).waitFor();
    await look('lupin-rows');
    await screenshot(page, 'search-files');
    await page.getByRole('button', { name: 'lupin-rows.jsonl Lupin', exact: true }).click();
    await page.waitForURL(new RegExp(`/datasets/${dataset}/files/`));
    const { body } = await session.app.api<{ data: { content: { name: string }[] } }>(
      'GET',
      '/data-cleaning/templates?size=1',
    );
    const template = body.data.content[0]?.name ?? '';
    await look(template);
    await page
      .getByRole('button', { name: new RegExp(template) })
      .first()
      .click();
    await page.waitForURL(/\/cleaning\/new\?template=/);
    await look('dark colour');
    await page.getByRole('button', { name: 'Use the dark colour scheme' }).click();
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor({ state: 'attached' });
    await look('new dataset');
    await page.getByRole('button', { name: 'New dataset' }).first().click();
    await page.getByRole('dialog', { name: 'New dataset' }).waitFor();
    assert.deepEqual(session.faults, []);
  },
);

testWith([chromium], 'all runs stand in one list, by number, and their tabs are links', async (t, path) => {
  const session = await startWebSession(t, path);
  await cleanOnce(session.app, 'Quinoa', { broken: true });
  const page = await session.open('/runs?status=COMPLETED&by=admin');
  const row = page.getByRole('row', { name: /Tidy Quinoa #1/ });
  await row.getByText('Completed, 1 failed').waitFor();
  await screenshot(page, 'runs');
  await session.visit(page, `/runs?by=nobody`);
  await page.getByText('Nothing matches these filters').waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await row.click();
  await page.getByText('Completed with 1 failure', { exact: true }).waitFor();
  assert.match(await page.title(), /^Overview · Tidy Quinoa #1 · /);
  const href = await page.getByRole('tab', { name: 'Samples' }).getAttribute('href');
  assert.match(href ?? '', /\/samples$/, 'a tab opens in a new tab of the browser');
  const [opened] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('tab', { name: 'Log' }).click({ modifiers: ['Control'] }),
  ]);
  await opened.getByRole('heading', { name: 'Tidy Quinoa #1' }).waitFor();
  assert.match(await opened.title(), /^Log · Tidy Quinoa #1 · /);
  await page.getByRole('tab', { name: 'Outputs' }).click();
  await page.getByRole('heading', { name: 'Quinoa (cleaned)' }).waitFor();
  await page.getByRole('link', { name: 'Open the dataset' }).click();
  await page.waitForURL(/\/datasets\/[^/]+$/);
  assert.deepEqual(session.faults, []);
});

longTestWith(
  [chromium],
  'failures stand in lists of any width, colours have words, and a menu hides its hint',
  async (t, path) => {
    const session = await startWebSession(t, path);
    await cleanOnce(session.app, 'Fonio', { broken: true });
    const page = await session.open('/');
    const attention = page.getByRole('region', { name: 'Needs attention' });
    await attention.getByRole('link', { name: 'Tidy Fonio #1' }).waitFor();
    await attention.getByText('Completed, 1 failed').first().waitFor();
    await attention
      .getByText(/the line is not JSON/)
      .first()
      .waitFor();
    assert.equal(await page.getByText(/^No failed runs/).count(), 0);
    // A tooltip would cover the menu's items.
    const account = page.getByRole('button', { name: 'Account' });
    await account.hover();
    await page.getByRole('tooltip', { name: 'Signed in as admin' }).waitFor();
    await account.click();
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
    await page.getByRole('tooltip').waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');

    await session.visit(page, `/cleaning?keyword=Fonio`);
    await changeWidth(page, 360);
    const row = page.getByRole('row', { name: /Tidy Fonio/ });
    await row.getByText('Completed, 1 failed').waitFor();
    await screenshot(page, 'cleaning-360');
    await session.visit(page, `/runs?by=admin`);
    await page
      .getByRole('row', { name: /Tidy Fonio #1/ })
      .getByText('Completed, 1 failed')
      .waitFor();
    await page.getByRole('link', { name: /Tidy Fonio #1/ }).click();
    await changeWidth(page, 1280);
    const steps = page.getByRole('region', { name: 'What each step did' });
    for (const words of ['Kept unchanged', 'Kept, changed', 'Dropped', 'Failed'])
      await steps.getByText(words, { exact: true }).last().waitFor();
    assert.deepEqual(session.faults, []);
  },
);

testWith([chromium], 'an address that nothing has keeps the shell around it', async (t, path) => {
  const session = await startWebSession(t, path);
  const page = await session.open('/nowhere/at/all');
  await page.getByRole('heading', { name: 'This page does not exist' }).waitFor();
  await page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name: 'Runs' }).click();
  await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
});

longTestWith([chromium], 'a page whose code cannot be loaded is waited for, and opens by itself', async (t, path) => {
  // A browser that already has the code would not request it.
  const session = await startWebSession(t, path, { isEmpty: true });
  const page = await session.open('/');
  await page.getByRole('heading', { name: 'Home', exact: true }).waitFor();
  await page.context().setOffline(true);
  await page.getByRole('link', { name: 'Operators' }).click();
  await page.getByText('The page opens automatically as soon as the service is reachable.').waitFor();
  await page.getByRole('heading', { name: 'Home', exact: true }).waitFor();
  await screenshot(page, 'page-waits');
  await page.context().setOffline(false);
  await page.getByRole('heading', { name: 'Operators', exact: true }).waitFor();
  await page.getByText('Normalize white space').first().waitFor();
  assert.deepEqual(session.faults, []);
});

async function widthOf(page: Page): Promise<number> {
  const box = await page.getByRole('navigation', { name: 'Main navigation' }).boundingBox();
  return Math.round(box?.width ?? 0);
}

/** The scripts that came over the network, with their compressed sizes in bytes. */
async function scriptsOf(page: Page): Promise<Record<string, number>> {
  return (await page.evaluate(
    `Object.fromEntries(performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js')).map(({ name, encodedBodySize }) => [name, encodedBodySize]))`,
  )) as Record<string, number>;
}

const sumOf = (sizes: Record<string, number>): number => Object.values(sizes).reduce((sum, size) => sum + size, 0);

/** A dataset that was cleaned by a task with one step. */
async function cleanOnce(app: RunningApp, name: string, { broken = false } = {}): Promise<{ dataset: string }> {
  const dataset = await createDataset(app, name);
  const form = new FormData();
  const rows = `{"text":"a  row"}\n${broken ? 'broken\n' : ''}`;
  form.append('files', new File([rows], `${name.toLowerCase()}-rows.jsonl`));
  await app.api('POST', `/data-management/datasets/${dataset}/files/upload`, form);
  const { body: task } = await app.api<{ data: { id: string } }>('POST', '/data-cleaning/tasks', {
    name: `Tidy ${name}`,
    sourceDatasetId: dataset,
    steps: [{ operatorId: 'whitespace-normalizer' }],
  });
  const tasks = `/data-cleaning/tasks/${task.data.id}`;
  const { body: run } = await app.api<{ data: { id: string } }>('POST', `${tasks}/execute`, {});
  for (;;) {
    const { body } = await app.api<{ data: { status: string } }>('GET', `${tasks}/runs/${run.data.id}`);
    if (body.data.status === 'COMPLETED') return { dataset };
    assert.ok(['QUEUED', 'RUNNING'].includes(body.data.status), body.data.status);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
