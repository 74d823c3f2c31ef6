// The pages of the application, each with a locator that shows it has loaded, and a service with data for all of them.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { createKnowledgeBase } from '../support/knowledge-bases.ts';
import { formOf, packageOf, tgz } from '../support/operator-packages.ts';
import type { RunningApp } from '../support/server.ts';

export type Place = { name: string; path: string; ready: (page: Page) => Promise<void> };

export const heading = (name: string | RegExp) => async (page: Page) => {
  await page
    .getByRole('heading', { name, exact: typeof name === 'string' })
    .first()
    .waitFor();
};
const text = (words: string | RegExp) => async (page: Page) => {
  await page.getByText(words).first().waitFor();
};

export const emptyPlaces: readonly Place[] = [
  { name: 'home', path: '/', ready: heading('First steps') },
  { name: 'datasets', path: '/datasets', ready: heading('No datasets yet') },
  { name: 'cleaning', path: '/cleaning', ready: heading('No cleaning tasks yet') },
  { name: 'synthesis', path: '/synthesis', ready: heading('No synthesis tasks yet') },
  { name: 'knowledge', path: '/knowledge', ready: heading('No knowledge bases yet') },
  { name: 'market', path: '/market', ready: heading('No published operators yet') },
  { name: 'api-keys', path: '/settings/api-keys', ready: heading('No API keys yet') },
  { name: 'not-found', path: '/nowhere', ready: heading('This page does not exist') },
];

