// Tables of any size for users: searched, filtered, sorted, arranged, used by keyboard, and as smooth with a million rows as with a
// thousand.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { chromium } from '../support/chromium.ts';
import { longTestWith } from '../support/long-tests.ts';
import { testWith } from '../support/tools.ts';
import { until } from '../support/until.ts';
import { datasetWithFiles } from './datasets.ts';
import { findBarriers, screenshot, startWebSession } from './web-session.ts';

testWith([chromium], 'rows are searched, filtered, sorted and arranged, and the address keeps it', async (t, path) => {
  const session = await startWebSession(t, path);
  const lines = Array.from({ length: 3_000 }, (_, id) =>
    JSON.stringify({
      id,
      text: id % 7 === 0 ? null : `row number ${id} ${'with some words '.repeat(id % 9)}`,
      lang: ['en', 'de', 'zh'][id % 3],
      doc: { source: { url: `https://example.org/${id}` } },
    }),
  );
  lines.splice(5, 0, 'a broken line');
  const id = await datasetWithFiles(session.app, 'Rows', { 'rows.jsonl': lines.join('\n') });
  const page = await session.open(`/datasets/${id}`);
  const grid = page.getByRole('grid', { name: 'rows.jsonl' });
  await page.getByText('3,001 rows').waitFor();
  await grid.getByText('0 – 2,999').waitFor();
  await screenshot(page, 'rows');
  assert.deepEqual(await findBarriers(page), []);

  // The broken line is among the rows, and can be listed.
  await grid.getByText('a broken line', { exact: true }).waitFor();
  await page.getByRole('button', { name: '1 unreadable row' }).click();
  await page.getByText('1 row found').waitFor();
  assert.equal(await grid.getByRole('row').count(), 2);
  await page.getByRole('button', { name: '1 unreadable row' }).click();

  // A search covers all rows, not only those already loaded.
  await page.getByRole('searchbox', { name: 'Search all rows' }).fill('NUMBER 2987 ');
  await page.getByText('1 row found').waitFor();
  await grid.getByText('row number 2987').waitFor();
  await page.getByRole('searchbox', { name: 'Search all rows' }).fill('');
  await page.getByText('3,001 rows').waitFor();

  // A frequent value becomes a filter; its chip removes it again.
  await grid.getByRole('button', { name: /Statistics of lang/ }).click();
  await page.getByRole('button', { name: /^zh/ }).click();
  await page.getByText('1,000 rows found').waitFor();
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('textbox', { name: 'Value' }).fill('2990');
  await page.getByRole('combobox', { name: 'Condition' }).click();
  await page.getByRole('option', { name: 'is at least' }).click();
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('4 rows found').waitFor();
  await grid.getByRole('button', { name: 'id', exact: true }).click();
  await grid.getByRole('button', { name: 'id', exact: true }).click();
  await grid.getByRole('columnheader', { name: /^id/ }).and(page.locator('[aria-sort=descending]')).waitFor();
  const first = async (): Promise<string> => grid.getByRole('gridcell').first().innerText();
  await until(async () => (await first()) === '2999');
  await screenshot(page, 'rows-filtered');
  assert.deepEqual(await findBarriers(page), []);

  // A link shows the same rows to a colleague.
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.getByText('4 rows found').waitFor();
  await other.close();
  await page.getByRole('button', { name: 'Remove the filter id ≥ 2990' }).click();
  await page.getByText('1,000 rows found').waitFor();

  // Columns keep their arrangement.
  await grid.getByRole('button', { name: 'Actions for the column lang' }).click();
  await page.getByRole('menuitem', { name: 'Move left' }).click();
  await page.getByRole('menu').waitFor({ state: 'detached' });
  await grid.getByRole('button', { name: 'Actions for the column text' }).click();
  await page.getByRole('menuitem', { name: 'Hide column' }).click();
  const edge = grid.getByRole('separator', { name: 'Width of the column id' });
  const before = Number(await edge.getAttribute('aria-valuenow'));
  await edge.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  assert.equal(Number(await edge.getAttribute('aria-valuenow')), before + 32);
  await page.reload();
  await page.getByText('1,000 rows found').waitFor();
  assert.deepEqual(await columnNames(page), ['id', 'lang', 'doc']);
  await page.getByText('1 hidden').waitFor();
  assert.equal(Number(await edge.getAttribute('aria-valuenow')), before + 32);
  assert.deepEqual(session.faults, []);
});

testWith([chromium], 'a grid is one stop of the keyboard, and a row opens with its whole values', async (t, path) => {
  const session = await startWebSession(t, path);
  const long = 'a long text '.repeat(400);
  const lines = Array.from({ length: 500 }, (_, id) =>
    JSON.stringify({
      id,
      text: id === 3 ? long : `text ${id}`,
      doc: { deep: { list: [1, { found: `value ${id}` }] } },
    }),
  );
  const id = await datasetWithFiles(session.app, 'Keys', { 'keys.jsonl': lines.join('\n') });
  const page = await session.open(`/datasets/${id}`);
  const grid = page.getByRole('grid', { name: 'keys.jsonl' });
  await page.getByText('500 rows').waitFor();
  await grid.focus();
  await page.keyboard.press('ArrowRight');
  for (let step = 0; step < 3; step += 1) await page.keyboard.press('ArrowDown');
  const active = async (): Promise<string> =>
    (await page.evaluate(
      `(() => { const grid = document.querySelector('[role=grid]'); return document.getElementById(grid.getAttribute('aria-activedescendant'))?.innerText ?? ''; })()`,
    )) as string;
  await until(async () => (await active()).startsWith('a long text'));
  await page.keyboard.press('Control+End');
  await until(async () => (await active()).includes('499'));
  await page.keyboard.press('Control+Home');
  await until(async () => (await active()) === '0' || (await active()) === 'text 0');
  for (let step = 0; step < 3; step += 1) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByText(long.trim()).waitFor();
  await dialog.getByRole('button', { name: 'list: [2]' }).click();
  await dialog.getByRole('button', { name: '1: {1}' }).click();
  await dialog.getByText('value 3').waitFor();
  await screenshot(page, 'row-open');
  assert.deepEqual(await findBarriers(page), []);
  await dialog.getByRole('button', { name: 'Next row' }).click();
  await dialog.getByText('text 4', { exact: true }).waitFor();
  assert.match(page.url(), /[?&]row=5/, 'a link opens the same row');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  assert.deepEqual(session.faults, []);
});

