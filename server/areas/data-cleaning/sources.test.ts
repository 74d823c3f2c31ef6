import assert from 'node:assert/strict';
import type { RunningApp } from '../../../tests/support/server.ts';
import { sharedApp } from '../../../tests/support/shared-app.ts';

const shared = sharedApp(import.meta.url);

type Counts = { in: number; kept: number; dropped: number; failed: number; emitted: number };
type Run = { id: string; status: string; error: string | null; counts: Counts; resumedFrom: string | null };
type Task = {
  id: string;
  targetDatasetId: string | null;
  sourceFolder: string | null;
  moreSources: { datasetId: string; datasetName: string; version: number | null; prefix: string; folder: string }[];
};
type Summary = { counts: Counts; sources: { datasetId: string; folder: string; version: number; counts: Counts }[] };
type Entry = { filePath: string; sourceDatasetId: string; verdict: string; reason: string | null };
type Refused = { error: string; errorCode: string };

/** The service with helpers for these tests. */
type Bench = RunningApp & {
  dataset(name: string, files: Readonly<Record<string, string>>): Promise<string>;
  put(datasetId: string, path: string, content: string): Promise<void>;
  create(body: object): Promise<Task>;
  execute(task: string, body?: object): Promise<Run>;
  ended(task: string, id: string): Promise<Run>;
  /** Path → content of a dataset. */
  contents(datasetId: string | null): Promise<Record<string, string>>;
  get<T>(path: string): Promise<T>;
};