/** Pages of a service filled by {@link fill}. */
export function fullPlaces(filled: Filled): readonly Place[] {
  const { dataset, file, task, run, model, source, base, document, synthesis, synthesisRun } = filled;
  const synthesisRunPath = `/synthesis/${synthesis}/runs/${synthesisRun}`;
  return [
    { name: 'home', path: '/', ready: text('Recent datasets') },
    { name: 'datasets', path: '/datasets', ready: text('Meadow') },
    { name: 'dataset', path: `/datasets/${dataset}`, ready: text('a short text') },
    { name: 'lineage', path: `/datasets/${dataset}/lineage`, ready: text('Meadow (cleaned)') },
    { name: 'statistics', path: `/datasets/${dataset}/statistics`, ready: text('Files by content') },
    { name: 'runs', path: '/runs', ready: text('Tidy the meadow #1') },
    { name: 'files', path: `/datasets/${dataset}/files`, ready: text('rows.jsonl') },
    { name: 'file', path: `/datasets/${dataset}/files/${file}`, ready: text('a short text') },
    { name: 'upload', path: `/datasets/${dataset}/upload`, ready: text('Drop files, folders or archives here') },
    { name: 'versions', path: `/datasets/${dataset}/versions`, ready: text('current') },
    { name: 'version-diff', path: `/datasets/${dataset}/versions/diff?from=1`, ready: text('files added') },
    { name: 'purges', path: `/datasets/${dataset}/versions/purges`, ready: text('Nothing has been erased') },
    { name: 'query', path: `/datasets/${dataset}/query`, ready: text('VARCHAR') },
    { name: 'lineage-list', path: `/datasets/${dataset}/lineage?list=true`, ready: text('Meadow (cleaned)') },
    {
      name: 'use',
      path: `/lineage?kind=KNOWLEDGE_BASE&id=${base}`,
      ready: heading('What was made with Meadow lore'),
    },
    { name: 'card', path: `/datasets/${dataset}/card`, ready: text('Notes from the meadow') },
    { name: 'dataset-settings', path: `/datasets/${dataset}/settings`, ready: heading('Delete this dataset') },
    { name: 'collection', path: '/collection', ready: text('Herbarium') },
    { name: 'new-collection', path: '/collection/new', ready: text('Files from the web') },
    { name: 'collection-form', path: '/collection/new?connector=http-files', ready: text('Test the source') },
    { name: 'collection-task', path: `/collection/${source}`, ready: text('This task has not run yet.') },
    { name: 'edit-collection', path: `/collection/${source}/edit`, ready: text('Test the source') },
    { name: 'cleaning', path: '/cleaning', ready: text('Tidy the meadow') },
    { name: 'new-task', path: `/cleaning/new?dataset=${dataset}`, ready: text('Add a step to see what it does.') },
    { name: 'edit-task', path: `/cleaning/${task}/edit`, ready: text(/^All \d/) },
    { name: 'task', path: `/cleaning/${task}`, ready: heading('Runs') },
    { name: 'run', path: `/cleaning/${task}/runs/${run}`, ready: heading('What each step did') },
    { name: 'samples', path: `/cleaning/${task}/runs/${run}/samples`, ready: text('rows.jsonl') },
    { name: 'inputs', path: `/cleaning/${task}/runs/${run}/inputs`, ready: text('rows.jsonl') },
    { name: 'outputs', path: `/cleaning/${task}/runs/${run}/outputs`, ready: text('Open the dataset') },
    { name: 'thresholds', path: `/cleaning/${task}/runs/${run}/thresholds`, ready: text(/nearest to the threshold/) },
    { name: 'log', path: `/cleaning/${task}/runs/${run}/log`, ready: text('Completed') },
    { name: 'templates', path: '/cleaning/templates', ready: text('built in') },
    { name: 'synthesis', path: '/synthesis', ready: text('Questions of the meadow') },
    { name: 'new-synthesis', path: `/synthesis/new?dataset=${dataset}`, ready: text('Saving does not start a run.') },
    {
      name: 'edit-synthesis',
      path: `/synthesis/${synthesis}/edit`,
      ready: heading('Edit Questions of the meadow'),
    },
    { name: 'synthesis-task', path: `/synthesis/${synthesis}`, ready: text(/^From \d+ samples/) },
    { name: 'synthesis-run', path: synthesisRunPath, ready: text('Coverage of the source') },
    { name: 'synthesis-records', path: `${synthesisRunPath}/samples`, ready: text('rows.jsonl') },
    { name: 'synthesis-templates', path: '/synthesis/templates', ready: text('Chain of thought') },
    {
      name: 'synthesis-template',
      path: `/synthesis/templates/dialogue-en?dataset=${dataset}`,
      ready: text('Tillage loosens'),
    },
    { name: 'knowledge', path: '/knowledge', ready: text('Meadow lore') },
    { name: 'knowledge-documents', path: `/knowledge/${base}`, ready: text('meadow.txt') },
    { name: 'knowledge-document', path: `/knowledge/${base}/documents/${document}`, ready: text('Grass grows') },
    { name: 'knowledge-search', path: `/knowledge/${base}/search?q=grass`, ready: text('Why this?') },
    { name: 'knowledge-answer', path: `/knowledge/${base}/answer`, ready: text('Each statement has a number') },
    { name: 'knowledge-evaluate', path: `/knowledge/${base}/evaluate`, ready: heading('Settings to compare') },
    { name: 'knowledge-settings', path: `/knowledge/${base}/settings`, ready: text('characters per chunk') },
    { name: 'operators', path: '/operators', ready: text('Normalize white space') },
    { name: 'operator', path: '/operators/text-length-filter', ready: text('0 – no limit') },
    { name: 'market', path: '/market', ready: text('Write an end') },
    { name: 'market-package', path: '/market/operators/end-writer', ready: heading('Measured facts') },
    { name: 'market-compare', path: '/market/operators/end-writer/compare', ready: text('There is only one version') },
    { name: 'market-versions', path: '/market/operators/end-writer?tab=versions', ready: text('did not describe') },
    { name: 'market-publish', path: '/market/publish', ready: heading('How to build a package') },
    { name: 'market-publishers', path: '/market/publishers', ready: heading('No publisher keys yet') },
    { name: 'account', path: '/settings/account', ready: heading('Change password') },
    { name: 'models', path: '/settings/models', ready: text('builtin:hash-512') },
    { name: 'model', path: `/settings/models/${model}`, ready: text('Usage') },
    { name: 'users', path: '/settings/users', ready: text('you') },
    { name: 'nodes', path: '/settings/nodes', ready: text('One node') },
    { name: 'about', path: '/settings/about', ready: text('Ready') },
  ];
}

/** Pages that are usable without data of the service. */
export const withoutData: ReadonlySet<string> = new Set(['account', 'market-publish']);

export type Filled = {
  dataset: string;
  file: string;
  task: string;
  run: string;
  model: string;
  source: string;
  base: string;
  document: string;
  synthesis: string;
  synthesisRun: string;
};

const filledApps = new WeakMap<RunningApp, Promise<Filled>>();

/** The data that all tests of full pages use; the first test of a service creates it. */
export function fill(app: RunningApp): Promise<Filled> {
  const filled = filledApps.get(app) ?? make(app);
  filledApps.set(app, filled);
  return filled;
}

