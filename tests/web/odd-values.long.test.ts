// Unusual tables in the browser: only a header, values that differ between SQL and the file.
import assert from 'node:assert/strict';
import { chromium } from '../support/chromium.ts';
import { testWith } from '../support/tools.ts';
import { findBarriers, screenshot, startWebSession } from './web-session.ts';

testWith([chromium], 'a table that has only a header shows its columns', async (t, path) => {
  const session = await startWebSession(t, path);
  const { body: dataset } = await session.app.api<{ id: string }>('POST', '/data-management/datasets', {
    name: 'Headers',
    type: 'TEXT',
  });
  const form = new FormData();
  form.append('files', new Blob(['name,age,\n']), 'head.csv');
  const at = `/data-management/datasets/${dataset.id}/files/upload`;
  const { body } = await session.app.api<{ id: string }[]>('POST', at, form);
  const page = await session.open(`/datasets/${dataset.id}/files/${body[0]?.id ?? ''}`);
  await page.getByText('Its columns: name · age · column_3').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await page.goto(`${page.url().split('?')[0]}?q=nothing`);
  await page.getByText('Nothing matches these filters').first().waitFor();
  assert.equal(await page.getByText('Its columns:').count(), 0, 'of a search that finds nothing');
  assert.deepEqual(session.faults, []);
});

testWith([chromium], 'a column and a result say what SQL does not have of the file', async (t, path) => {
  const session = await startWebSession(t, path);
  const { body: dataset } = await session.app.api<{ id: string }>('POST', '/data-management/datasets', {
    name: 'Odd',
    type: 'TEXT',
  });
  const form = new FormData();
  form.append('files', new Blob(['{"v":[0.12345678901234567891],"t":"\\ud800"}\n{"v":[0.5],"t":"x"}']), 'odd.jsonl');
  const at = `/data-management/datasets/${dataset.id}/files/upload`;
  const { body } = await session.app.api<{ id: string }[]>('POST', at, form);
  const page = await session.open(`/datasets/${dataset.id}/files/${body[0]?.id ?? ''}`);
  await page
    .getByText(/0\.12345678901234567891/)
    .first()
    .waitFor();
  await page.getByRole('columnheader', { name: /^v/ }).getByText('long decimals').hover();
  await page
    .getByRole('tooltip')
    .getByText(/Rows show all digits; SQL, sorting and size filters use rounded numbers/)
    .waitFor();
  await page.getByRole('columnheader', { name: /^t/ }).getByText('lone surrogates').waitFor();
  await screenshot(page, 'odd-values');
  assert.deepEqual(await findBarriers(page), []);
  await session.visit(page, `/datasets/${dataset.id}/query?sql=${encodeURIComponent('from odd')}`);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByText(/odd\.jsonl: some decimals in v have more digits than a 64-bit number can hold/).waitFor();
  await page.getByText(/odd\.jsonl: some texts in t contain lone surrogates/).waitFor();
  assert.deepEqual(session.faults, []);
});
