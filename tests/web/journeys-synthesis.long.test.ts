// From documents to training records: a forecast, a budget that stops the run, reviews by keys, an export; templates.
import assert from 'node:assert/strict';
import { completion, send, startProvider } from '../fakes/model-provider.ts';
import { chromium } from '../support/chromium.ts';
import type { RunningApp } from '../support/server.ts';
import { testWith } from '../support/tools.ts';
import { changeTheme, changeWidth, findBarriers, overflowOf, screenshot, startWebSession } from './web-session.ts';

const files = {
  'broken.pdf': '%PDF-1.7 nothing',
  'soil.md':
    '# Soil\n\nTillage loosens the upper layer of the soil before sowing. A disc harrow cuts the roots of tall weeds.\n',
  'rows.csv': 'id,text\n1,"The disc harrow crumbles heavy clods of soil before the wheat is sown"\n2,short\n',
};

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

testWith(
  [chromium],
  'a built-in template is copied, tried on real samples while it is edited, and saved as a version',
  async (t, path) => {
    const session = await startWebSession(t, path);
    const provider = await startProvider(t, (_request, response) =>
      send(response, 200, completion('{"question": "What is loosened?", "answer": "the upper layer of the soil"}')),
    );
    const sourceDatasetId = await createSource(session.app, 'Texts to try on');
    await session.app.api('POST', '/settings/models', {
      name: 'A paid model',
      kind: 'CHAT',
      baseUrl: provider.baseUrl,
      model: 'test-1',
      prices: { input: 1000, output: 2000 },
    });
    const page = await session.open('/synthesis/templates?keyword=question');
    const tried: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/preview')) tried.push(request.postData() ?? '');
    });
    await page.getByRole('link', { name: 'Question and answer', exact: true }).click();
    await page.getByText('Built-in templates cannot be changed', { exact: false }).waitFor();
    assert.equal(await page.getByRole('button', { name: /^Save/ }).count(), 0);
    await page.getByRole('button', { name: 'Copy to edit' }).click();
    await page.getByRole('heading', { name: 'Question and answer (copy)' }).waitFor();
    const prompt = page.getByRole('textbox', { name: 'Prompt', exact: true });
    await prompt.fill('Ask in a {{tone}} tone what this says:\n\n{{text}}');
    await page.getByRole('button', { name: 'Save as version 2' }).click();
    await page.getByText('has an undeclared variable: tone').first().waitFor();
    await page.getByRole('button', { name: 'Declare tone' }).click();
    await page.getByRole('textbox', { name: 'Default' }).fill('calm');

    const preview = page.getByRole('region', { name: 'On real samples' });
    await preview.getByRole('combobox', { name: 'Dataset to try it on' }).fill('Texts to try');
    await page.getByRole('option', { name: 'Texts to try on' }).click();
    await preview.getByText('can not be used', { exact: false }).first().waitFor();
    await preview.getByText('Ask in a calm tone what this says:').first().waitFor();
    assert.equal(provider.requests.length, 0, 'looking costs nothing');
    await preview.getByRole('combobox', { name: 'Model' }).click();
    await page.getByRole('option', { name: 'A paid model' }).click();
    await preview.getByText(/The prompts cost about [\d.]+, plus the cost of the replies/).waitFor();
    await preview.getByRole('button', { name: 'Generate 1 record' }).click();
    await preview.getByText('the upper layer of the soil', { exact: true }).waitFor();
    assert.equal(provider.requests.length, 1);
    assert.deepEqual(await findBarriers(page), []);
    await screenshot(page, 'synthesis-template');
    assert.deepEqual(
      tried.filter((body) => body.includes('"sourceDatasetId":""')),
      [],
      'nothing is asked before a dataset is chosen',
    );
    await page.getByRole('button', { name: 'Save as version 2' }).click();
    await page.getByText('Saved as version 2').waitFor();
    await page.getByRole('combobox', { name: 'Template version' }).click();
    await page.getByRole('option', { name: /^version 1 / }).click();
    await page.getByRole('button', { name: 'Restore version 1 as version 3' }).click();
    await page.getByText('Saved as version 3').waitFor();
    await page.getByText('Write one question that the text below answers').first().waitFor();

    // Columns instead of one prompt: a mistake is shown at its column, and the order of creation is shown.
    await page.getByText('Columns', { exact: true }).first().click();
    await page.getByRole('button', { name: 'Sampler', exact: true }).click();
    const reader = page.getByRole('region', { name: 'Column column_2' });
    await reader.getByRole('textbox', { name: 'Values' }).fill('a farmer | 3\na child');
    await reader.getByRole('textbox', { name: 'Name' }).fill('reader');
    const answer = page.getByRole('region', { name: 'Column answer' });
    await answer.getByRole('textbox', { name: 'Column prompt' }).fill('For {{nobody}}: {{text}}');
    await page.getByRole('button', { name: 'Save as version 4' }).click();
    await answer
      .getByText(/nobody/)
      .last()
      .waitFor();
    await answer.getByRole('textbox', { name: 'Column prompt' }).fill('For {{reader}}: {{text}}');
    await answer.getByText('Generated after: reader.').waitFor();
    await preview
      .getByText(/^For a (?:farmer|child):/)
      .first()
      .waitFor();
    assert.deepEqual(await findBarriers(page), []);
    await screenshot(page, 'synthesis-columns');
    await page.getByRole('button', { name: 'Save as version 4' }).click();
    await page.getByText('Saved as version 4').waitFor();

    await changeTheme(page, 'dark');
    assert.deepEqual(await findBarriers(page, ['color-contrast']), []);
    await changeWidth(page, 360);
    assert.equal(await overflowOf(page), 0);
    await screenshot(page, 'synthesis-template-360');
    await session.visit(page, `/synthesis/new?dataset=${sourceDatasetId}`);
    await page.getByRole('button', { name: 'Save and see the forecast' }).waitFor();
    assert.equal(await overflowOf(page), 0);
    assert.deepEqual(session.faults, []);
  },
);

