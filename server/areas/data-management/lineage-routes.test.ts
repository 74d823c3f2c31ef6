import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createKnowledgeBase } from '../../../tests/support/knowledge-bases.ts';
import { createTask, endOfTask } from '../../../tests/support/synthesis.ts';
import type { DatasetLineage, LineageNode } from './schemas/lineage.ts';
import { runTask } from '../../../tests/support/area-tasks.ts';
import { sharedApp } from '../../../tests/support/shared-app.ts';

const shared = sharedApp(import.meta.url, { settings: { TILTH_COLLECTION_ROOTS: tmpdir() } });

function names(nodes: readonly LineageNode[], kind: LineageNode['kind']): (string | null)[] {
  return nodes
    .filter((node) => node.kind === kind)
    .map(({ name, version }) => (version === null ? name : `${name} ${version}`))
    .toSorted((a, b) => ((a ?? '') < (b ?? '') ? -1 : 1));
}

shared.forAnyDatabase('lineage leads from a source over all areas and back, and outlives runs', async (t, service) => {
  const folder = await mkdtemp(join(tmpdir(), 'tilth-lineage-'));
  t.after(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'docs'));
  await writeFile(join(folder, 'docs', 'a.jsonl'), '{"text":"Harrows   crumble the heavy clods of clay."}\n');
  const { api } = service;

  const collected = await runTask(service, 'data-collection', {
    name: 'Fetch',
    connector: { type: 'local-folder', config: { path: folder } },
    targetDatasetName: 'Raw',
    targetDatasetType: 'TEXT',
  });
  const raw = collected.targetDatasetId;
  const steps = [{ operatorId: 'whitespace-normalizer' }];
  const cleaned = await runTask(service, 'data-cleaning', {
    name: 'Clean',
    sourceDatasetId: raw,
    targetDatasetName: 'Tidy',
    steps,
  });
  const tidy = cleaned.targetDatasetId;
  const given = { sourceDatasetId: tidy, targetDatasetName: 'Questions', autoStart: false };
  const synthesis = await createTask(service, given);
  await api('POST', `/data-synthesis/tasks/${synthesis.id}/execute`, {});
  const made = await endOfTask(service, synthesis.id);
  assert.equal(made.status, 'COMPLETED', made.error ?? '');
  const questions = made.targetDatasetId ?? '';
  const base = await createKnowledgeBase(service, { name: 'Fields' });
  assert.equal((await api('POST', `${base.path}/documents`, { datasetId: tidy })).status, 201);
  await base.settled();

  const trace = async (id: string, query = ''): Promise<DatasetLineage> => {
    const { status, body } = await api<DatasetLineage>('GET', `/data-management/datasets/${id}/lineage${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    const ids = new Set(body.nodes.map((node) => node.id));
    assert.equal(ids.size, body.nodes.length, 'each node once');
    assert.ok(ids.has(body.root));
    for (const { from, to } of body.edges) assert.ok(ids.has(from) && ids.has(to), `${from} → ${to}`);
    return body;
  };

  const middle = await trace(tidy);
  assert.equal(middle.truncated, false);
  assert.deepEqual(names(middle.nodes, 'DATASET_VERSION'), ['Questions 2', 'Raw 2', 'Tidy 2']);
  assert.deepEqual(names(middle.nodes, 'RUN'), ['Clean', 'Fetch', 'Questions']);
  assert.deepEqual(names(middle.nodes, 'OPERATOR'), ['whitespace-normalizer 2.0.0']);
  assert.deepEqual(names(middle.nodes, 'KNOWLEDGE_BASE'), ['Fields']);
  assert.deepEqual(names(middle.nodes, 'MODEL'), ['builtin:cloze', 'builtin:hash-512']);
  assert.deepEqual(names(middle.nodes, 'CONNECTOR'), ['local-folder']);
  assert.deepEqual(names(middle.nodes, 'TEMPLATE'), ['qa-pairs-en 1']);
  const clean = middle.nodes.find(({ refId }) => refId === cleaned.lastRunId);
  assert.deepEqual(
    [clean?.run?.stored, clean?.run?.steps[0]?.operatorId, clean?.run?.counts.changed, clean?.run?.createdBy],
    [true, 'whitespace-normalizer', 1, 'admin'],
  );
  const edges = middle.edges.map(({ from, to, kind }) => `${from.split(':')[0]} ${kind} ${to.split(':')[0]}`);
  assert.deepEqual(
    edges.toSorted(),
    [
      'connector READ run',
      'dataset INDEXED knowledge-base',
      'dataset READ run',
      'dataset READ run',
      'model USED knowledge-base',
      'model USED run',
      'operator USED run',
      'run WROTE dataset',
      'run WROTE dataset',
      'run WROTE dataset',
      'template USED run',
    ].toSorted(),
  );

  const up = await trace(questions, '?direction=UP');
  assert.deepEqual(names(up.nodes, 'DATASET_VERSION'), ['Questions 2', 'Raw 2', 'Tidy 2']);
  assert.deepEqual(names(up.nodes, 'KNOWLEDGE_BASE'), []);
  const shallow = await trace(questions, '?direction=UP&depth=1');
  assert.deepEqual([shallow.truncated, names(shallow.nodes, 'RUN')], [true, ['Questions']]);
  const down = await trace(raw, '?direction=DOWN&version=1');
  assert.deepEqual(names(down.nodes, 'RUN'), ['Clean', 'Questions'], 'later versions hold what the earlier one held');
  assert.deepEqual(names((await trace(raw, '?direction=UP&version=1')).nodes, 'RUN'), []);
  type Versions = { content: { version: number; createdBy: string; run: Record<string, unknown> | null }[] };
  const { body: versions } = await api<Versions>('GET', `/data-management/datasets/${tidy}/versions`);
  const told = versions.content.map(({ version, createdBy, run }) => [
    version,
    createdBy,
    run === null ? null : [run['area'], run['taskName'], run['number'], run['isStored']],
  ]);
  const byRun = ['data-cleaning', 'Clean', 1, true];
  assert.deepEqual(told, [
    [2, 'admin', byRun],
    [1, 'admin', null],
  ]);
  const use = async (kind: string, id: string, query = ''): Promise<DatasetLineage> => {
    const path = `/data-management/lineage/${kind}/${id}${query}`;
    const { status, body } = await api<DatasetLineage>('GET', path);
    assert.equal(status, 200, JSON.stringify(body));
    const ids = new Set(body.nodes.map((node) => node.id));
    assert.ok(ids.has(body.root), body.root);
    for (const { from, to } of body.edges) assert.ok(ids.has(from) && ids.has(to), `${from} → ${to}`);
    return body;
  };
  const ofOperator = await use('OPERATOR', 'whitespace-normalizer');
  assert.deepEqual(names(ofOperator.nodes, 'OPERATOR'), ['whitespace-normalizer'], 'all versions are one');
  assert.deepEqual(names(ofOperator.nodes, 'RUN'), ['Clean', 'Fetch', 'Questions']);
  assert.deepEqual(names(ofOperator.nodes, 'KNOWLEDGE_BASE'), ['Fields']);
  assert.ok(ofOperator.edges.some(({ from, kind }) => from === ofOperator.root && kind === 'USED'));
  assert.deepEqual(names((await use('OPERATOR', 'whitespace-normalizer', '?direction=UP')).nodes, 'RUN'), [
    'Clean',
    'Fetch',
  ]);
  const near = await use('OPERATOR', 'whitespace-normalizer', '?direction=DOWN&depth=1');
  assert.deepEqual([names(near.nodes, 'RUN'), near.truncated], [['Clean'], true]);
  const one = await use('OPERATOR', 'whitespace-normalizer', '?limit=2');
  assert.equal(one.truncated, true);
  const ofModel = await use('MODEL', 'builtin-hash-512', '?direction=UP');
  const ofBase = await use('KNOWLEDGE_BASE', base.id);
  for (const graph of [ofModel, ofBase]) {
    assert.deepEqual(names(graph.nodes, 'KNOWLEDGE_BASE'), ['Fields']);
    assert.deepEqual(names(graph.nodes, 'RUN'), ['Clean', 'Fetch']);
    assert.deepEqual(names(graph.nodes, 'DATASET_VERSION'), ['Raw 2', 'Tidy 2']);
  }
  const chat = middle.nodes.find(({ name }) => name === 'builtin:cloze')?.refId ?? '';
  const written = await use('MODEL', chat, '?direction=DOWN');
  assert.deepEqual(names(written.nodes, 'RUN'), ['Questions']);
  assert.deepEqual(names((await use('OPERATOR', 'never-used')).nodes, 'OPERATOR'), ['never-used']);
  for (const kind of ['MODEL', 'KNOWLEDGE_BASE']) {
    const missing = await api<{ error: string }>('GET', `/data-management/lineage/${kind}/none`);
    assert.deepEqual([missing.status, missing.body.error], [404, 'LINEAGE_ROOT_NOT_FOUND']);
  }
  assert.equal((await api('GET', '/data-management/lineage/RUN/none')).status, 400);
  assert.equal((await api('GET', '/data-management/lineage/MODEL/a%20b')).status, 400);
  const small = await trace(raw, '?limit=3');
  assert.ok(small.truncated && small.nodes.length < 9, String(small.nodes.length));
  assert.equal((await api('GET', `/data-management/datasets/${raw}/lineage?version=9`)).status, 404);
  assert.equal((await api('GET', `/data-management/datasets/${raw}/lineage?depth=99`)).status, 400);
  assert.equal((await api('GET', '/data-management/datasets/none/lineage')).status, 404);

  for (const [area, { id }] of [['data-cleaning', cleaned] as const, ['data-collection', collected] as const])
    assert.equal((await api('DELETE', `/${area}/tasks/${id}`)).status, 204);
  assert.equal((await api('DELETE', base.path)).status, 204);
  assert.equal((await api('DELETE', `/data-management/datasets/${raw}`)).status, 204);
  const later = await trace(tidy);
  assert.deepEqual(names(later.nodes, 'KNOWLEDGE_BASE'), []);
  const gone = later.nodes.find(({ refId }) => refId === raw);
  assert.deepEqual([gone?.hidden, gone?.name], [true, null], 'that it was there is known, and nothing else');
  const old = later.nodes.find(({ refId }) => refId === cleaned.lastRunId);
  assert.deepEqual([old?.run?.stored, old?.run?.steps.length], [false, 1]);
  assert.ok(!JSON.stringify(later).includes('"Raw"'));
});

shared.forAnyDatabase('datasets that are made of each other have a lineage that ends', async (_t, service) => {
  const { body } = await service.api<{ id: string }>('POST', '/data-management/datasets', {
    name: 'One',
    type: 'TEXT',
  });
  const form = new FormData();
  form.set('files', new Blob(['{"text":"a  b"}\n']), 'a.jsonl');
  await service.api('POST', `/data-management/datasets/${body.id}/files/upload`, form);
  const steps = [{ operatorId: 'whitespace-normalizer' }];
  const there = { name: 'There', sourceDatasetId: body.id, targetDatasetName: 'Two', steps };
  const { targetDatasetId: two } = await runTask(service, 'data-cleaning', there);
  const back = { name: 'Back', sourceDatasetId: two, targetDatasetId: body.id, steps };
  await runTask(service, 'data-cleaning', back);
  const { body: graph } = await service.api<DatasetLineage>('GET', `/data-management/datasets/${body.id}/lineage`);
  assert.deepEqual(names(graph.nodes, 'DATASET_VERSION'), ['One 2', 'One 3', 'Two 2']);
  assert.deepEqual([names(graph.nodes, 'RUN'), graph.truncated], [['Back', 'There'], false]);
  assert.deepEqual(graph.edges.map(({ kind }) => kind).toSorted(), [
    'BECAME',
    'READ',
    'READ',
    'USED',
    'USED',
    'WROTE',
    'WROTE',
  ]);
});

shared.forAnyDatabase('the saved result of a query is made of the version that it read', async (_t, { api }) => {
  const { body } = await api<{ id: string }>('POST', '/data-management/datasets', { name: 'Fields', type: 'TEXT' });
  const path = `/data-management/datasets/${body.id}`;
  const form = new FormData();
  form.set('files', new Blob(['name,acres\nhome,3\nfar,4\n']), 'fields.csv');
  await api('POST', `${path}/files/upload`, form);
  const sql = 'SELECT name FROM fields WHERE acres > 3';
  for (;;) {
    const { status } = await api('POST', `${path}/query/files`, { sql, filePath: 'large.csv' });
    if (status === 201) break;
    assert.equal(status, 503);
    await setTimeout(50);
  }
  const taken = await api('POST', `${path}/query/files`, { sql, filePath: 'large.csv' });
  assert.equal(taken.status, 409);
  const { body: graph } = await api<DatasetLineage>('GET', `${path}/lineage`);
  const queries = graph.nodes.filter(({ kind }) => kind === 'QUERY');
  assert.deepEqual(
    queries.map(({ name, query }) => [name, query?.sql, query?.createdBy]),
    [[sql, sql, 'admin']],
    'one that saved nothing is none',
  );
  assert.deepEqual(names(graph.nodes, 'DATASET_VERSION'), ['Fields 2', 'Fields 3']);
  const id = queries[0]?.id ?? '';
  const [two, three] = [2, 3].map((version) => `dataset:${body.id}@${version}`);
  assert.deepEqual(
    graph.edges.map(({ from, kind, to }) => [from, kind, to]),
    [
      [two, 'READ', id],
      [id, 'WROTE', three],
      [two, 'BECAME', three],
    ],
  );
});
