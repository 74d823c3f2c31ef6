import type { Page } from 'playwright-core';
import type { Content } from './content.ts';

/** A page to photograph; `act` opens what has no address, by selectors that work in every language. */
export type Place = { name: string; path: string; act?: (page: Page) => Promise<void>; signedIn?: false };

const press = (keys: string) => async (page: Page) => {
  await page.keyboard.press(keys);
  await page.locator('[role=dialog]').first().waitFor();
};
const click =
  (selector: string, then = '[role=dialog]') =>
  async (page: Page) => {
    await page.locator(selector).first().click();
    await page.locator(then).first().waitFor();
  };

/** Pages of a service without data. */
export const emptyPlaces: readonly Place[] = [
  { name: 'empty-home', path: '/' },
  { name: 'empty-datasets', path: '/datasets' },
  { name: 'empty-cleaning', path: '/cleaning' },
  { name: 'empty-collection', path: '/collection' },
  { name: 'empty-synthesis', path: '/synthesis' },
  { name: 'empty-knowledge', path: '/knowledge' },
  { name: 'empty-market', path: '/market' },
  { name: 'empty-runs', path: '/runs' },
  { name: 'empty-api-keys', path: '/settings/api-keys' },
  { name: 'not-found', path: '/nowhere' },
  { name: 'sign-in', path: '/sign-in', signedIn: false },
];

