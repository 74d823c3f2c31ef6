// Querying, tracing and describing a dataset: SQL statements, its lineage across all areas, its card.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { chromium } from '../support/chromium.ts';
import type { RunningApp } from '../support/server.ts';
import { testWith } from '../support/tools.ts';
import { datasetWithFiles } from './datasets.ts';
import { changeWidth, findBarriers, overflowOf, screenshot, startWebSession } from './web-session.ts';

testWith([chromium], 'a statement is completed, corrected, drawn, downloaded, saved and cancelled', async (t, path) => {
  const session = await startWebSession(t, path);
  const rows = Array.from({ length: 300 }, (_, id) =>
    JSON.stringify({ id, text: `text ${id}`, lang: ['en', 'de'][id % 2] }),
  );
  const id = await datasetWithFiles(session.app, 'Asked', {
    'train.jsonl': `${rows.join('\n')}\nbroken\n`,
    'labels.csv': 'id,label\n1,good\n2,bad\n',
  });
  const page = await session.open(`/datasets/${id}/query`);
  const tables = page.getByRole('region', { name: 'Tables' });
  await tables.getByRole('button', { name: /^label VARCHAR/ }).waitFor();
  const field = page.getByRole('textbox', { name: 'SQL statement' });
  await field.fill('');
  await field.pressSequentially('select label, count(*) as n from lab');
  await page
    .getByRole('option', { name: /^labels/ })
    .first()
    .waitFor();
  await screenshot(page, 'query-completion');
  await page.keyboard.press('Enter');
  await page.keyboard.type(' group by all order by label');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+Enter');
  const result = page.getByRole('grid', { name: 'Result' });
  await result.getByRole('gridcell', { name: 'good' }).waitFor();
  assert.deepEqual(await findBarriers(page), []);

  // The error is marked at its position.
  await field.fill('select lang,\n  nothing\nfrom train');
  await page.keyboard.press('Control+Enter');
  await page
    .getByRole('alert')
    .getByText(/nothing/)
    .first()
    .waitFor();
  assert.equal(await page.locator('.sql-marks mark').innerText(), 'nothing');
  await screenshot(page, 'query-error');
  await field.fill('select lang, count(*) as n from train group by all order by lang');
  await page.keyboard.press('Control+Enter');
  await result.getByRole('gridcell', { name: 'de', exact: true }).waitFor();
  await page.getByText('train.jsonl: 1 row cannot be read and is not part of the table.').waitFor();
  await page.getByText('Chart', { exact: true }).click();
  await page.getByRole('img', { name: 'n, 2 values' }).waitFor();
  await screenshot(page, 'query-chart');
  assert.deepEqual(await findBarriers(page), []);

  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download', exact: true }).click();
  await page.getByRole('menuitem', { name: 'As CSV' }).click();
  assert.equal(await readFile(await (await downloading).path(), 'utf8'), 'lang,n\nde,150\nen,150\n');
  await page.getByRole('button', { name: 'Save as a file' }).click();
  await page.getByRole('textbox', { name: 'Path' }).fill('queries/languages.jsonl');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved as “queries/languages.jsonl”').waitFor();
  await tables.getByRole('button', { name: /^languages/ }).waitFor();

  await field.fill('select count(*) from range(1000000) a(x), range(1000000) b(y) where (x * y) % 7 = 3');
  await page.keyboard.press('Control+Enter');
  await page.getByText(/^running for \d+ second/).waitFor();
  await page.getByRole('button', { name: 'Cancel the query' }).click();
  await page.getByText('The query was cancelled.').waitFor();

  // The history has the statements that were run, and a link opens a statement.
  await page.getByRole('button', { name: 'History' }).click();
  await page.getByRole('menuitem', { name: /^select label/ }).click();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByText('Table', { exact: true }).click();
  await result.getByRole('gridcell', { name: 'bad' }).waitFor();
  const linked = await page.context().newPage();
  await linked.goto(page.url());
  await linked.getByText('select label').first().waitFor();
  assert.match(await linked.getByRole('textbox', { name: 'SQL statement' }).inputValue(), /^select label/);
  await linked.close();
  await changeWidth(page, 390);
  assert.equal(await overflowOf(page), 0);
  await screenshot(page, 'query-narrow');
  assert.deepEqual(session.faults, []);
});

