// From documents to training records: a forecast, a budget that stops the run, reviews by keys, an export.
import assert from 'node:assert/strict';
import { chromium } from '../support/chromium.ts';
import { testWith } from '../support/tools.ts';
import { createSource } from './synthesis-source.ts';
import { findBarriers, screenshot, startWebSession } from './web-session.ts';

testWith(
  [chromium],
  'a task is forecast, stopped by its budget, resumed, its records judged by keys and exported',
  async (t, path) => {
    const session = await startWebSession(t, path);
    await createSource(session.app, 'Farm texts');
    const page = await session.open('/synthesis?keyword=nothing+of+this+name');
    await page.getByText('Nothing matches these filters').waitFor();
    await page.getByRole('button', { name: 'New synthesis task' }).first().click();
    await page.getByRole('combobox', { name: 'Source dataset' }).fill('Farm texts');
    await page.getByRole('option', { name: 'Farm texts', exact: true }).click();
    // The built-in model only makes questions; the form warns before a run would fail because of it.
    const chooseTemplate = async (name: string): Promise<void> => {
      await page.getByRole('combobox', { name: 'Template' }).click();
      await page.getByRole('option', { name, exact: true }).click();
    };
    await chooseTemplate('Dialogue');
    await page.getByText(/The built-in model only generates a question .* cannot fill turns/).waitFor();
    await chooseTemplate('Question and answer');
    await page.getByText(/cannot fill turns/).waitFor({ state: 'detached' });
    await page.getByRole('textbox', { name: 'Records per sample' }).fill('2');
    await page.getByRole('textbox', { name: 'Calls' }).fill('3');
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Questions of the farm');
    assert.deepEqual(await findBarriers(page), []);
    await screenshot(page, 'synthesis-form');
    await page.getByRole('button', { name: 'Save and see the forecast' }).click();

    // No model is called before the forecast has been shown.
    const forecast = page.getByRole('region', { name: 'Run forecast' });
    await forecast.getByText('From 4 samples. The samples were counted.').waitFor();
    assert.match(await forecast.innerText(), /Records\s+8\s+Calls\s+6/);
    await screenshot(page, 'synthesis-forecast');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('The budget is used up', { exact: true }).waitFor();
    await page.getByText('Why it stopped').waitFor();
    await page.getByText('The budget of this run is used up: another call could pass its limit of 3 calls').waitFor();
    assert.deepEqual(await findBarriers(page), []);
    await screenshot(page, 'synthesis-budget');
    await page.getByRole('link', { name: 'Raise the budget' }).click();
    await page.getByRole('textbox', { name: 'Calls' }).fill('100');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Resume' }).click();

    await page.getByRole('heading', { name: 'Questions of the farm #2' }).waitFor();
    await page.getByText('4 of 8 records failed').waitFor();
    const usage = page.getByRole('region', { name: 'Cost and forecast' });
    await usage.getByRole('row', { name: /^Calls/ }).waitFor();
    await page
      .getByText('3 of 4 samples produced a kept record')
      .or(page.getByText(/2 of 4 samples produced/))
      .waitFor();
    assert.deepEqual(await findBarriers(page), []);
    await screenshot(page, 'synthesis-run');
    const reasons = page.getByRole('region', { name: 'Records by outcome' });
    await reasons.getByRole('link', { name: /^Dropped: the record resembles an earlier one/ }).click();

    // A record dropped as a repetition is accepted anyway; then edited, rejected, regenerated.
    await page.getByRole('button', { name: /^Dropped 1$/, pressed: true }).waitFor();
    await page.getByRole('row', { name: /rows\.csv/ }).click();
    const record = page.getByRole('dialog');
    await record.getByRole('region', { name: 'Origin' }).getByText('heavy clods').first().waitFor();
    assert.deepEqual(await findBarriers(page), []);
    await screenshot(page, 'synthesis-record');
    await page.keyboard.press('Shift+?');
    await record.or(page.locator('[role=dialog]')).getByText('Next, previous record').first().waitFor();
    await page.keyboard.press('Shift+?');
    await page.keyboard.press('a');
    await record.getByText('Accepted').waitFor();
    await page.keyboard.press('e');
    await record.getByRole('textbox', { name: 'answer' }).fill('an answer of a person');
    await page.keyboard.press('Control+Enter');
    await record.getByText('Edited').waitFor();
    await record.getByRole('button', { name: 'Original reply of the model' }).waitFor();
    await page.keyboard.press('x');
    await record.getByText('Rejected', { exact: true }).waitFor();
    await record.getByRole('textbox', { name: 'Reason for the rejection' }).fill('a repetition');
    await record.getByRole('button', { name: 'Save' }).click();
    await record.getByRole('button', { name: 'Save' }).and(page.locator(':disabled')).waitFor();
    await screenshot(page, 'synthesis-record-rejected');
    await page.keyboard.press('Escape');
    await record.waitFor({ state: 'detached' });
    await page
      .getByRole('group', { name: 'Review' })
      .getByRole('button', { name: /^Rejected 1/ })
      .waitFor();
    await page.getByRole('row', { name: /rows\.csv/ }).click();
    // A reviewer's decision is not lost, and nothing is paid, without confirmation.
    await page.keyboard.press('r');
    const question = record.getByRole('alertdialog');
    await question.getByText(/Regenerating takes 1 billed model call/).waitFor();
    assert.deepEqual(await findBarriers(page), []);
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    await record.getByText('Rejected', { exact: true }).waitFor();
    await page.keyboard.press('r');
    await question.getByRole('button', { name: 'Discard and regenerate' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await record.getByText('Rejected', { exact: true }).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');

    const address = new URL(page.url()).pathname.replace(/\/samples$/, '');
    await page.getByRole('tab', { name: 'Outputs' }).click();
    await page.getByRole('combobox', { name: 'Format' }).click();
    await page.getByRole('option', { name: 'MESSAGES' }).click();
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await page.getByText(/records? (?:is|are) in version \d+ of the dataset/).waitFor();
    assert.deepEqual(await findBarriers(page), []);
    await screenshot(page, 'synthesis-export');
    await page.getByRole('status').getByRole('link', { name: 'Open the dataset' }).click();
    await page.getByRole('heading', { name: 'Farm texts (synthetic)' }).waitFor();
    await page.getByText('messages', { exact: true }).first().waitFor();

    // A run without results does not remove the previous run's records from the export, which names that run.
    const task = `/data-synthesis/tasks/${taskOf(address)}`;
    const { body: stored } = await session.app.api<{ data: Record<string, unknown> }>('GET', task);
    const { name, templateId, sourceDatasetId, model, perSample, targetDatasetId } = stored.data;
    const fields = { name, templateId, sourceDatasetId, model, perSample, targetDatasetId };
    await session.app.api('PUT', task, { ...fields, input: { prefix: 'nowhere/' } });
    await session.app.api('POST', `${task}/execute`, {});
    await session.visit(page, `/synthesis/${taskOf(address)}`);
    await page.getByRole('row', { name: /#3 Failed/ }).waitFor();
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await page.getByText('They are from run #2: the latest run has no records.').waitFor();
    await session.visit(page, `${address}/outputs`);
    await page.getByRole('link', { name: 'To the export of the task' }).waitFor();

    // A viewer sees no actions that change anything or cost money.
    await page.route('**/api/v1/auth/me', async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...((await answer.json()) as object), role: 'VIEWER' } });
    });
    await page.goto(`${session.app.url}/synthesis?keyword=Questions`);
    await page.getByRole('row', { name: /Questions of the farm/ }).waitFor();
    await screenshot(page, 'synthesis-list');
    assert.equal(await page.getByRole('button', { name: 'New synthesis task' }).count(), 0);
    await page.getByRole('link', { name: 'Questions of the farm' }).click();
    await page.getByRole('heading', { name: 'Runs' }).waitFor();
    for (const name of ['Run again', 'Export', 'More actions'])
      assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name);
    assert.deepEqual(session.faults, []);
  },
);

/** The task in the address of a run. */
function taskOf(address: string): string {
  return address.split('/')[2] ?? '';
}
