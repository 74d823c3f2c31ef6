import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { completion, send, startProvider } from '../../../tests/fakes/model-provider.ts';
import { forAnyDatabase } from '../../../tests/support/databases.ts';
import { startWithHeldModel } from '../../../tests/support/held-model.ts';
import { createKnowledgeBase } from '../../../tests/support/knowledge-bases.ts';
import type { Api } from '../../../tests/support/api.ts';
import type { File } from './schemas/files.ts';
import type { PurgeReport } from './schemas/purges.ts';
import { sharedApp } from '../../../tests/support/shared-app.ts';

const shared = sharedApp(import.meta.url, { settings: { TILTH_OUTGOING_ALLOW: '127.0.0.1' } });

const planted = 'PLANTED-7f3a91c4d2';

async function upload({ api }: Api, id: string, files: Readonly<Record<string, string>>): Promise<Map<string, string>> {
  const form = new FormData();
  for (const [path, content] of Object.entries(files)) form.append('files', new Blob([content]), path);
  const { status, body } = await api<File[]>('POST', `/data-management/datasets/${id}/files/upload`, form);
  assert.equal(status, 201, JSON.stringify(body));
  return new Map(body.map((file) => [file.filePath, file.id]));
}

/** Files below the folders of bytes, indexes and vectors that hold the text, in any of the forms in which it is stored. */
async function holders(dataDir: string): Promise<string[]> {
  const found: string[] = [];
  for (const folder of ['blobs', 'views', 'vectors', 'scratch']) {
    const entries = await readdir(join(dataDir, folder), { recursive: true, withFileTypes: true }).catch(() => []);
    for (const entry of entries.filter((one) => one.isFile())) {
      const path = join(entry.parentPath, entry.name);
      const bytes = await readFile(path, 'latin1').catch(() => '');
      if (bytes.toLowerCase().includes(planted.toLowerCase())) found.push(path);
    }
  }
  return found;
}

shared.forAnyDatabase('a purge leaves nothing of a file on disk, and says what it touched', async (_t, service) => {
  const { api } = service;
  const make = async (name: string): Promise<string> =>
    (await api<{ id: string }>('POST', '/data-management/datasets', { name, type: 'TEXT' })).body.id;
  const id = await make('Private');
  const at = `/data-management/datasets/${id}`;
  const first = await upload(service, id, {
    'small.jsonl': `{"text":"first ${planted}"}\n`,
    'kept.txt': 'nothing secret',
  });
  // Large enough to be stored as a file of its own, while the small ones share a pack.
  const large = `{"text":"${planted} ${'soil '.repeat(10)}"}\n`.repeat(20_000);
  const second = await upload(service, id, {
    'small.jsonl': `{"text":"second ${planted}"}\n`,
    'deep/large.jsonl': large,
  });
  const [small = '', big = ''] = [first.get('small.jsonl'), second.get('deep/large.jsonl')];
  const elsewhere = await make('Copy');
  await upload(service, elsewhere, { 'twin.jsonl': '{"text":"twin"}\n' });
  for (const file of [small, big])
    for (;;) {
      const shown = await api<{ index: string }>('GET', `${at}/files/${file}/rows?search=soil`);
      if (shown.status === 200 && shown.body.index === 'READY') break;
      await setTimeout(50);
    }
  const base = await createKnowledgeBase(service, { name: 'Held' });
  assert.equal((await api('POST', `${base.path}/documents`, { datasetId: id, fileIds: [small] })).status, 201);
  await base.settled();
  assert.equal((await base.search({ query: planted })).length, 1);
  const held = await holders(service.dataDir);
  for (const folder of ['blobs', 'views'])
    assert.ok(
      held.some((path) => path.includes(`/${folder}/`)),
      `${folder}: ${held.join()}`,
    );

  const { body: viewer } = await api<{ key: string }>('POST', '/auth/api-keys', { name: 'k', role: 'VIEWER' });
  const weak = { 'x-api-key': viewer.key, 'content-type': 'application/json' };
  const refused = await fetch(`${service.url}/api/v1${at}/purge`, {
    method: 'POST',
    headers: weak,
    body: '{"fileIds":["a"]}',
  });
  assert.equal(refused.status, 403);
  assert.equal((await api('POST', `${at}/purge`, { fileIds: ['none'] })).status, 404);

  const { status, body: report } = await api<PurgeReport>('POST', `${at}/purge`, { fileIds: [small, big, 'none'] });
  assert.equal(status, 200, JSON.stringify(report));
  assert.deepEqual(
    report.files.map(({ paths, states }) => [paths, states]).toSorted((a, b) => (String(a) < String(b) ? -1 : 1)),
    [
      [['deep/large.jsonl'], 1],
      [['small.jsonl'], 2],
    ],
  );
  assert.deepEqual([report.notFound, report.versions, report.createdBy], [['none'], [{ from: 2, to: 3 }], 'admin']);
  assert.ok(report.indexes >= 2, String(report.indexes));
  assert.deepEqual(
    report.knowledgeBases.map(({ name, documents }) => [name, documents]),
    [['Held', 1]],
  );
  assert.deepEqual(report.left, { copies: [], runs: [] });

  assert.deepEqual(await base.search({ query: planted }), []);
  for (const version of ['', '?version=2', '?version=3'])
    assert.equal((await api('GET', `${at}/files/${small}/download${version}`)).status, 404, version);
  const deadline = Date.now() + 60_000;
  for (let rest = await holders(service.dataDir); rest.length > 0; rest = await holders(service.dataDir)) {
    assert.ok(Date.now() < deadline, `still held by ${rest.join(', ')}`);
    await setTimeout(200);
  }
  const { body: kept } = await api<Buffer>('GET', `${at}/files/${first.get('kept.txt')}/download`);
  assert.equal(String(kept), 'nothing secret', 'what shared a pack with it stays');

  const listed = await api<{ content: PurgeReport[] }>('GET', `${at}/purges`);
  assert.deepEqual(listed.body.content, [report]);
  const versions = await api<{ content: { message: string | null; messageCode: string | null }[] }>(
    'GET',
    `${at}/versions`,
  );
  const [newest] = versions.body.content;
  assert.deepEqual([newest?.message, newest?.messageCode], ['Erased 2 files from all versions', 'ERASED']);
});