/** A dataset with files and folders, tasks that cleaned it and made records from it, a knowledge base, an operator, a model. */
async function make({ api }: RunningApp): Promise<Filled> {
  const base = await createKnowledgeBase({ api }, { name: 'Meadow lore' });
  const [document] = await base.add({ 'meadow.txt': 'Grass grows on the meadow.', 'broken.pdf': '%PDF-1.7 nothing' });
  await base.settled();
  type Answer = { id: string };
  const { body: dataset } = await api<Answer>('POST', '/data-management/datasets', {
    name: 'Meadow',
    description: 'Notes from the meadow',
    type: 'TEXT',
    tags: ['field', 'spring'],
  });
  const rows = Array.from({ length: 60 }, (_, id) =>
    JSON.stringify({ id, text: id % 3 === 0 ? 'x' : `a short text  ${id}` }),
  );
  const form = new FormData();
  const files = {
    'rows.jsonl': `${rows.join('\n')}\nbroken\n`,
    'folder/notes.txt': 'Tillage loosens the upper layer of the soil before sowing.\n',
    'table.csv': 'id,text\n1,one\n',
  };
  for (const [name, content] of Object.entries(files)) form.append('files', new File([content], name), name);
  const { body: stored } = await api<(Answer & { filePath: string })[]>(
    'POST',
    `/data-management/datasets/${dataset.id}/files/upload`,
    form,
  );
  const published = await api('POST', '/operator-market/operators', formOf(tgz(packageOf())));
  assert.equal(published.status, 201, JSON.stringify(published.body));
  const { body: task } = await api<{ data: Answer }>('POST', '/data-cleaning/tasks', {
    name: 'Tidy the meadow',
    sourceDatasetId: dataset.id,
    steps: [{ operatorId: 'whitespace-normalizer' }, { operatorId: 'text-length-filter', params: { min: 4 } }],
  });
  const { body: run } = await api<{ data: Answer }>('POST', `/data-cleaning/tasks/${task.data.id}/execute`, {});
  for (;;) {
    const { body } = await api<{ data: { status: string } }>(
      'GET',
      `/data-cleaning/tasks/${task.data.id}/runs/${run.data.id}`,
    );
    if (body.data.status === 'COMPLETED') break;
    assert.ok(['QUEUED', 'RUNNING'].includes(body.data.status), body.data.status);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { body: asked } = await api<{ data: Answer }>('POST', '/data-synthesis/tasks', {
    name: 'Questions of the meadow',
    templateId: 'qa-pairs-en',
    sourceDatasetId: dataset.id,
    model: 'builtin-cloze',
    maxSamples: 5,
  });
  const synthesisRun = await endOfSynthesis(api, asked.data.id);
  const file = stored.find(({ filePath }) => filePath === 'rows.jsonl');
  assert.ok(file);
  const { body: model } = await api<{ data: Answer }>('POST', '/settings/models', {
    name: 'A model of our own',
    kind: 'CHAT',
    model: 'llama3.1:8b-instruct',
    baseUrl: 'http://127.0.0.1:11434/v1',
    apiKey: 'sk-0123456789',
    prices: { input: 0.15, output: 0.6 },
    limits: { concurrency: 8, perDay: { maxCalls: 5000, maxCost: 20 } },
  });
  const { body: source } = await api<{ data: Answer }>('POST', '/data-collection/tasks', {
    name: 'Herbarium',
    connector: { type: 'http-files', config: { urls: ['https://herbarium.example/sheets.jsonl'] } },
    schedule: { cron: '0 3 * * *', timezone: 'Europe/Berlin' },
  });
  return {
    dataset: dataset.id,
    file: file.id,
    task: task.data.id,
    run: run.data.id,
    model: model.data.id,
    source: source.data.id,
    base: base.id,
    document: document?.id ?? '',
    synthesis: asked.data.id,
    synthesisRun,
  };
}

/** The run started by a new synthesis task, once it has ended. */
async function endOfSynthesis(api: RunningApp['api'], task: string): Promise<string> {
  for (;;) {
    const { body } = await api<{ data: { status: string; lastRunId: string } }>('GET', `/data-synthesis/tasks/${task}`);
    if (body.data.status !== 'RUNNING') return body.data.lastRunId;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