longTestWith([chromium], 'a million rows scroll as a thousand do', async (t, path) => {
  const session = await startWebSession(t, path);
  const csv = (rows: number): string =>
    `id,name,score\n${Array.from({ length: rows }, (_, id) => `${id},name of ${id},${id % 97}`).join('\n')}\n`;
  const few = await datasetWithFiles(session.app, 'Few', { 'few.csv': csv(1_000) });
  const many = await datasetWithFiles(session.app, 'Many', { 'many.csv': csv(1_000_000) });
  const open = async (id: string, rows: string): Promise<Page> => {
    const page = await session.open(`/datasets/${id}`);
    // The index of a million rows takes its time on a busy machine.
    await page.getByText(rows).waitFor({ timeout: 240_000 });
    await page.getByText('0 – 96').waitFor();
    return page;
  };
  const pages = [await open(few, '1,000 rows'), await open(many, '1,000,000 rows')] as const;
  // The number of rendered rows does not grow with the table, at any position.
  const drawn = await Promise.all(pages.map(async (page) => mostDrawn(page)));
  t.diagnostic(`rows drawn at once: ${drawn.join(' and ')}`);
  assert.deepEqual(drawn[1], drawn[0]);

  // Every row can be reached, including the last one, and the wheel moves by a few rows.
  const page = pages[1];
  const grid = page.getByRole('grid', { name: 'many.csv' });
  await page.getByRole('textbox', { name: 'Go to row' }).fill('777777');
  await page.keyboard.press('Enter');
  await grid.getByText('name of 777776', { exact: true }).waitFor();
  await grid.hover();
  await page.mouse.wheel(0, 99);
  await grid.getByText('name of 777779', { exact: true }).waitFor();
  await grid.focus();
  await page.keyboard.press('Control+End');
  await grid.getByText('name of 999999', { exact: true }).waitFor();
  await screenshot(page, 'rows-million');
  assert.deepEqual(session.faults, []);
});

/** The highest number of rows in the page at once during scrolling, including those about to become visible. */
async function mostDrawn(page: Page): Promise<number> {
  return (await page.evaluate(`new Promise((resolve) => {
    const grid = document.querySelector('[role=grid]');
    let frames = 80;
    let most = 0;
    const step = () => {
      most = Math.max(most, grid.querySelectorAll('[role=row]').length);
      if (frames === 0) return resolve(most);
      frames -= 1;
      grid.scrollTop += 240;
      requestAnimationFrame(step);
    };
    grid.scrollTop = 0;
    requestAnimationFrame(step);
  })`)) as number;
}

async function columnNames(page: Page): Promise<string[]> {
  return page.locator('[role=grid] .column-name').allInnerTexts();
}

longTestWith([chromium], 'what is no table says so, and how a table is read', async (t, path) => {
  const session = await startWebSession(t, path);
  const { api } = session.app;
  const files = { 'a-setting.json': '{"depth":3}', 'b-narrow.csv': 'a;b\n1;2\n1;2;3\n', 'c.csv': 'name\nAnn\n' };
  const dataset = await datasetWithFiles(session.app, 'Odd tables', files);
  const { body: listed } = await api<{ content: { id: string; filePath: string }[] }>(
    'GET',
    `/data-management/datasets/${dataset}/files`,
  );
  const open = async (name: string) =>
    session.open(`/datasets/${dataset}/files/${listed.content.find(({ filePath }) => filePath === name)?.id ?? ''}`);

  const setting = await open('a-setting.json');
  await setting.getByText(/one JSON value and no array of objects/).waitFor();
  assert.equal(await setting.getByRole('radio', { name: 'Text' }).isChecked(), true);
  assert.equal(await setting.getByRole('radio', { name: 'Table' }).isDisabled(), true);

  const narrow = await open('b-narrow.csv');
  await narrow.getByText(/UTF-8, delimiter ;/).waitFor();
  const broken = narrow.locator('.row-grid-broken');
  await broken.getByText(/the row has 3 cells, the header 2/).waitFor();
  assert.equal(await broken.evaluate((cell) => cell.scrollWidth > cell.clientWidth), false, 'the reason is cut off');
  const single = await open('c.csv');
  await single.getByText(/UTF-8, no delimiter found/).waitFor();

  const query = await session.open(`/datasets/${dataset}/query`);
  await query.getByText(/a-setting\.json.*cannot be shown as a table/).waitFor();
  await query.getByRole('button', { name: 'Run', exact: true }).click();
  await query.getByRole('grid').getByText('1', { exact: true }).first().waitFor();
  assert.deepEqual(session.faults, []);
});