/** The task in the address of a run. */
function taskOf(address: string): string {
  return address.split('/')[2] ?? '';
}

testWith(
  [chromium],
  'a template is made anew, with columns whose order is shown, and tried before it is used',
  async (t, path) => {
    const session = await startWebSession(t, path);
    const dataset = await createSource(session.app, 'Texts for columns');
    const page = await session.open('/synthesis/templates?own=true&keyword=nothing+of+this+name');
    await page.getByText('Nothing matches these filters').waitFor();
    await page.getByRole('button', { name: 'New template' }).click();
    await page.getByRole('menuitem', { name: 'With one prompt' }).click();
    await page.getByRole('heading', { name: 'New template', exact: true }).waitFor();
    await page.getByText('Write one sentence that says what the text below is about.').waitFor();

    // The schema of its record, field by field; what the list does not show stays in the JSON.
    const form = page.getByRole('group', { name: 'Record format' });
    const field = (name: string) => form.getByRole('region', { name: `Field ${name}`, exact: true });
    const choose = async (name: string, type: string): Promise<void> => {
      await field(name).getByRole('combobox', { name: 'Type' }).first().click();
      await page.getByRole('option', { name: type, exact: true }).click();
    };
    await form.getByText('Empty: the reply becomes the field text').waitFor();
    await form.getByRole('button', { name: 'Add a field' }).click();
    await field('field_1').getByRole('textbox', { name: 'Name' }).fill('level');
    await field('level').getByLabel('Allowed values').first().fill('easy');
    await page.keyboard.press('Enter');
    await page.keyboard.type('hard');
    await page.keyboard.press('Enter');
    await form.getByRole('button', { name: 'Add a field', exact: true }).click();
    await field('field_2').getByRole('textbox', { name: 'Name' }).fill('level');
    await field('field_2').getByText('Another field already has this name').waitFor();
    await field('field_2').getByRole('textbox', { name: 'Name' }).fill('turns');
    await choose('turns', 'List of objects');
    await field('turns').getByRole('button', { name: 'Add a nested field' }).click();
    await field('turns').getByRole('textbox', { name: 'Description' }).last().fill('What is said');
    await form.getByRole('button', { name: 'JSON Schema' }).click();
    const json = form.getByRole('textbox', { name: 'JSON Schema' });
    const schema = JSON.parse(await json.inputValue()) as { properties: Record<string, Record<string, unknown>> };
    const inner = { properties: { field_1: { type: 'string', description: 'What is said' } }, required: ['field_1'] };
    assert.deepEqual(schema, {
      type: 'object',
      properties: {
        level: { type: 'string', enum: ['easy', 'hard'] },
        turns: { type: 'array', items: { type: 'object', ...inner } },
      },
      required: ['level', 'turns'],
      additionalProperties: false,
    });
    Object.assign(schema.properties['turns'] ?? {}, { minItems: 2 });
    await json.fill(JSON.stringify(schema));
    await field('turns').getByRole('textbox', { name: 'Name' }).first().fill('talk');
    await field('talk').getByRole('switch', { name: 'Required' }).first().click({ force: true });
    assert.deepEqual(await findBarriers(page), []);
    await screenshot(page, 'synthesis-record-form');
    await page.getByRole('button', { name: 'Save as version 2' }).click();
    await page.getByText('Saved as version 2').waitFor();
    const { pathname } = new URL(page.url());
    const { body: stored } = await session.app.api<{ data: { outputSchema: object } }>(
      'GET',
      `/data-synthesis/templates/${pathname.split('/').at(-1) ?? ''}`,
    );
    assert.deepEqual(stored.data.outputSchema, {
      ...schema,
      properties: {
        level: { type: 'string', enum: ['easy', 'hard'] },
        talk: { type: 'array', items: { type: 'object', ...inner }, minItems: 2 },
      },
      required: ['level'],
    });
    await changeWidth(page, 390);
    assert.equal(await overflowOf(page), 0);
    await changeWidth(page, 1280);

    // Created from the form of a task, to be tried on its source.
    await session.visit(page, `/synthesis/new?dataset=${dataset}`);
    await page.getByRole('button', { name: 'New template' }).click();
    await page.getByRole('menuitem', { name: 'With columns' }).click();
    await page.getByRole('heading', { name: 'New template 2' }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get('dataset'), dataset);
    const order = page.getByRole('list', { name: 'Order in which the columns are generated' });
    assert.deepEqual(await order.getByRole('listitem').allInnerTexts(), ['reader', 'question', 'answer']);
    await page.getByRole('button', { name: 'Judge', exact: true }).click();
    await page.getByRole('button', { name: 'Validator', exact: true }).click();
    const judge = page.getByRole('region', { name: 'Column column_4' });
    await judge.getByText('Other columns can use the score as {{column_4.score}}.').waitFor();
    await judge.getByRole('button', { name: /^column_4/ }).click();
    await judge.getByRole('textbox').first().waitFor({ state: 'detached' });
    const question = page.getByRole('region', { name: 'Column question' });
    await question.getByRole('button', { name: /^question/ }).click();
    await question.getByText(/^Write one question that \{\{reader\}\} would ask/).waitFor();
    // A column that the service refuses is unfolded.
    await page.getByRole('button', { name: 'Save as version 2' }).click();
    await judge.getByRole('textbox', { name: 'Rubric' }).waitFor();
    await page.getByText('The built-in model only generates a question and its answer.').waitFor();
    assert.deepEqual(await findBarriers(page), []);
    await screenshot(page, 'synthesis-new-columns');
    await changeWidth(page, 390);
    assert.equal(await overflowOf(page), 0);
    assert.deepEqual(session.faults, []);
  },
);

async function createSource({ api }: RunningApp, name: string): Promise<string> {
  const { body: dataset } = await api<{ id: string }>('POST', '/data-management/datasets', { name, type: 'TEXT' });
  const form = new FormData();
  for (const [file, content] of Object.entries(files)) form.append('files', new File([content], file), file);
  await api('POST', `/data-management/datasets/${dataset.id}/files/upload`, form);
  return dataset.id;
}