shared.forAnyDatabase(
  'every deletion with purge=true is recorded, and copies and results are named',
  async (_t, service) => {
    const { api } = service;
    const { body: made } = await api<{ id: string }>('POST', '/data-management/datasets', { name: 'A', type: 'TEXT' });
    const at = `/data-management/datasets/${made.id}`;
    const rows = '{"text":"a  b"}\n';
    const files = await upload(service, made.id, {
      'one.jsonl': rows,
      'same.jsonl': rows,
      'f/x.txt': 'x',
      'f/g/y.txt': 'y',
      'z.txt': 'z',
    });
    const definition = {
      name: 'Clean',
      sourceDatasetId: made.id,
      targetDatasetName: 'B',
      steps: [{ operatorId: 'whitespace-normalizer' }],
    };
    const { body: task } = await api<{ data: { id: string } }>('POST', '/data-cleaning/tasks', definition);
    const path = `/data-cleaning/tasks/${task.data.id}`;
    await api('POST', `${path}/execute`, {});
    type Task = { data: { status: string; targetDatasetId: string } };
    let ended = (await api<Task>('GET', path)).body.data;
    while (ended.status === 'RUNNING') {
      await setTimeout(20);
      ended = (await api<Task>('GET', path)).body.data;
    }
    assert.equal(ended.status, 'COMPLETED');
    // The checksums that identify copies are computed in the background.
    while ((await api<File>('GET', `${at}/files/${files.get('same.jsonl')}`)).body.sha256 === null)
      await setTimeout(20);
    while ((await api<File>('GET', `${at}/files/${files.get('one.jsonl')}`)).body.sha256 === null) await setTimeout(20);

    assert.equal((await api('DELETE', `${at}/files/${files.get('one.jsonl')}?purge=true`)).status, 204);
    const many = await api<{ version: number; deleted: number; notFound: string[] }>(
      'POST',
      `${at}/files/batch-delete`,
      {
        fileIds: [files.get('z.txt'), 'none'],
        purge: true,
      },
    );
    assert.deepEqual(many.body, { version: 4, deleted: 1, notFound: ['none'] });
    assert.equal((await api('DELETE', `${at}/files/directories?path=f&purge=true`)).status, 204);
    assert.equal((await api('DELETE', `${at}/files/directories?path=f&purge=true`)).status, 404);
    const { body } = await api<{ content: PurgeReport[] }>('GET', `${at}/purges`);
    const [folder, batch, single] = body.content;
    assert.deepEqual(folder?.files.flatMap(({ paths }) => paths).toSorted(), ['f/g/y.txt', 'f/x.txt']);
    assert.deepEqual(
      batch?.files.map(({ paths }) => paths),
      [['z.txt']],
    );
    assert.deepEqual(
      single?.left.copies.map(({ datasetName, filePath }) => `${datasetName}: ${filePath}`),
      ['A: same.jsonl'],
    );
    assert.deepEqual(
      single?.left.runs.map(({ taskName, results }) => [taskName, results]),
      [['Clean', [{ datasetId: ended.targetDatasetId, version: 2 }]]],
    );
  },
);