function benchOf(app: RunningApp): Bench {
  const { api } = app;
  async function put(datasetId: string, path: string, content: string): Promise<void> {
    const form = new FormData();
    form.append('files', new File([content], path));
    const { status } = await api('POST', `/data-management/datasets/${datasetId}/files/upload`, form);
    assert.ok(status < 300);
  }
  async function get<T>(path: string): Promise<T> {
    const { status, body } = await api<{ data: T }>('GET', `/data-cleaning/${path}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.data;
  }
  return {
    ...app,
    put,
    get,
    async dataset(name, files) {
      const { body } = await api<{ id: string }>('POST', '/data-management/datasets', { name, type: 'TEXT' });
      for (const [path, content] of Object.entries(files)) await put(body.id, path, content);
      return body.id;
    },
    async create(body) {
      const created = await api<{ data: Task }>('POST', '/data-cleaning/tasks', { name: 'Mix', ...body });
      assert.equal(created.status, 201, JSON.stringify(created.body));
      return created.body.data;
    },
    async execute(task, body = {}) {
      const { status, body: run } = await api<{ data: Run }>('POST', `/data-cleaning/tasks/${task}/execute`, body);
      assert.equal(status, 200, JSON.stringify(run));
      return run.data;
    },
    async ended(task, id) {
      for (;;) {
        const run = await get<Run>(`tasks/${task}/runs/${id}`);
        if (!['QUEUED', 'RUNNING'].includes(run.status)) return run;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    async contents(datasetId) {
      const path = `/data-management/datasets/${datasetId}/files`;
      const { body } = await api<{ content: { id: string; filePath: string }[] }>('GET', `${path}?size=1000`);
      const found: Record<string, string> = {};
      for (const { id, filePath } of body.content) {
        const answer = await fetch(`${app.url}/api/v1${path}/${id}/download`, {
          headers: { authorization: `Bearer ${app.token}` },
        });
        found[filePath] = await answer.text();
      }
      return found;
    },
  };
}

const rows = (name: string, count: number, column = 'text'): string =>
  Array.from({ length: count }, (_, row) => `${JSON.stringify({ [column]: `${name} number ${row}` })}\n`).join('');
const linesOf = (content: string | undefined): number => (content ?? '').split('\n').length - 1;
const trim = { operatorId: 'whitespace-normalizer' };
const mix = (params: object) => ({ operatorId: 'mix-selector', params });

shared.forAnyDatabase('several datasets are mixed by weights, and each sample tells its own', async (_t, app) => {
  const { api, dataset, create, execute, ended, contents, get } = benchOf(app);
  const web = await dataset('Web/2024', { 'a.jsonl': rows('web', 60), 'b.jsonl': `${rows('page', 40)}broken\n` });
  const books = await dataset('Books', { 'old/a.jsonl': rows('book', 30, 'content'), 'skip.txt': 'not this' });
  const task = await create({
    sourceDatasetId: web,
    moreSources: [{ datasetId: books, folder: 'books', prefix: 'old' }],
    input: { textFields: [{ files: 'books/**', field: 'content' }] },
    steps: [trim, mix({ weights: 'Web-2024=60, books=40', seed: 5, column: 'from' })],
  });
  assert.equal(task.sourceFolder, 'Web-2024');
  assert.deepEqual(task.moreSources, [
    { datasetId: books, datasetName: 'Books', version: null, prefix: 'old', folder: 'books' },
  ]);

  const { id } = await execute(task.id);
  const run = await ended(task.id, id);
  assert.equal(run.status, 'COMPLETED', run.error ?? '');
  // The 30 books make up 40 %, which leaves 45 from the web.
  assert.deepEqual([run.counts.in, run.counts.kept, run.counts.dropped, run.counts.failed], [131, 75, 55, 1]);
  const { targetDatasetId } = await get<Task>(`tasks/${task.id}`);
  const files = await contents(targetDatasetId);
  assert.deepEqual(Object.keys(files).toSorted(), ['Web-2024/a.jsonl', 'Web-2024/b.jsonl', 'books/old/a.jsonl']);
  assert.equal(linesOf(files['Web-2024/a.jsonl']) + linesOf(files['Web-2024/b.jsonl']), 45);
  assert.equal(files['books/old/a.jsonl']?.split('\n')[0], '{"content":"book number 0","from":"books"}');

  const runPath = `tasks/${task.id}/runs/${id}`;
  const { sources } = await get<Summary>(`${runPath}/ledger/summary`);
  assert.deepEqual(
    sources.map(({ datasetId, folder, counts }) => [datasetId, folder, counts.in, counts.kept, counts.failed]),
    [
      [web, 'Web-2024', 101, 45, 1],
      [books, 'books', 30, 30, 0],
    ],
  );
  const ledger = await get<{ content: Entry[] }>(`${runPath}/ledger?size=1000`);
  for (const { filePath, sourceDatasetId } of ledger.content)
    assert.equal(sourceDatasetId, filePath.startsWith('books/') ? books : web, filePath);
  const inputs = await get<{ content: { filePath: string; sourceDatasetId: string }[] }>(`${runPath}/inputs`);
  assert.deepEqual(
    inputs.content.map(({ filePath, sourceDatasetId }) => [filePath, sourceDatasetId]),
    [
      ['Web-2024/a.jsonl', web],
      ['Web-2024/b.jsonl', web],
      ['books/old/a.jsonl', books],
    ],
  );
  // The failed sample of one source is processed again into that source's folder.
  const again = await ended(task.id, (await execute(task.id, { failedOf: id })).id);
  assert.deepEqual([again.status, again.counts.in, again.counts.failed], ['COMPLETED', 1, 1]);

  const busy = await api<Refused>('DELETE', `/data-management/datasets/${books}`);
  assert.ok(busy.status < 300, 'no run reads it any more');
  const gone = await api<Refused>('POST', `/data-cleaning/tasks/${task.id}/execute`, {});
  assert.deepEqual([gone.status, gone.body.errorCode], [404, 'SOURCE_NOT_FOUND']);
  assert.match(gone.body.error, new RegExp(books));
  assert.equal((await get<Task>(`tasks/${task.id}`)).moreSources[0]?.datasetName, 'Books', 'its name stays known');
});

shared.forAnyDatabase('the same seed draws the same of several datasets, also in tokens', async (_t, app) => {
  const { dataset, create, execute, ended, contents, get } = benchOf(app);
  const one = await dataset('One', { 'r.jsonl': rows('one', 50) });
  const two = await dataset('Two', { 'r.jsonl': rows('two', 50) });
  const results: Record<string, string>[] = [];
  for (const seed of [1, 1, 2]) {
    const { id } = await create({
      name: `Mix ${results.length}`,
      sourceDatasetId: one,
      moreSources: [{ datasetId: two }],
      steps: [mix({ weights: 'One=100, Two=50', amount: 'COUNT', unit: 'TOKENS', seed })],
    });
    const run = await ended(id, (await execute(id)).id);
    assert.equal(run.status, 'COMPLETED', run.error ?? '');
    results.push(await contents((await get<Task>(`tasks/${id}`)).targetDatasetId));
  }
  assert.deepEqual(results[1], results[0]);
  assert.notDeepEqual(results[2], results[0]);
  const [first] = results;
  // Each text has four or five tokens.
  assert.ok(linesOf(first?.['One/r.jsonl']) >= 20 && linesOf(first?.['One/r.jsonl']) <= 25);
  assert.ok(linesOf(first?.['Two/r.jsonl']) >= 10 && linesOf(first?.['Two/r.jsonl']) <= 12);
});

shared.forAnyDatabase('a resumed run reads the versions that the first one began with', async (_t, app) => {
  const { api, dataset, put, create, execute, ended, get } = benchOf(app);
  const one = await dataset('One', { 'r.jsonl': rows('one', 10_000) });
  const two = await dataset('Two', { 'r.jsonl': rows('two', 10_000) });
  const { id } = await create({
    sourceDatasetId: one,
    moreSources: [{ datasetId: two }],
    steps: [{ operatorId: 'exact-deduplicator' }, mix({ weights: 'One=1, Two=1' })],
  });
  await execute(id);
  const refused = await api<Refused>('DELETE', `/data-management/datasets/${two}`);
  assert.deepEqual([refused.status, refused.body.error], [409, 'DATASET_BUSY']);
  await api('POST', `/data-cleaning/tasks/${id}/stop`, {});
  await put(two, 'new.jsonl', rows('new', 500));
  const resumed = await ended(id, (await execute(id, { resume: true })).id);
  assert.deepEqual([resumed.status, resumed.counts.in, resumed.counts.kept], ['COMPLETED', 20_000, 20_000]);
  assert.notEqual(resumed.resumedFrom, null);
  const next = await execute(id);
  const { sources } = await get<Summary>(`tasks/${id}/runs/${(await ended(id, next.id)).id}/ledger/summary`);
  assert.deepEqual(
    sources.map(({ counts }) => counts.in),
    [10_000, 10_500],
  );
});

shared.forAnyDatabase('previews, inspections and profiles read all sources', async (_t, app) => {
  const { api, dataset } = benchOf(app);
  const one = await dataset('One', { 'r.jsonl': rows('one', 50) });
  const two = await dataset('Two', { 'r.jsonl': rows('two', 50), 'n.txt': 'Note' });
  const sources = { sourceDatasetId: one, moreSources: [{ datasetId: two }] };
  const preview = await api<{ data: { samples: { filePath: string }[]; drawn: { total: number } } }>(
    'POST',
    '/data-cleaning/preview',
    { ...sources, steps: [trim], limit: 40 },
  );
  const folders = new Set(preview.body.data.samples.map(({ filePath }) => filePath.split('/')[0]));
  assert.deepEqual(folders, new Set(['One', 'Two']));
  assert.equal(preview.body.data.drawn.total, 101);
  const inspected = await api<{ data: { folders: string[]; tables: { filePath: string }[]; fileTypes: object[] } }>(
    'POST',
    '/data-cleaning/inputs',
    { ...sources, input: { exclude: ['Two/*.txt'] } },
  );
  assert.deepEqual(inspected.body.data.folders, ['One', 'Two']);
  assert.deepEqual(
    inspected.body.data.tables.map(({ filePath }) => filePath),
    ['One/r.jsonl', 'Two/r.jsonl'],
  );
  const profile = await api<{ data: { total: number } }>('POST', '/data-cleaning/profile', {
    ...sources,
    sample: { size: 20, seed: 1 },
  });
  assert.equal(profile.body.data.total, 101);
});

shared.forAnyDatabase('wrong sources are refused by name, and changes keep what they do not name', async (_t, app) => {
  const { api, dataset, create } = benchOf(app);
  const one = await dataset('Same', { 'r.jsonl': rows('one', 2) });
  const two = await dataset('Same', { 'r.jsonl': rows('two', 2) });
  const refused: [body: object, status: number, message: RegExp][] = [
    [{ moreSources: [{ datasetId: one }] }, 400, /^moreSources\[0\]\.datasetId is already a source/],
    [{ moreSources: [{ datasetId: 'nobody' }] }, 404, /^Source dataset nobody does not exist/],
    [{ moreSources: [{ datasetId: two, version: 9 }] }, 404, /has no version 9/],
    [{ moreSources: [{ datasetId: two, folder: 'a/b' }] }, 400, /^moreSources\[0\]\.folder must be one name/],
    [{ moreSources: [{ datasetId: two, folder: '..' }] }, 400, /^moreSources\[0\]\.folder must not contain/],
    [
      { sourceFolder: 'x', moreSources: [{ datasetId: two, folder: 'x' }] },
      400,
      /^moreSources\[0\]\.folder must be a different folder/,
    ],
    [{ moreSources: [{ datasetId: two, prefix: '../up' }] }, 400, /^moreSources\[0\]\.prefix must not contain/],
    [{ sourceFolder: 'x' }, 400, /^moreSources is required together with sourceFolder/],
    [{ moreSources: [{ datasetId: two }], targetDatasetId: two }, 400, /^targetDatasetId must not be the source/],
  ];
  for (const [body, status, message] of refused) {
    const answer = await api<Refused>('POST', '/data-cleaning/tasks', {
      name: 'T',
      sourceDatasetId: one,
      steps: [trim],
      ...body,
    });
    assert.equal(answer.status, status, JSON.stringify(answer.body));
    assert.match(answer.body.error, message);
  }
  const task = await create({ sourceDatasetId: one, moreSources: [{ datasetId: two }], steps: [trim] });
  assert.deepEqual([task.sourceFolder, task.moreSources[0]?.folder], ['Same', 'Same 2']);
  const put = async (changes: object): Promise<Task> => {
    const { status, body } = await api<{ data: Task }>('PUT', `/data-cleaning/tasks/${task.id}`, changes);
    assert.equal(status, 200, JSON.stringify(body));
    return body.data;
  };
  assert.equal((await put({ description: 'changed' })).moreSources[0]?.folder, 'Same 2');
  const alone = await put({ moreSources: [] });
  assert.deepEqual([alone.sourceFolder, alone.moreSources], [null, []]);
});
