// The versions of a dataset for users: viewed, compared, restored, deleted.
import assert from 'node:assert/strict';
import { chromium } from '../support/chromium.ts';
import { testWith } from '../support/tools.ts';
import { changeWidth, findBarriers, overflowOf, screenshot, startWebSession } from './web-session.ts';

testWith([chromium], 'a mistake is seen by comparing two versions and undone by restoring one', async (t, path) => {
  const session = await startWebSession(t, path);
  const { api } = session.app;
  const { body: dataset } = await api<{ id: string }>('POST', '/data-management/datasets', {
    name: 'Undo',
    type: 'TEXT',
  });
  const at = `/data-management/datasets/${dataset.id}`;
  const upload = async (files: Readonly<Record<string, string>>): Promise<void> => {
    const form = new FormData();
    for (const [name, content] of Object.entries(files)) form.append('files', new File([content], name), name);
    assert.equal((await api('POST', `${at}/files/upload`, form)).status, 201);
  };
  await upload({
    'rows.jsonl': '{"id":1,"text":"the good row"}\n{"id":2,"text":"the same"}\n',
    'notes.txt': 'notes',
    'gone.txt': 'soon gone',
  });
  await upload({
    'rows.jsonl': '{"id":1,"text":"the bad row"}\n{"id":2,"text":"the same"}\n{"id":3,"text":"a new row"}\n',
    'more.txt': 'more',
  });
  const { body: files } = await api<{ content: { id: string; filePath: string }[] }>('GET', `${at}/files`);
  const gone = files.content.find(({ filePath }) => filePath === 'gone.txt');
  await api('DELETE', `${at}/files/${gone?.id ?? ''}`);

  // Every tab shows the chosen version.
  const page = await session.open(`/datasets/${dataset.id}`);
  await page.getByText('the bad row').waitFor();
  await page.getByRole('button', { name: 'Version 4', exact: true }).click();
  await page.getByRole('menuitem', { name: /^Version 2/ }).click();
  await page.getByText('the good row').waitFor();
  await page.getByText('This is version 2. It cannot be changed.').waitFor();
  await page.getByRole('menu').waitFor({ state: 'detached' });
  assert.deepEqual(await findBarriers(page), []);
  await page.getByRole('tab', { name: 'Files' }).click();
  await page.getByText('gone.txt').waitFor();
  assert.match(page.url(), /version=2/);

  await page.getByRole('button', { name: 'Compare with the current version' }).click();
  const table = page.getByRole('table', { name: 'Changed files' });
  await table.getByRole('row', { name: /Changed rows\.jsonl/ }).waitFor();
  await table.getByRole('row', { name: /Added more\.txt/ }).waitFor();
  await table.getByRole('row', { name: /Removed gone\.txt/ }).waitFor();
  await screenshot(page, 'version-diff');
  assert.deepEqual(await findBarriers(page), []);
  await changeWidth(page, 390);
  assert.equal(await overflowOf(page), 0);
  await changeWidth(page, 1280);
  await page.getByRole('link', { name: 'Compare rows' }).click();
  const rows = page.getByRole('table', { name: 'Changed rows' });
  await rows.getByRole('row', { name: /Removed.*the good row/ }).waitFor();
  await page.getByText('1 row unchanged').waitFor();
  // With a key, the row counts as changed, and its cells show how.
  await page.getByRole('combobox', { name: 'Key columns' }).click();
  await page.getByRole('option', { name: 'id' }).click();
  await page.keyboard.press('Escape');
  await rows
    .getByRole('row', { name: /Changed/ })
    .locator('del')
    .getByText('the good row')
    .waitFor();
  await rows
    .getByRole('row', { name: /Changed/ })
    .locator('ins')
    .getByText('the bad row')
    .waitFor();
  await rows.getByRole('row', { name: /Added.*a new row/ }).waitFor();
  await screenshot(page, 'row-diff');
  assert.deepEqual(await findBarriers(page), []);
  await changeWidth(page, 390);
  assert.equal(await overflowOf(page), 0);
  await changeWidth(page, 1280);
  // As in the API, a single column may be in the address without a list.
  const address = page.url();
  for (const [key, said] of [
    ['id', /Changed.*the bad row/],
    ['"id"', /Changed.*the bad row/],
    ['["id"]', /Changed.*the bad row/],
    ['3', /names a column that does not exist.*"3"/],
    ['{"a":1}', /names a column that does not exist/],
  ] as const) {
    await page.goto(address.replace(/key=[^&]*/, `key=${encodeURIComponent(key)}`));
    await (key.includes('id') ? rows.getByRole('row', { name: said }) : page.getByText(said)).waitFor();
  }
  await page.goto(address);
  await page.getByRole('link', { name: /^Files between version 2 and 4/ }).click();
  await table.getByRole('row', { name: /rows\.jsonl/ }).waitFor();
  await page.getByText('Removed', { exact: true }).first().click();
  await table.getByRole('row', { name: /rows\.jsonl/ }).waitFor({ state: 'detached' });

  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByRole('button', { name: 'Actions for version 2' }).click();
  await page.getByRole('menuitem', { name: 'Restore this version' }).click();
  const dialog = page.getByRole('dialog', { name: 'Restore version 2' });
  await dialog.getByText('1 file removed').waitFor();
  await dialog.getByText('gone.txt').waitFor();
  await screenshot(page, 'version-restore');
  await dialog.getByRole('textbox', { name: 'Note' }).fill('Undo the mistake');
  await dialog.getByRole('button', { name: 'Restore version 2' }).click();
  await page.getByText('Version 2 restored as version 5').waitFor();
  await page.getByRole('row', { name: /5 current.*Undo the mistake/ }).waitFor();
  await page.getByRole('tab', { name: 'Data' }).click();
  await page.getByText('the good row').waitFor();

  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByRole('button', { name: 'Delete old versions' }).click();
  const prune = page.getByRole('dialog', { name: 'Delete old versions' });
  await prune.getByText('There is nothing to delete.').waitFor();
  await prune.getByRole('textbox', { name: 'Keep the newest versions' }).fill('1');
  await prune.getByText(/^4 versions and \d+ file states would be deleted/).waitFor();
  await screenshot(page, 'version-prune');
  assert.deepEqual(await findBarriers(page), []);
  await prune.getByRole('button', { name: 'Delete 4 versions' }).click();
  await page.getByText(/^4 versions were deleted/).waitFor();
  await page.getByRole('row', { name: /4.*file/ }).waitFor({ state: 'detached' });
  assert.equal(await page.getByRole('table').getByRole('row').count(), 2);
  assert.deepEqual(session.faults, []);
});

