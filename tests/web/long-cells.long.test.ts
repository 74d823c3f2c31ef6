// A table in the browser with long cells and a duplicate name in its header.
import assert from 'node:assert/strict';
import { chromium } from '../support/chromium.ts';
import { testWith } from '../support/tools.ts';
import { startWebSession } from './web-session.ts';

testWith([chromium], 'a cell of megabytes opens at once, in parts; rows without a value are found', async (t, path) => {
  const session = await startWebSession(t, path);
  const { body: dataset } = await session.app.api<{ id: string }>('POST', '/data-management/datasets', {
    name: 'Long',
    type: 'TEXT',
  });
  const form = new FormData();
  const long = 'long '.repeat(1_000_000);
  form.append('files', new Blob([`text,a,a\n${long},1,2\nshort,,3\n`]), 'cells.csv');
  const at = `/data-management/datasets/${dataset.id}/files/upload`;
  const { body } = await session.app.api<{ id: string }[]>('POST', at, form);
  const page = await session.open(`/datasets/${dataset.id}/files/${body[0]?.id ?? ''}`);
  await page.getByText('renamed').waitFor();
  await page
    .getByText(/^long long/)
    .first()
    .click();
  const drawer = page.getByRole('dialog');
  await drawer.getByRole('button', { name: 'Show more (980,000 characters left)' }).click();
  await drawer.getByRole('button', { name: 'Show more (960,000 characters left)' }).waitFor();
  assert.ok(((await drawer.textContent()) ?? '').length < 50_000);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.getByRole('combobox', { name: 'Column' }).click();
  await page.getByRole('option', { name: 'a', exact: true }).click();
  await page.getByRole('combobox', { name: 'Condition' }).click();
  await page.getByRole('option', { name: 'has no value' }).click();
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('a has no value').waitFor();
  await page
    .getByText(/^long long/)
    .first()
    .waitFor({ state: 'detached' });
  await page.getByText('short').first().waitFor();
  assert.deepEqual(session.faults, []);
});
