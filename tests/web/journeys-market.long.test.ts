// From a package to a task that uses it: dropped, checked, published, tried, rated, installed, run, upgraded and uninstalled.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { readFolder } from '../../scripts/operators/package-folder.ts';
import { tarGzip } from '../../scripts/operators/tar-gzip.ts';
import { chromium } from '../support/chromium.ts';
import { formOf } from '../support/operator-packages.ts';
import { testWith } from '../support/tools.ts';
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

/** The files of one of this project's examples; TypeScript code is bundled. */
function exampleFiles(name: string): Promise<Map<string, Uint8Array>> {
  return readFolder(fileURLToPath(new URL(`../../examples/operators/${name}`, import.meta.url)));
}

/** A later version of the example, with changed code and manifest. */
async function laterVersion(name: string): Promise<Map<string, Uint8Array>> {
  const files = await exampleFiles(name);
  const manifest = JSON.parse(Buffer.from(files.get('operator.json') ?? []).toString()) as Record<string, unknown>;
  const changed = { ...manifest, version: '1.1.0', changes: 'Leaves notes alone.' };
  files.set('operator.json', Buffer.from(JSON.stringify(changed)));
  const code = Buffer.from(files.get('operator.js') ?? []).toString();
  const marked = code.replace(
    '(sample) => {',
    `(sample) => {
      if (sample.text.startsWith('Note')) return sample;
      if (sample.text.startsWith('Read')) return { text: 'Read it' };`,
  );
  assert.notEqual(marked, code, 'the example has another form than this test thinks');
  files.set('operator.js', Buffer.from(marked));
  return files;
}

async function dropFile(page: Page, path: string): Promise<void> {
  const browser = await page.context().newCDPSession(page);
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    const data = { items: [], files: [path], dragOperationsMask: 1 };
    if (type === 'dragOver') await page.getByText('The package (.tgz or .zip) is checked first').waitFor();
    await browser.send('Input.dispatchDragEvent', { type, x: 300, y: 300, data });
  }
}

/** Screenshots of a page in a wide and a narrow window, which it must fit. */
async function showNarrow(page: Page, name: string): Promise<void> {
  await screenshot(page, name);
  await changeWidth(page, 390);
  await screenshot(page, `${name}-390`);
  assert.equal(await overflowOf(page), 0, name);
  await changeWidth(page, 1280);
}

