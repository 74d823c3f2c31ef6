// What users set up: when a task runs automatically, and which models may be called.
import assert from 'node:assert/strict';
import { chromium } from '../support/chromium.ts';
import { testWith } from '../support/tools.ts';
import { refuse, replyWith, startProvider } from '../fakes/model-provider.ts';
import { findBarriers, screenshot, startWebSession } from './web-session.ts';

testWith([chromium], 'a task gets a schedule, shows its next run, and loses it again', async (t, path) => {
  const session = await startWebSession(t, path);
  const { api } = session.app;
  const { body: dataset } = await api<{ id: string }>('POST', '/data-management/datasets', {
    name: 'Nightly',
    type: 'TEXT',
  });
  const form = new FormData();
  form.append('files', new File(['{"text":"one"}\n'], 'rows.jsonl'), 'rows.jsonl');
  await api('POST', `/data-management/datasets/${dataset.id}/files/upload`, form);
  const { body: task } = await api<{ data: { id: string } }>('POST', '/data-cleaning/tasks', {
    name: 'Tidy every night',
    sourceDatasetId: dataset.id,
    steps: [{ operatorId: 'whitespace-normalizer' }],
  });
  const taskPath = `/data-cleaning/tasks/${task.data.id}`;
  const scheduleOf = async () =>
    (await api<{ data: { schedule: { cron: string; timezone: string } | null } }>('GET', taskPath)).body.data.schedule;

  const page = await session.open(`/cleaning/${task.data.id}`);
  const panel = page.getByRole('region', { name: 'Schedule' });
  await panel.getByText('Runs only when started manually').waitFor();
  await panel.getByRole('button', { name: 'Set a schedule' }).click();
  const dialog = page.getByRole('dialog', { name: 'Schedule' });
  await dialog.getByRole('textbox', { name: 'Cron expression' }).fill('every night');
  await dialog.getByRole('button', { name: 'Save the schedule' }).click();
  await dialog.getByRole('alert').waitFor();
  assert.equal(await scheduleOf(), null);
  await screenshot(page, 'schedule-refused');
  await dialog.getByRole('textbox', { name: 'Cron expression' }).fill('0 0 * * fri-mon');
  await dialog.getByRole('button', { name: 'Save the schedule' }).click();
  await dialog.getByText('wrong day of the week, "fri-mon": the range runs backwards; write fri-sun,mon').waitFor();
  await dialog.getByText('If a day field begins with *, both day fields must match').waitFor();
  await dialog.getByText('the skipped times run once, right after the gap').waitFor();

  await dialog.getByRole('textbox', { name: 'Cron expression' }).fill('30 2 * * 1-5');
  await dialog.getByRole('combobox', { name: 'Time zone' }).click();
  await dialog.getByRole('combobox', { name: 'Time zone' }).fill('Shanghai');
  await page.getByRole('option', { name: 'Asia/Shanghai' }).click();
  assert.deepEqual(await findBarriers(page), []);
  await screenshot(page, 'schedule-dialog');
  await dialog.getByRole('button', { name: 'Save the schedule' }).click();
  await panel.getByText('30 2 * * 1-5').waitFor();
  await panel.getByText('Asia/Shanghai').waitFor();
  await panel.getByText(/Next run:\s*(?:in |tomorrow)/).waitFor();
  await screenshot(page, 'schedule-set');
  const schedule = await scheduleOf();
  assert.deepEqual([schedule?.cron, schedule?.timezone], ['30 2 * * 1-5', 'Asia/Shanghai']);

  await page.getByRole('button', { name: 'Run', exact: true }).first().click();
  await session.visit(page, `/cleaning/${task.data.id}`);
  await page
    .getByText('Runs are deleted 90 days after they end, with log and ledger. The latest 10 of each task are kept.')
    .waitFor();
  await panel.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByRole('button', { name: 'Remove the schedule' }).click();
  await panel.getByText('Runs only when started manually').waitFor();
  assert.equal(await scheduleOf(), null);
  await screenshot(page, 'schedule-removed');
  assert.deepEqual(session.faults, []);
});

testWith([chromium], 'a model is set up, tested, changed and deleted', async (t, path) => {
  const session = await startWebSession(t, path);
  const provider = await startProvider(t, replyWith('OK'));
  const page = await session.open('/settings/models');
  await page.getByText('Replies are kept for 90 days after their last use').waitFor();
  await screenshot(page, 'models');
  await page.getByRole('button', { name: 'New model' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Our Llama');
  await dialog.getByRole('textbox', { name: 'Base URL' }).fill('127.0.0.1');
  await dialog.getByRole('textbox', { name: 'Model', exact: true }).fill('llama-test');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Must start with https:// or http://').waitFor();
  await dialog.getByRole('textbox', { name: 'Base URL' }).fill(provider.baseUrl);
  await dialog.getByText('http:// sends the key and all texts unencrypted.').waitFor();
  await dialog.getByRole('textbox', { name: 'API key' }).fill('sk-planted-in-the-dialog');
  await dialog.getByRole('textbox', { name: 'Price per million input tokens' }).fill('1');
  await dialog.getByRole('textbox', { name: 'Price per million output tokens' }).fill('2');
  await dialog.getByRole('textbox', { name: 'Calls per day' }).fill('100');
  assert.deepEqual(await findBarriers(page), []);
  await screenshot(page, 'model-dialog');
  await dialog.getByRole('button', { name: 'Save' }).click();

  await page.getByRole('heading', { name: 'Our Llama', exact: true }).waitFor();
  await page.getByText('No calls yet.').waitFor();
  assert.equal((await page.content()).includes('sk-planted'), false, 'the key is never shown again');
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await page.getByText(/Our Llama works: it read 10 tokens and answered with 5/).waitFor();
  assert.equal(provider.requests.at(-1)?.headers.authorization, 'Bearer sk-planted-in-the-dialog');
  const day = new Date().toISOString().slice(0, 10);
  await page
    .getByRole('table', { name: 'Usage by day' })
    .getByRole('row', { name: new RegExp(`${day}.*1.*10.*5`) })
    .waitFor();
  await screenshot(page, 'model-tested');

  provider.answer = refuse(401, 'Incorrect API key provided');
  await page.getByRole('button', { name: 'Edit' }).click();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Our other Llama');
  await dialog.getByRole('checkbox', { name: 'Remove the stored key' }).check();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Our other Llama', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await page.getByText(/refuses the API key, for there is none \(401\)/).waitFor();
  assert.equal(provider.requests.at(-1)?.headers.authorization, undefined);
  await screenshot(page, 'model-refused');

  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the model' }).click();
  await page.waitForURL(/\/settings\/models$/);
  await page.getByRole('link', { name: 'builtin:cloze' }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'Our other Llama' }).count(), 0);
  assert.deepEqual(session.faults, []);
});