shared.forAnyDatabase('a purge names the calls of models that were asked about the content', async (t, service) => {
  const provider = await startProvider(t, (_request, response) => send(response, 200, completion('{"score": 4}')));
  const { api } = service;
  const { body: model } = await api<{ data: { id: string } }>('POST', '/settings/models', {
    name: 'Chat',
    kind: 'CHAT',
    provider: 'openai-compatible',
    baseUrl: provider.baseUrl,
    model: 'm',
  });
  const { body: made } = await api<{ id: string }>('POST', '/data-management/datasets', { name: 'A', type: 'TEXT' });
  const at = `/data-management/datasets/${made.id}`;
  const files = await upload(service, made.id, { 'one.jsonl': '{"text":"first"}\n{"text":"second"}\n' });
  const { body: task } = await api<{ data: { id: string } }>('POST', '/data-cleaning/tasks', {
    name: 'Judge',
    sourceDatasetId: made.id,
    targetDatasetName: 'B',
    steps: [{ operatorId: 'model-quality-filter', params: { model: model.data.id } }],
  });
  const path = `/data-cleaning/tasks/${task.data.id}`;
  await api('POST', `${path}/execute`, {});
  const status = async (): Promise<string> => (await api<{ data: { status: string } }>('GET', path)).body.data.status;
  while ((await status()) === 'RUNNING') await setTimeout(20);
  assert.equal(await status(), 'COMPLETED');

  const { body: report } = await api<PurgeReport>('POST', `${at}/purge`, { fileIds: [files.get('one.jsonl')] });
  assert.deepEqual(
    report.left.runs.map(({ taskName, modelCalls }) => [taskName, modelCalls]),
    [['Judge', 2]],
  );
});

forAnyDatabase(
  'what is under way while files are erased makes nothing of them in silence',
  async (t, _open, database) => {
    const { service, modelId, asked, release } = await startWithHeldModel(t, { database });
    const { api } = service;
    const { body: made } = await api<{ id: string }>('POST', '/data-management/datasets', { name: 'A', type: 'TEXT' });
    const at = `/data-management/datasets/${made.id}`;
    const files = await upload(service, made.id, { 'p.jsonl': '{"text":"first"}\n{"text":"second"}\n' });
    const purged = files.get('p.jsonl') ?? '';
    const { body: task } = await api<{ data: { id: string } }>('POST', '/data-cleaning/tasks', {
      name: 'Judge',
      sourceDatasetId: made.id,
      targetDatasetName: 'B',
      steps: [{ operatorId: 'model-quality-filter', params: { model: modelId } }],
    });
    const path = `/data-cleaning/tasks/${task.data.id}`;
    await api('POST', `${path}/execute`, {});
    await asked;
    // With the index ready, only the query takes time.
    assert.equal((await api('POST', `${at}/query`, { sql: 'select count(*) from p' })).status, 200);
    const saving = api<{ error?: string }>('POST', `${at}/query/files`, {
      sql: 'select p.text, sum(r.range) from p, range(100000000) r group by all',
      filePath: 's.csv',
    });
    await setTimeout(500);

    const { body: report } = await api<PurgeReport>('POST', `${at}/purge`, { fileIds: [purged] });
    assert.deepEqual(
      report.left.runs.map(({ taskName, underWay, results }) => [taskName, underWay, results]),
      [['Judge', true, []]],
    );
    const saved = await saving;
    assert.ok(
      saved.status === 404 || (saved.status === 409 && saved.body.error === 'FILE_PURGED'),
      JSON.stringify(saved.body),
    );
    const { body: left } = await api<{ content: File[] }>('GET', `${at}/files`);
    assert.deepEqual(left.content, []);

    release();
    type Task = { data: { status: string; targetDatasetId: string } };
    let ended = (await api<Task>('GET', path)).body.data;
    while (ended.status === 'RUNNING') {
      await setTimeout(20);
      ended = (await api<Task>('GET', path)).body.data;
    }
    const { body: listed } = await api<{ content: PurgeReport[] }>('GET', `${at}/purges`);
    const results = ended.status === 'COMPLETED' ? [{ datasetId: ended.targetDatasetId, version: 2 }] : [];
    assert.deepEqual(
      listed.content[0]?.left.runs.map((run) => [run.taskName, run.underWay, run.results]),
      [['Judge', false, results]],
      ended.status,
    );
  },
);