testWith([chromium], 'an operator is published by dropping it, used, upgraded and uninstalled', async (t, path) => {
  const session = await startWebSession(t, path);
  const { api } = session.app;
  const folder = await mkdtemp(join(tmpdir(), 'tilth-packages-'));
  t.after(() => rm(folder, { recursive: true }));
  const packed = async (name: string, files: ReadonlyMap<string, Uint8Array>): Promise<string> => {
    const file = join(folder, name);
    await writeFile(file, tarGzip(files));
    return file;
  };

  // A refused package is shown with the place and the reason.
  const page = await session.open('/market');
  await page.getByRole('heading', { name: 'Operator market', exact: true }).waitFor();
  const broken = await exampleFiles('link-remover');
  const manifest = Buffer.from(broken.get('operator.json') ?? []).toString();
  broken.set('operator.json', Buffer.from(manifest.replace('"See  for more"', '"Something else"')));
  await dropFile(page, await packed('broken.tgz', broken));
  const checks = page.getByRole('region', { name: 'Checks' });
  await checks.getByRole('alert').filter({ hasText: 'A link within a sentence' }).waitFor();
  assert.equal(await checks.locator('[data-state=PASSED]').count(), 5);
  assert.equal(await checks.locator('[data-state=REFUSED]').count(), 1);
  await checks.getByText('Fix the code or the example.').waitFor();
  assert.equal(await page.getByRole('button', { name: /^Publish 1/ }).count(), 0);
  assert.deepEqual(await findBarriers(page), []);
  await screenshot(page, 'market-refused');
  await dropFile(page, await packed('notes.txt', new Map()));
  await page.getByText('notes.txt is not a package').waitFor();

  await dropFile(page, await packed('link-remover.tgz', await exampleFiles('link-remover')));
  await page.getByText('All checks passed. Nothing is published yet.').waitFor();
  assert.equal(await checks.locator('[data-state=PASSED]').count(), 7);
  await screenshot(page, 'market-checked');
  await page.getByRole('button', { name: 'Publish 1.0.0' }).click();
  await page.getByRole('heading', { name: 'Remove links', exact: true }).waitFor();
  await page.getByText('Needs nothing beyond the text').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  for (const theme of themes.toReversed()) {
    await changeTheme(page, theme);
    await screenshot(page, `market-package-${theme}`);
  }
  await changeWidth(page, 390);
  await screenshot(page, 'market-package-390');
  assert.equal(await overflowOf(page), 0);
  await changeWidth(page, 1280);

  // Tried before it is installed; its author does not rate it.
  await page.getByRole('tab', { name: 'Try it' }).click();
  const trial = page.getByRole('region', { name: 'Try it' });
  await trial.getByRole('textbox', { name: 'Mark' }).fill('[L]');
  await trial.getByRole('textbox', { name: 'Text', exact: true }).fill('See https://example.org now');
  await trial.getByRole('status', { name: 'Result' }).locator('ins', { hasText: '[L]' }).waitFor();
  await trial.getByText('Rows', { exact: true }).click();
  await trial.getByRole('textbox', { name: 'Texts, one per line' }).fill('a\nhttps://example.org\nb');
  await trial.locator('.example').nth(2).waitFor();
  const ratings = page.getByRole('region', { name: 'Ratings' });
  await ratings.getByText('You published this operator, so you cannot rate it.').waitFor();
  assert.equal(await ratings.getByRole('radio').count(), 0);

  // Installed, found by everyday words, and used.
  await page.getByRole('button', { name: 'Install 1.0.0' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Needs nothing beyond the text').waitFor();
  await dialog.getByRole('button', { name: 'Install 1.0.0' }).click();
  await page.getByRole('button', { name: 'Use in a new task' }).waitFor();
  await page.getByRole('link', { name: 'Operator market' }).first().click();
  await page.getByRole('searchbox', { name: 'What should the step do?' }).fill('delete urls');
  await page.getByRole('article').filter({ hasText: 'Remove links' }).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await screenshot(page, 'market-list');
  await page.getByRole('searchbox', { name: 'What should the step do?' }).fill('zebra');
  await page.getByText('No matching operators').waitFor();

  const texts = ['Note https://example.org/a', 'Read https://example.org/b', 'Nothing', 'www.example.org'];
  const { body: dataset } = await api<{ id: string }>('POST', '/data-management/datasets', {
    name: 'Linked meadow',
    type: 'TEXT',
  });
  await api('POST', '/data-management/datasets', { name: 'Linked meadow', type: 'TEXT' });
  const form = new FormData();
  form.append('files', new Blob([texts.map((text) => `${JSON.stringify({ text })}\n`).join('')]), 'a.jsonl');
  await api('POST', `/data-management/datasets/${dataset.id}/files/upload`, form);
  await session.visit(page, `/cleaning/new?dataset=${dataset.id}`);
  await addStep(page, 'Remove links', 'Remove links');
  await page.getByText('Published by admin').last().waitFor();
  assert.equal(
    await page.getByRole('combobox', { name: 'Version', exact: true }).last().inputValue(),
    '1.0.0 (installed)',
  );
  await showNarrow(page, 'market-step');
  await page.getByRole('button', { name: 'Save and run' }).click();
  await page.getByText('Completed').first().waitFor();

  // A later version is compared with it and accepted, and the task is moved to it.
  await session.visit(page, `/market/publish`);
  await page.getByRole('heading', { name: 'How to build a package' }).waitFor();
  await page
    .locator('input[type=file]')
    .setInputFiles(await packed('link-remover-2.tgz', await laterVersion('link-remover')));
  await page.getByText('Follows 1.0.0').waitFor();
  await page.getByRole('button', { name: 'Publish 1.1.0' }).click();
  await page.getByText('You are viewing 1.1.0. The installed version is 1.0.0.').waitFor();
  await page.getByRole('button', { name: 'Compare with 1.0.0' }).click();
  await page.getByRole('combobox', { name: 'Dataset' }).click();
  // Two datasets have this name: creator, time and the end of the id distinguish them.
  assert.equal(await page.getByRole('option', { name: /^Linked meadow · admin, .+ · …/ }).count(), 2);
  await page.getByRole('option', { name: new RegExp(`^Linked meadow .+${dataset.id.slice(-6)}$`) }).click();
  await page.getByRole('button', { name: 'Compare on 50 samples' }).click();
  const result = page.getByRole('status', { name: 'Result of the comparison' });
  await result.getByText('a.jsonl, row 1').waitFor();
  await result.getByText('a.jsonl, row 2').waitFor();
  assert.equal(await result.getByLabel('becomes').count(), 1);
  await result.getByText('different text, same verdict').waitFor();
  assert.equal(await result.locator('li').count(), 2);
  await result.locator('ins', { hasText: 'https://example.org/a' }).waitFor();
  await result.locator('ins', { hasText: 'it' }).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await showNarrow(page, 'market-compare');
  await page.getByRole('button', { name: 'Accept: install 1.1.0' }).click();
  await dialog.getByRole('button', { name: 'Install 1.1.0' }).click();
  await page.getByRole('button', { name: /^Move .* to 1\.1\.0$/ }).click();
  await page.getByText('1 task now uses 1.1.0').waitFor();
  const { body: tasks } = await api<{ data: { content: { id: string; steps: { version: string }[] }[] } }>(
    'GET',
    '/data-cleaning/tasks?operatorId=link-remover',
  );
  assert.deepEqual(
    tasks.data.content.map(({ steps }) => steps.map(({ version }) => version)),
    [['1.1.0']],
  );

  // Uninstalled: the dialog names the task, whose page then says what is missing.
  await session.visit(page, `/market/operators/link-remover`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Uninstall' }).click();
  await dialog.getByText('1 task uses it.').waitFor();
  await showNarrow(page, 'market-uninstall');
  await dialog.getByRole('button', { name: 'Uninstall' }).click();
  await page.getByRole('button', { name: 'Install 1.1.0' }).waitFor();
  await session.visit(page, `/cleaning/${tasks.data.content[0]?.id ?? ''}`);
  await page.getByText('Step 1 needs link-remover 1.1.0.').waitFor();
  // The stored steps are shown nevertheless, here and in the builder.
  const steps = page.getByRole('region', { name: 'Steps' });
  await steps.getByText('Remove links').waitFor();
  await steps.getByText(/^Mark: /).waitFor();
  await steps.getByText('Not installed').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Run again' }).isDisabled(), true);
  await showNarrow(page, 'market-missing');
  const chinese = await session.open(new URL(page.url()).pathname, { language: 'zh' });
  await chinese.getByText('第 1 步需要 link-remover 1.1.0').waitFor();
  await screenshot(chinese, 'market-missing-zh');
  await page.getByRole('link', { name: 'Find it in the market' }).click();
  await page.getByRole('button', { name: 'Install 1.1.0' }).waitFor();
  assert.deepEqual(session.faults, []);
});

testWith(
  [chromium],
  'the other examples are published and tried, in Chinese and by TypeScript and WebAssembly',
  async (t, path) => {
    const session = await startWebSession(t, path);
    for (const [name, text, expected] of [
      ['digit-masker', 'tel 12345', '#####'],
      ['sentence-group-splitter', 'Alpha. Beta!', 'Beta!'],
    ] as const) {
      const form = formOf(tarGzip(await exampleFiles(name)));
      const { status, body } = await session.app.api('POST', '/operator-market/operators', form);
      assert.equal(status, 201, JSON.stringify(body));
      const page = await session.open(`/market/operators/${name}?tab=try`, { language: 'zh' });
      const trial = page.getByRole('region', { name: '试一试' });
      await trial.getByRole('textbox', { name: '文本', exact: true }).fill(text);
      await trial.getByRole('status', { name: '结果' }).getByText(expected, { exact: true }).last().waitFor();
      await screenshot(page, `market-try-${name}-zh`);
      assert.deepEqual(await findBarriers(page), []);
    }
    assert.deepEqual(session.faults, []);
  },
);