testWith([chromium], 'lineage is a graph with a list beside it, and each thing leads to its page', async (t, path) => {
  const session = await startWebSession(t, path);
  const id = await datasetWithFiles(session.app, 'Traced', { 'rows.jsonl': '{"text":"a  row"}\n{"text":"b"}\n' });
  await cleaned(session.app, id, 'Tidy the traced');
  const page = await session.open(`/datasets/${id}/lineage`);
  const things = page.getByRole('list', { name: 'Datasets, runs and what they used' });
  await things.getByRole('link', { name: /Run.*Tidy the traced #1/ }).waitFor();
  await things.getByRole('link', { name: /Traced \(cleaned\)/ }).waitFor();
  assert.equal(await things.getByText('whitespace-normalizer').count(), 0);
  await page.getByRole('switch', { name: 'Operators, models, templates' }).check({ force: true });
  await things.getByRole('link', { name: /Operator.*whitespace-normalizer/ }).waitFor();
  await screenshot(page, 'lineage-graph');
  assert.deepEqual(await findBarriers(page), []);
  // Nodes are reached by keyboard, one after the other.
  await things.getByRole('link', { name: /Tidy the traced #1/ }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'What each step did' }).waitFor();
  await page.goBack();
  await page.getByText('List', { exact: true }).click();
  const row = page.getByRole('table', { name: 'Lineage as a list' }).getByRole('row').nth(1);
  await row.getByRole('link', { name: 'Traced · version 2' }).waitFor();
  await row.getByRole('link', { name: /^whitespace-normalizer/ }).waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await changeWidth(page, 390);
  assert.equal(await overflowOf(page), 0);
  await changeWidth(page, 1280);
  await row.getByRole('link', { name: /^Traced \(cleaned\)/ }).click();
  await page.getByRole('heading', { name: 'Traced (cleaned)', exact: true }).waitFor();
  // The other direction: what the cleaned dataset was made from.
  await page.getByRole('tab', { name: 'Lineage' }).click();
  await page.getByText('Upstream', { exact: true }).click();
  await things.getByRole('link', { name: /Traced · version 2/ }).waitFor();
  // From the other end: what used an operator.
  await session.visit(page, `/operators/whitespace-normalizer`);
  await page.getByRole('link', { name: 'Used in' }).click();
  await page.getByRole('heading', { name: 'What was made with whitespace-normalizer' }).waitFor();
  await things.getByRole('link', { name: /Run.*Tidy the traced #1/ }).waitFor();
  await things.getByRole('link', { name: /Traced \(cleaned\)/ }).waitFor();
  await screenshot(page, 'lineage-use');
  assert.deepEqual(await findBarriers(page), []);
  await changeWidth(page, 390);
  assert.equal(await overflowOf(page), 0);
  assert.deepEqual(session.faults, []);
});

testWith([chromium], 'the card says what a dataset is and how it is read', async (t, path) => {
  const session = await startWebSession(t, path);
  const id = await datasetWithFiles(session.app, 'Described', {
    'train.jsonl': '{"text":"a row","n":1}\n',
    'README.md': '# Field notes\n',
  });
  const page = await session.open(`/datasets/${id}/card`);
  await page.getByText('No description yet.').waitFor();
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByRole('textbox', { name: 'Description' }).fill('Rows of a field.\nCollected by hand.');
  await page.getByRole('combobox', { name: 'Licence' }).fill('CC-BY-4.0');
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('button', { name: 'Edit', exact: true }).waitFor();
  await page.getByText('Collected by hand.').waitFor();
  await page.getByText('CC-BY-4.0', { exact: true }).waitFor();
  await page.getByRole('heading', { name: 'Field notes' }).waitFor();
  await page.getByRole('row', { name: /train\.jsonl.*text VARCHAR/ }).waitFor();
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Croissant' }).click();
  const croissant = JSON.parse(await readFile(await (await downloading).path(), 'utf8')) as Record<string, unknown>;
  assert.equal(croissant['conformsTo'], 'http://mlcommons.org/croissant/1.0');
  assert.equal(croissant['license'], 'CC-BY-4.0');
  await page.getByText(/load_dataset\("tilth\//).waitFor();
  await page.getByText('in pandas').click();
  await page.getByText(/pandas\.read_json\(/).waitFor();
  await screenshot(page, 'card');
  assert.deepEqual(await findBarriers(page), []);
  await changeWidth(page, 390);
  assert.equal(await overflowOf(page), 0);
  assert.deepEqual(session.faults, []);
});

async function cleaned(app: RunningApp, sourceDatasetId: string, name: string): Promise<void> {
  const { body: task } = await app.api<{ data: { id: string } }>('POST', '/data-cleaning/tasks', {
    name,
    sourceDatasetId,
    steps: [{ operatorId: 'whitespace-normalizer' }],
  });
  const runs = `/data-cleaning/tasks/${task.data.id}`;
  const { body: run } = await app.api<{ data: { id: string } }>('POST', `${runs}/execute`, {});
  for (;;) {
    const { body } = await app.api<{ data: { status: string } }>('GET', `${runs}/runs/${run.data.id}`);
    if (body.data.status === 'COMPLETED') return;
    assert.ok(['QUEUED', 'RUNNING'].includes(body.data.status), body.data.status);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
