// What users see of cleaning that failed in part, and how they try other thresholds.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { chromium } from '../support/chromium.ts';
import { isLongRun } from '../support/long-tests.ts';
import type { RunningApp } from '../support/server.ts';
import { testWith } from '../support/tools.ts';
import { addStep, changeTheme, changeWidth, screenshot, startWebSession, themes } from './web-session.ts';

/** Of screenshots. */
const widths = isLongRun ? [1440, 1024, 390] : [];

testWith([chromium], 'a run with failed samples warns, by reason, and gives them out', async (t, path) => {
  const session = await startWebSession(t, path);
  const rows = ['{"text":"a  row"}', 'broken', '{"text":"another"}', '{"note":"no text"}'];
  const run = await cleanOnce(session.app, 'Barley', rows, [{ operatorId: 'whitespace-normalizer' }]);
  const page = await session.open(run);
  await page.getByText('Completed with 2 failures', { exact: true }).waitFor();
  const warning = page.getByRole('alert').filter({ hasText: '2 of 4 samples failed' });
  assert.equal(await page.getByText('Cleaned dataset ready').count(), 0, 'nothing says that all is well');
  const reasons = warning.getByRole('list', { name: 'Failed samples by reason' });
  assert.equal(await reasons.getByRole('listitem').count(), 2);
  for (const theme of themes)
    for (const width of widths) {
      await changeTheme(page, theme);
      await changeWidth(page, width);
      await screenshot(page, `cleaning-failures-${theme}-${width}`);
    }

  const downloading = page.waitForEvent('download');
  await warning.getByRole('link', { name: 'Download failed samples (JSONL)' }).click();
  const lines = (await readFile(await (await downloading).path(), 'utf8')).trim().split('\n');
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as { raw: string }).raw.trim()),
    ['broken', '{"note":"no text"}'],
  );

  await reasons.getByRole('link', { name: /the line is not JSON/ }).click();
  await page.getByRole('row', { name: /barley\.jsonl/ }).waitFor();
  assert.equal(await page.getByRole('row', { name: /barley\.jsonl/ }).count(), 1, 'only the samples of that reason');

  const chinese = await session.open(run, { language: 'zh' });
  await chinese.getByText('已完成，2 个失败').waitFor();
  await chinese.getByRole('link', { name: /该行不是 JSON/ }).waitFor();
  await screenshot(chinese, 'cleaning-failures-zh');
  const list = await session.open('/cleaning');
  await list
    .getByRole('row', { name: /Tidy Barley/ })
    .getByText('Completed, 2 failed')
    .waitFor();
  assert.deepEqual(session.faults, []);
});

testWith([chromium], 'failed samples alone are run again after the task was mended', async (t, path) => {
  const session = await startWebSession(t, path);
  const rows = ['{"text":"a  row"}', '{"body":"b  row"}', '{"text":"another","body":"x"}'];
  const run = await cleanOnce(session.app, 'Rye', rows, [{ operatorId: 'whitespace-normalizer' }]);
  const taskId = run.split('/')[2] ?? '';
  await session.app.api('PUT', `/data-cleaning/tasks/${taskId}`, { input: { textField: 'body' } });
  const page = await session.open(run);
  const warning = page.getByRole('alert').filter({ hasText: '1 of 3 samples failed' });
  await warning.getByRole('button', { name: 'Run again on these only' }).click();
  const dialog = page.getByRole('dialog', { name: 'Run again on 1 failed sample only' });
  await dialog.getByText(/in a separate folder/).waitFor();
  await screenshot(page, 'cleaning-reprocess');
  await dialog.getByRole('button', { name: 'Run on these samples' }).click();
  await page.getByText('Processes only the samples that failed in an earlier run.').waitFor();
  await page.getByText('Cleaned dataset ready').waitFor();
  await page.getByRole('link', { name: /^Open “/ }).click();
  await page.getByText('reprocessed').waitFor();
  const former = await session.open(run);
  await former.getByText('1 of 3 samples failed').waitFor();
  assert.equal(await former.getByRole('button', { name: 'Run again on these only' }).count(), 0, 'it ran already');
  const list = await session.open(`/cleaning/${taskId}`);
  await list.getByText('failed samples only').waitFor();
  const chinese = await session.open(`/cleaning/${taskId}`, { language: 'zh' });
  await chinese.getByText('仅失败样本').waitFor();
  assert.deepEqual(session.faults, []);
});

testWith([chromium], 'a threshold before a deduplication says what is known, and moves by keys', async (t, path) => {
  const session = await startWebSession(t, path);
  const rows = Array.from({ length: 60 }, (_, row) =>
    JSON.stringify({ text: `${'word '.repeat(row % 30)}${row % 30}` }),
  );
  const run = await cleanOnce(session.app, 'Oats', rows, [
    { operatorId: 'text-length-filter', params: { min: 20 } },
    { operatorId: 'exact-deduplicator' },
  ]);
  const page = await session.open(`${run}/thresholds`);
  const counts = page.getByRole('region', { name: 'Sample counts' }).last();
  const slider = page.getByRole('slider', { name: /Minimum length$/ });
  await slider.focus();
  const value = page.getByRole('textbox', { name: /Minimum length$/ });
  await page.keyboard.press('ArrowRight');
  assert.equal(await value.inputValue(), '21');
  await page.keyboard.press('ArrowLeft');
  assert.equal(await value.inputValue(), '20');
  await value.fill('80');
  // Each of the 14 texts from 80 characters on has a duplicate, and each group keeps one.
  await counts.getByText('about 14').waitFor();
  await counts.getByText(/certainly 14 to 28/).waitFor();
  await page
    .getByRole('img', { name: /Distribution of the scores/ })
    .first()
    .waitFor();
  await page.getByText('20 samples nearest to the threshold').first().click();
  for (const width of widths) {
    await changeWidth(page, width);
    await screenshot(page, `cleaning-thresholds-${width}`);
  }
  assert.deepEqual(session.faults, []);
});

