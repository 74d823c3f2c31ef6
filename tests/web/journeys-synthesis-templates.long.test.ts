// Templates of synthesis: copied or made anew, with columns, tried on real samples before they are used.
import assert from 'node:assert/strict';
import { completion, send, startProvider } from '../fakes/model-provider.ts';
import { chromium } from '../support/chromium.ts';
import { testWith } from '../support/tools.ts';
import { createSource } from './synthesis-source.ts';
import { changeTheme, changeWidth, findBarriers, overflowOf, screenshot, startWebSession } from './web-session.ts';

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
