// The source of a cleaning task comes first: its tables and columns, what can't be read, and the steps that its profile proposes.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { chromium } from '../support/chromium.ts';
import { isLongRun } from '../support/long-tests.ts';
import { testWith } from '../support/tools.ts';
import { datasetWithFiles } from './datasets.ts';
import {
  addStep,
  changeTheme,
  changeWidth,
  findBarriers,
  overflowOf,
  screenshot,
  startWebSession,
  themes,
} from './web-session.ts';

const widths = isLongRun ? [1440, 1024, 390] : [390];

/** "中文内容" in GB18030, without a byte order mark, so its encoding is a guess. */
const chineseBytes = Buffer.from('d6d0cec4c4dac8dd'.repeat(3), 'hex');

testWith([chromium], 'the source comes first: tables, their columns, and what can not be read', async (t, path) => {
  const session = await startWebSession(t, path);
  const dataset = await datasetWithFiles(session.app, 'Sorghum', {
    'sales.csv': 'city,comment,price\nOslo,good  one,1\nRome,bad,2\n',
    'chats/1.jsonl': '{"messages":[{"role":"user","content":"hello  there"}]}\n',
    'chats/2.jsonl': '{"messages":[{"role":"user","content":"good  bye"}]}\n',
    'rows.jsonl': '{"text":"a  row"}\n',
    'figures.jsonl': '{"n":1}\n',
    'letter.txt': chineseBytes,
    'photo.png': 'x',
    'tool.exe': 'x',
  });
  const page = await session.open(`/cleaning/new?dataset=${dataset}`);
  const source = page.getByRole('region', { name: 'Source' });
  await source
    .getByText('5 tables · 1 text file · 1 image, skipped: no step processes them · 1 unreadable file')
    .waitFor();
  await source.getByText('It has 2 columns with text. Choose what to clean').first().waitFor();
  await source.getByText(/\.exe \(1\)/).waitFor();
  await source.getByText(/letter\.txt: GB18030/).waitFor();
  await source
    .getByRole('button', { name: 'Change the text column of rows.jsonl' })
    .getByText('text (detected)')
    .waitFor();
  assert.equal(await source.getByText('chats/*.jsonl').count(), 1, 'alike tables are one choice');
  const asked: string[] = [];
  page.on('request', (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`));
  await addStep(page, 'Normalize white space');
  await page.getByText('Choose the text column first').waitFor();
  await page.getByRole('button', { name: 'Save and run' }).click();
  await page.getByRole('alert').getByText('Choose the text column of each table').first().waitFor();
  await screenshot(page, 'builder-source-unclear');
  assert.deepEqual(
    asked.filter((call) => /preview$|^POST .*tasks$/.test(call)),
    [],
    'nothing is asked that the service would refuse',
  );
  assert.equal(await page.getByText(/input\.textField/).count(), 0);

  const sales = page.getByRole('combobox', { name: 'Text column of sales.csv' });
  await sales.fill('remark');
  await sales.press('Enter');
  await source.getByText('Its first rows have no text in: remark').waitFor();
  await sales.press('Backspace');
  await choose(page, 'sales.csv', 'comment');
  await choose(page, 'chats/*.jsonl', 'messages[*].content');
  await source.getByRole('button', { name: 'Exclude figures.jsonl' }).click();
  await source.getByRole('combobox', { name: 'Encoding' }).click();
  await page.getByRole('option', { name: 'gb18030' }).click();
  await page.getByText(/^All [1-9]/).waitFor();
  await page.getByText('hello  there').first().waitFor();
  for (const theme of themes)
    for (const width of widths) {
      await changeTheme(page, theme);
      await changeWidth(page, width);
      await screenshot(page, `builder-source-${theme}-${width}`);
      assert.equal(await overflowOf(page), 0, `${width} pixels`);
    }
  assert.deepEqual(await findBarriers(page), []);
  await page.getByRole('button', { name: 'Save and run' }).click();
  // Only the tool has no reader.
  await page.getByText('Completed with 1 failure').waitFor();
  const { body } = await session.app.api<{ data: { content: { input: object }[] } }>(
    'GET',
    '/data-cleaning/tasks?keyword=Clean%20Sorghum',
  );
  assert.deepEqual(body.data.content[0]?.input, {
    prefix: '',
    fileTypes: [],
    exclude: ['figures.jsonl'],
    textField: null,
    textFields: [
      { files: 'sales.csv', fields: ['comment'] },
      { files: 'chats/*.jsonl', fields: ['messages[*].content'] },
    ],
    where: [],
    encoding: 'gb18030',
  });

  const chinese = await session.open(`/cleaning/new?dataset=${dataset}`, { language: 'zh' });
  await chinese.getByText('有 2 个文本列。请选择要清洗的列，或排除该表格。').first().waitFor();
  await screenshot(chinese, 'builder-source-zh');
  assert.deepEqual(session.faults, []);
});

async function choose(page: Page, table: string, column: string): Promise<void> {
  await page.getByRole('combobox', { name: `Text column of ${table}` }).click();
  await page.getByRole('option', { name: column }).click();
  await page.keyboard.press('Escape');
}

testWith([chromium], 'a profile of the source proposes steps', async (t, path) => {
  const session = await startWebSession(t, path);
  const rows = Array.from({ length: 12_000 }, (_, row) => {
    const words = 'word '.repeat(1 + (row % 20));
    return `{"text":"${words}${row % 3 === 0 ? 'a@example.org' : 'plain content'}"}\n`;
  });
  const dataset = await datasetWithFiles(session.app, 'Teff', { 'rows.jsonl': rows.join('') });
  const page = await session.open(`/cleaning/new?dataset=${dataset}`);
  const panel = page.getByRole('region', { name: 'Preview', exact: true });
  await panel.getByText('Profile', { exact: true }).click();
  await panel.getByText('10,000 random samples of 12,000').waitFor();
  const lengths = panel.getByRole('region', { name: 'Length of the text in code points' });
  await lengths.getByText('113', { exact: true }).last().waitFor();
  await panel.getByText(/99[.\d]*\s?% exact, 99[.\d]*\s?% near or exact \(among these/).waitFor();
  for (const theme of themes)
    for (const width of widths) {
      await changeTheme(page, theme);
      await changeWidth(page, width);
      await screenshot(page, `builder-profile-${theme}-${width}`);
      assert.equal(await overflowOf(page), 0, `${width} pixels`);
    }
  await changeTheme(page, 'light');
  await changeWidth(page, 1440);
  assert.deepEqual(await findBarriers(page), []);
  await lengths.getByRole('button').last().click();
  await page.getByRole('textbox', { name: 'Maximum length' }).and(page.locator('[value="114"]')).waitFor();
  await lengths.getByRole('button').first().click();
  await page.getByRole('textbox', { name: 'Minimum length' }).and(page.locator('[value="15"]')).waitFor();
  await panel.getByRole('region', { name: 'E-mail addresses' }).getByRole('button').first().click();
  await page.getByRole('listitem').filter({ hasText: '2. Mask personal data' }).waitFor();
  await panel.getByRole('button', { name: 'Read all samples' }).click();
  await panel.getByText('All 12,000 samples').waitFor();
  await panel.locator('[aria-busy=false]').first().waitFor();

  // The run that read them has a page, which also starts a cleaning task.
  await session.visit(page, `/runs?area=data-cleaning/profiles`);
  // The newest run comes first.
  await page
    .getByRole('row', { name: /Profile of a dataset #1.*Cleaning/ })
    .getByRole('link')
    .first()
    .click();
  await page.getByRole('heading', { name: 'Profile #1 of Teff' }).waitFor();
  await page.getByText('All 12,000 samples').waitFor();
  await page.getByRole('link', { name: 'Teff, version 2' }).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await screenshot(page, 'profile-run');
  await page.getByRole('region', { name: 'E-mail addresses' }).getByRole('button').first().click();
  await page.getByRole('listitem').filter({ hasText: '1. Mask personal data' }).waitFor();
  assert.deepEqual(session.faults, []);
});