/** Pages of a service with data. */
export function fullPlaces(content: Content): readonly Place[] {
  const { dataset, task, run, source, sourceRun, files } = content;
  const file = (path: string): string => `/datasets/${dataset}?file=${files[path] ?? ''}`;
  const knowledge = `/knowledge/${content.base}`;
  const { synthesis } = content;
  const synthesisRun = `/synthesis/${synthesis.task}/runs/${synthesis.run}`;
  const cleaningRun = `/cleaning/${task}/runs/${run}`;
  return [
    { name: 'home', path: '/' },
    { name: 'search', path: '/', act: press('Control+K') },
    { name: 'keys', path: '/', act: press('?') },
    { name: 'runs', path: '/runs' },
    { name: 'datasets', path: '/datasets' },
    { name: 'new-dataset', path: '/datasets?new=true', act: async (page) => page.locator('[role=dialog]').waitFor() },
    { name: 'data-rows', path: file('notes.jsonl') },
    { name: 'data-row', path: file('notes.jsonl'), act: click('.row-grid-row') },
    { name: 'data-figures', path: file('notes.jsonl'), act: click('.column-chart') },
    { name: 'data-compressed', path: file('tables/readings.csv.zst') },
    {
      name: 'data-many-columns',
      path: file('tables/every field of this table has a name that is rather too long for its column.jsonl'),
    },
    { name: 'data-semicolons', path: file('tables/prices;semicolons.csv') },
    { name: 'data-latin-1', path: file('tables/latin-1.csv') },
    { name: 'data-gb18030', path: file('中文资料/田间记录（二〇二六年春）.txt') },
    { name: 'data-pdf', path: file('report.pdf') },
    { name: 'data-damaged-pdf', path: file('damaged.pdf') },
    { name: 'data-docx', path: file('letters/contract.docx') },
    { name: 'data-archive', path: file('backup.tar.gz') },
    { name: 'data-picture', path: file('pictures/dashboard.png') },
    { name: 'data-gallery', path: `/datasets/${content.pictures}` },
    { name: 'data-empty', path: `/datasets/${content.empty}` },
    { name: 'files', path: `/datasets/${dataset}/files` },
    { name: 'files-menu', path: `/datasets/${dataset}/files`, act: click('tbody [aria-haspopup=menu]', '[role=menu]') },
    { name: 'file', path: `/datasets/${dataset}/files/${files['notes.jsonl'] ?? ''}` },
    { name: 'upload', path: `/datasets/${dataset}/upload` },
    { name: 'versions', path: `/datasets/${dataset}/versions` },
    { name: 'version-diff', path: `/datasets/${dataset}/versions/diff?from=1` },
    { name: 'data-old-version', path: `/datasets/${dataset}/files?version=1` },
    { name: 'query', path: `/datasets/${dataset}/query` },
    {
      name: 'query-result',
      path: `/datasets/${dataset}/query`,
      act: async (page) => {
        await page.locator('textarea').first().press('Control+Enter');
        await page.locator('[role=grid]').first().waitFor();
      },
    },
    { name: 'lineage', path: `/datasets/${dataset}/lineage` },
    { name: 'statistics', path: `/datasets/${dataset}/statistics` },
    { name: 'lineage-tools', path: `/datasets/${dataset}/lineage?tools=true` },
    { name: 'lineage-list', path: `/datasets/${dataset}/lineage?list=true` },
    { name: 'card', path: `/datasets/${dataset}/card` },
    { name: 'dataset-settings', path: `/datasets/${dataset}/settings` },
    { name: 'collection', path: '/collection' },
    { name: 'new-collection', path: '/collection/new' },
    { name: 'collection-form', path: '/collection/new?connector=http-files' },
    { name: 'collection-form-database', path: '/collection/new?connector=postgresql' },
    { name: 'collection-task', path: `/collection/${source}` },
    { name: 'edit-collection', path: `/collection/${source}/edit` },
    { name: 'collection-run', path: `/collection/${source}/runs/${sourceRun}` },
    { name: 'collection-samples', path: `/collection/${source}/runs/${sourceRun}/samples` },
    { name: 'collection-outputs', path: `/collection/${source}/runs/${sourceRun}/outputs` },
    { name: 'collection-log', path: `/collection/${source}/runs/${sourceRun}/log` },
    { name: 'cleaning', path: '/cleaning' },
    { name: 'templates', path: '/cleaning/templates' },
    { name: 'new-task', path: '/cleaning/new' },
    { name: 'new-task-source', path: `/cleaning/new?dataset=${dataset}` },
    { name: 'edit-task', path: `/cleaning/${task}/edit` },
    { name: 'task', path: `/cleaning/${task}` },
    { name: 'task-without-runs', path: `/cleaning/${content.draft}` },
    { name: 'run', path: cleaningRun },
    { name: 'samples', path: `${cleaningRun}/samples` },
    { name: 'sample', path: `${cleaningRun}/samples?sample=${content.sample}` },
    { name: 'samples-failed', path: `${cleaningRun}/samples?verdict=FAILED` },
    { name: 'inputs', path: `${cleaningRun}/inputs` },
    { name: 'outputs', path: `${cleaningRun}/outputs` },
    { name: 'thresholds', path: `${cleaningRun}/thresholds` },
    { name: 'log', path: `${cleaningRun}/log` },
    { name: 'synthesis', path: '/synthesis' },
    { name: 'new-synthesis', path: `/synthesis/new?dataset=${dataset}` },
    { name: 'synthesis-task', path: `/synthesis/${synthesis.task}` },
    { name: 'synthesis-edit', path: `/synthesis/${synthesis.task}/edit` },
    { name: 'synthesis-run', path: synthesisRun },
    { name: 'synthesis-stopped', path: `/synthesis/${synthesis.stopped}/runs/${synthesis.stoppedRun}` },
    { name: 'synthesis-records', path: `${synthesisRun}/samples` },
    { name: 'synthesis-record', path: `${synthesisRun}/samples?sample=${synthesis.record}` },
    { name: 'synthesis-outputs', path: `${synthesisRun}/outputs` },
    { name: 'synthesis-log', path: `${synthesisRun}/log` },
    { name: 'synthesis-templates', path: '/synthesis/templates' },
    { name: 'synthesis-template', path: `/synthesis/templates/dialogue-zh?dataset=${dataset}` },
    { name: 'synthesis-editor', path: `/synthesis/templates/${synthesis.template}?dataset=${dataset}` },
    { name: 'knowledge', path: '/knowledge' },
    { name: 'knowledge-documents', path: knowledge },
    { name: 'knowledge-document', path: `${knowledge}/documents/${content.ragDocument}` },
    { name: 'knowledge-search', path: `${knowledge}/search?q=probe+degrees` },
    { name: 'knowledge-answer', path: `${knowledge}/answer` },
    { name: 'knowledge-evaluate', path: `${knowledge}/evaluate` },
    { name: 'knowledge-settings', path: `${knowledge}/settings` },
    { name: 'operators', path: '/operators' },
    { name: 'operator', path: '/operators/text-length-filter' },
    { name: 'market', path: '/market' },
    { name: 'market-package', path: `/market/operators/${content.operator}` },
    { name: 'market-try', path: `/market/operators/${content.operator}?tab=try` },
    { name: 'market-versions', path: `/market/operators/${content.operator}?tab=versions` },
    { name: 'market-compare', path: `/market/operators/${content.operator}/compare?dataset=${dataset}` },
    { name: 'market-publish', path: '/market/publish' },
    { name: 'market-publishers', path: '/market/publishers' },
    { name: 'account', path: '/settings/account' },
    { name: 'models', path: '/settings/models' },
    {
      name: 'new-model',
      path: '/settings/models',
      act: click('main .page-actions button, main button.mantine-Button-root'),
    },
    { name: 'model', path: `/settings/models/${content.model}` },
    { name: 'api-keys', path: '/settings/api-keys' },
    { name: 'users', path: '/settings/users' },
    { name: 'nodes', path: '/settings/nodes' },
    { name: 'about', path: '/settings/about' },
    { name: 'missing-dataset', path: '/datasets/01a1f000-0000-7000-8000-000000000000' },
  ];
}