testWith([chromium], 'writing failed samples all the same is warned of, louder where a step masks', async (t, path) => {
  const session = await startWebSession(t, path);
  const page = await session.open('/cleaning/new');
  await page.getByRole('button', { name: 'Failures and description' }).click();
  await page.getByRole('radio', { name: 'Write its original bytes' }).check();
  await page.getByText('without being cleaned').waitFor();
  await addStep(page, 'Mask personal data', 'phone numbers');
  await page.getByText('This task masks personal data.').waitFor();
  await screenshot(page, 'cleaning-keep-warning');
  assert.deepEqual(session.faults, []);
});

testWith([chromium], 'samples are gone through by keys, and what has no limit says so', async (t, path) => {
  const session = await startWebSession(t, path);
  const rows = ['{"text":"one  row"}', '{"text":"two  row"}', '{"text":"three"}'];
  const run = await cleanOnce(session.app, 'Millet', rows, [{ operatorId: 'whitespace-normalizer' }]);
  const page = await session.open(`${run}/samples`);
  await page
    .getByRole('row', { name: /millet\.jsonl/ })
    .first()
    .click();
  const drawer = page.getByRole('dialog');
  await drawer.getByText('one  row').first().waitFor();
  await page.keyboard.press('j');
  await drawer.getByText('two  row').first().waitFor();
  await page.keyboard.press('k');
  await drawer.getByText('one  row').first().waitFor();
  await screenshot(page, 'cleaning-sample');

  const { body } = await session.app.api<{ content: { id: string }[] }>(
    'GET',
    '/data-management/datasets?keyword=Millet',
  );
  await session.app.api('POST', '/data-cleaning/tasks', {
    name: 'Clean Millet',
    sourceDatasetId: body.content.at(-1)?.id,
    input: { textField: 'text' },
    steps: [{ operatorId: 'whitespace-normalizer' }],
  });
  const builder = await session.open(`/cleaning/new?dataset=${body.content.at(-1)?.id}`);
  const name = builder.getByRole('textbox', { name: 'Name', exact: true });
  await name.waitFor();
  assert.equal(await name.inputValue(), 'Clean Millet 2');
  await addStep(builder, 'Filter by text length', 'short texts');
  const max = builder.getByRole('textbox', { name: 'Maximum length' });
  assert.equal(await max.inputValue(), '');
  assert.equal(await max.getAttribute('placeholder'), 'No limit');
  await builder.getByText(/^All 3/).waitFor();
  await screenshot(builder, 'cleaning-no-limit');
  assert.deepEqual(session.faults, []);
});

testWith([chromium], 'while samples are compared, their number moves', async (t, path) => {
  const session = await startWebSession(t, path);
  const run = await cleanOnce(session.app, 'Sesame', ['{"text":"a row"}'], [{ operatorId: 'exact-deduplicator' }]);
  const page = await session.open('/cleaning');
  let phaseSamples = 1_234;
  await page.route(/\/runs\/[^/]+\/events$/, (route) => route.abort());
  await page.route(/\/api\/v1\/.*\/runs\/[^/]+$/, async (route) => {
    const answer = await route.fetch();
    const { data, ...rest } = (await answer.json()) as { data: object };
    const counts = { in: 0, kept: 0, changed: 0, dropped: 0, failed: 0, emitted: 0 };
    const going = {
      ...data,
      status: 'RUNNING',
      finishedAt: null,
      progress: 20,
      phase: 'COMPARE',
      phaseSamples,
      counts,
    };
    await route.fulfill({ response: answer, json: { ...rest, data: going } });
  });
  await session.visit(page, run);
  await page.getByText('Comparing samples').waitFor();
  await page.getByText(/^1,234 samples/).waitFor();
  phaseSamples = 5_678;
  await page.getByText(/^5,678 samples/).waitFor();
});

type Step = { operatorId: string; params?: Record<string, unknown> };

/** A dataset of one table, cleaned once; returns the address of the run. */
async function cleanOnce(
  app: RunningApp,
  name: string,
  rows: readonly string[],
  steps: readonly Step[],
): Promise<string> {
  const { body: dataset } = await app.api<{ id: string }>('POST', '/data-management/datasets', { name, type: 'TEXT' });
  const form = new FormData();
  form.append('files', new File([rows.join('\n')], `${name.toLowerCase()}.jsonl`));
  await app.api('POST', `/data-management/datasets/${dataset.id}/files/upload`, form);
  const { body: task } = await app.api<{ data: { id: string } }>('POST', '/data-cleaning/tasks', {
    name: `Tidy ${name}`,
    sourceDatasetId: dataset.id,
    input: { textField: 'text' },
    steps,
  });
  const tasks = `/data-cleaning/tasks/${task.data.id}`;
  const { body: run } = await app.api<{ data: { id: string } }>('POST', `${tasks}/execute`, {});
  for (;;) {
    const { body } = await app.api<{ data: { status: string } }>('GET', `${tasks}/runs/${run.data.id}`);
    if (body.data.status === 'COMPLETED') return `/cleaning/${task.data.id}/runs/${run.data.id}`;
    assert.ok(['QUEUED', 'RUNNING'].includes(body.data.status), body.data.status);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