testWith([chromium], 'content is erased from all versions, with a report of what that touched', async (t, path) => {
  const session = await startWebSession(t, path);
  const { api } = session.app;
  const { body: dataset } = await api<{ id: string }>('POST', '/data-management/datasets', {
    name: 'Erased',
    type: 'TEXT',
  });
  const { body: other } = await api<{ id: string }>('POST', '/data-management/datasets', {
    name: 'Copy',
    type: 'TEXT',
  });
  for (const { id } of [dataset, other]) {
    const form = new FormData();
    form.append('files', new File(['{"text":"a secret"}\n'], 'secret.jsonl'), 'secret.jsonl');
    await api('POST', `/data-management/datasets/${id}/files/upload`, form);
  }
  const page = await session.open(`/datasets/${dataset.id}/versions/purges`);
  await page.getByText('Nothing has been erased from all versions').waitFor();
  await page.getByRole('tab', { name: 'Files' }).click();
  await page.getByLabel('Select secret.jsonl').check();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('checkbox', { name: 'Erase the content from all versions' }).check();
  await page.getByRole('button', { name: 'Delete 1 file' }).click();
  const report = page.getByRole('region', { name: 'Report of a purge' });
  await report.getByText('1 file was erased from all versions, 20 B').waitFor();
  await report.getByRole('link', { name: 'Copy: secret.jsonl' }).waitFor();
  await page
    .getByRole('table', { name: 'Erased content' })
    .getByRole('row', { name: /admin.*secret\.jsonl/ })
    .waitFor();
  await screenshot(page, 'purge-report');
  assert.deepEqual(await findBarriers(page), []);
  await changeWidth(page, 390);
  assert.equal(await overflowOf(page), 0);
  assert.deepEqual(session.faults, []);
});
