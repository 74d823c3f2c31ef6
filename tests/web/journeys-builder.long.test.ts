// Building a cleaning task: the preview gets the space, and problems are shown where they are.
import assert from 'node:assert/strict';
import { chromium } from '../support/chromium.ts';
import { isLongRun } from '../support/long-tests.ts';
import { testWith } from '../support/tools.ts';
import { createDataset, datasetWithFiles } from './datasets.ts';
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

testWith([chromium], 'the preview has the room, and each step says what it drops', async (t, path) => {
  const session = await startWebSession(t, path);
  const rows = Array.from({ length: 150 }, (_, row) => JSON.stringify({ text: row % 4 === 0 ? 'x' : `row  ${row}` }));
  const dataset = await datasetWithFiles(session.app, 'Kamut', {
    'page.html': '<h1>A page</h1><p>with a  text</p>',
    'rows.jsonl': rows.join('\n'),
  });
  const page = await session.open(`/cleaning/new?dataset=${dataset}`);
  await addStep(page, 'Filter by text length', 'shorter');
  await page.getByRole('textbox', { name: 'Minimum length' }).fill('3');
  await page.getByText('(default: 1)').waitFor();
  await page.getByRole('button', { name: 'Add step' }).click();
  const search = page.getByRole('searchbox', { name: 'What should the step do?' });
  await search.fill('mask phones');
  const found = page.getByRole('button', { name: /^Add: / });
  await page.getByRole('button', { name: 'Add: Normalize white space' }).waitFor({ state: 'detached' });
  for (const [index, name] of ['Add: Mask telephone numbers', 'Add: Mask personal data'].entries())
    await found.nth(index).and(page.getByRole('button', { name })).waitFor();
  assert.equal(await found.count(), 2, 'operators are found by what they do');
  await search.fill('');
  assert.deepEqual(await findBarriers(page), []);
  for (const width of widths) {
    await changeWidth(page, width);
    await screenshot(page, `builder-palette-${width}`);
    assert.equal(await overflowOf(page), 0, `${width} pixels`);
  }
  await changeWidth(page, 1280);
  await search.fill('zebra xylophone');
  await page.getByText('No operators match.').waitFor();
  await page.keyboard.press('Escape');
  await addStep(page, 'Normalize white space');
  const preview = page.getByRole('region', { name: 'Preview', exact: true });
  const step = page.getByRole('listitem').filter({ hasText: '1. Filter by text length' });
  // Rows 1, 5 and 9 of the first nine, plus a page.
  await step.getByText(/^\s*drops 30\s?%$/).waitFor();
  await preview.getByText('First 10 samples').waitFor();
  await preview.getByText(/Read from a document \(HTML\) · \d+ characters/).waitFor();

  for (const width of [1920, 1440, 1280, 1024]) {
    await changeWidth(page, width);
    const [whole, part] = [await page.locator('.builder').boundingBox(), await preview.boundingBox()];
    assert.ok((part?.width ?? 0) >= (whole?.width ?? Infinity) / 2, `half of ${width} pixels`);
    const heading = await page.locator('.compact-heading').boundingBox();
    assert.ok((heading?.height ?? Infinity) < 50, `${heading?.height} pixels of header at ${width}`);
  }
  await step.getByText('Minimum length: 3 · Maximum length: No limit').waitFor();
  for (const theme of themes)
    for (const width of widths) {
      await changeTheme(page, theme);
      await changeWidth(page, width);
      await screenshot(page, `builder-preview-${theme}-${width}`);
    }
  await changeTheme(page, 'light');
  await changeWidth(page, 1440);
  await preview.getByRole('combobox', { name: 'Samples to show' }).click();
  await page.getByRole('option', { name: '1,000 at random' }).click();
  await preview.getByText('151 random samples of 151').waitFor();
  await step.getByText(/^\s*drops 25[.\d]*\s?%$/).waitFor();
  await preview.getByRole('button', { name: 'Show 101 more' }).click();
  await preview.getByRole('button', { name: 'Show 51 more' }).waitFor();
  await preview.getByRole('combobox', { name: 'Samples to show' }).click();
  await page.getByRole('option', { name: '100 at random', exact: true }).click();
  await preview.getByText('100 random samples of 151').waitFor();
  const samples = preview.getByRole('region', { name: 'Samples of the preview' });
  const drawn = await samples.innerText();
  const answered = page.waitForResponse(/\/data-cleaning\/preview$/);
  await preview.getByRole('button', { name: 'Draw other samples' }).click();
  await answered;
  await preview.locator('[aria-busy=false]').first().waitFor();
  assert.notEqual(await samples.innerText(), drawn, 'other samples');
  await screenshot(page, 'builder-random');
  await page.getByRole('button', { name: 'Step actions: Filter by text length' }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  await step.waitFor({ state: 'detached' });
  assert.deepEqual(session.faults, []);
});

testWith([chromium], 'a parameter that is refused says so at its field, in words', async (t, path) => {
  const session = await startWebSession(t, path);
  const dataset = await datasetWithFiles(session.app, 'Einkorn', { 'rows.jsonl': '{"text":"a  row"}\n' });
  const page = await session.open(`/cleaning/new?dataset=${dataset}`);
  await addStep(page, 'Normalize white space');
  await addStep(page, 'Filter by text length');
  await page.getByRole('textbox', { name: 'Minimum length' }).fill('90');
  await page.getByRole('textbox', { name: 'Maximum length' }).fill('20');
  const preview = page.getByRole('region', { name: 'Preview', exact: true });
  const words = 'Must not exceed “Maximum length”';
  await preview.getByText(`Step 2, Filter by text length, Minimum length: ${words}`).waitFor();
  const field = page.getByRole('textbox', { name: 'Minimum length' });
  assert.equal(await field.getAttribute('aria-invalid'), 'true');
  assert.equal(await page.getByRole('region', { name: 'Steps' }).getByText(words).count(), 1);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page
    .getByRole('alert')
    .filter({ hasText: 'The task was not saved' })
    .getByText(/Step 2, Filter/)
    .waitFor();
  assert.equal(await page.getByText(/steps\[/).count(), 0);
  await screenshot(page, 'builder-refused');
  await preview.getByRole('button', { name: 'Show the field' }).click();
  await page.locator('input:focus').waitFor();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('2');
  await preview.getByText('First 1 sample').waitFor();
  await page.getByText('The task was not saved').waitFor({ state: 'detached' });

  const chinese = await session.open(`/cleaning/new?dataset=${dataset}`, { language: 'zh' });
  await chinese.getByRole('button', { name: '添加步骤' }).click();
  await chinese.getByRole('button', { name: '添加：按文本长度过滤' }).click();
  await chinese.getByRole('textbox', { name: '最短长度' }).fill('90');
  await chinese.getByRole('textbox', { name: '最长长度' }).fill('20');
  await chinese.getByText('步骤 1（按文本长度过滤）的“最短长度”：不能大于“最长长度”').waitFor();
  await screenshot(chinese, 'builder-refused-zh');
  assert.deepEqual(session.faults, []);
});

testWith([chromium], 'a task and its result are proposed names that nothing has', async (t, path) => {
  const session = await startWebSession(t, path);
  const dataset = await datasetWithFiles(session.app, 'Durra', { 'rows.jsonl': '{"text":"a  row"}\n' });
  await createDataset(session.app, 'Durra (cleaned)');
  await session.app.api('POST', '/data-cleaning/tasks', {
    name: 'Clean Durra',
    sourceDatasetId: dataset,
    targetDatasetName: 'Durra (cleaned) 2',
    steps: [{ operatorId: 'whitespace-normalizer' }],
  });
  const page = await session.open('/cleaning/new');
  await page.getByRole('combobox', { name: 'Source' }).fill('Durra');
  await page.getByRole('option', { name: 'Durra', exact: true }).click();
  await page.getByPlaceholder('Clean Durra 2').waitFor();
  await page.getByPlaceholder('Durra (cleaned) 3').waitFor();
  await addStep(page, 'Normalize white space');
  await page.getByRole('button', { name: 'Save and run' }).click();
  await page.getByRole('link', { name: 'Open “Durra (cleaned) 3”' }).waitFor();
  await page.getByRole('heading', { name: /Clean Durra 2/ }).waitFor();
  assert.deepEqual(session.faults, []);
});

testWith([chromium], 'editing a task keeps what the page does not show', async (t, path) => {
  const session = await startWebSession(t, path);
  const dataset = await datasetWithFiles(session.app, 'Teff', {
    'rows.jsonl':
      '{"lang":"en","doc":{"text":"a  row"},"note":"x"}\n{"lang":"zh","doc":{"text":"b  row"},"note":"y"}\n',
  });
  const input = {
    prefix: '',
    fileTypes: ['jsonl'],
    exclude: ['*.tmp'],
    textField: null,
    textFields: [{ files: '*.jsonl', fields: ['doc.text'] }],
    where: [{ field: 'lang', op: 'EQ', value: 'en' }],
    encoding: 'utf-8',
  };
  const { body } = await session.app.api<{ data: { id: string } }>('POST', '/data-cleaning/tasks', {
    name: 'Clean Teff',
    sourceDatasetId: dataset,
    steps: [{ operatorId: 'whitespace-normalizer' }],
    input: { ...input, textField: undefined },
  });
  const page = await session.open(`/cleaning/${body.data.id}/edit`);
  await page.getByText('First 1 sample').waitFor();
  const source = page.getByRole('region', { name: 'Source' });
  await source.getByText('doc.text').first().waitFor();
  await source.getByText('Only rows where lang EQ "en"').waitFor();
  for (const width of widths) {
    await changeWidth(page, width);
    await screenshot(page, `builder-edit-${width}`);
    assert.equal(await overflowOf(page), 0, `${width} pixels`);
  }
  await changeWidth(page, 1280);
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Clean Teff better');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('heading', { name: 'Clean Teff better' }).waitFor();
  const saved = await session.app.api<{ data: { input: object } }>('GET', `/data-cleaning/tasks/${body.data.id}`);
  assert.deepEqual(saved.body.data.input, input);
  assert.deepEqual(session.faults, []);
});
