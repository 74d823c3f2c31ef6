import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Static } from 'typebox';
import type { Answer } from './answer.ts';
import type { Client } from './client.ts';
import { sharedService, startService } from './service.ts';
import { CleaningTask, LedgerEntry, LedgerSample, Rethreshold } from './cleaning-shapes.ts';
import { Enveloped, PageOf, Run } from './shapes.ts';

const shared = sharedService(import.meta.url);

const tasks = '/data-cleaning/tasks';
const steps = [{ operatorId: 'whitespace-normalizer' }, { operatorId: 'text-length-filter', params: { min: 3 } }];

async function newTask(client: Client, body: Readonly<Record<string, unknown>>): Promise<Static<typeof CleaningTask>> {
  return (await client.post(tasks, { name: 'task', steps, ...body })).is(201, Enveloped(CleaningTask)).data;
}

async function execute(client: Client, id: string, body: unknown = {}): Promise<Static<typeof Run>> {
  return (await client.post(`${tasks}/${id}/execute`, body)).is(200, Enveloped(Run)).data;
}

async function ended(client: Client, { taskId, id }: Static<typeof Run>): Promise<Static<typeof Run>> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const run = (await client.get(`${tasks}/${taskId}/runs/${id}`)).is(200, Enveloped(Run)).data;
    if (!['QUEUED', 'RUNNING'].includes(run.status)) return run;
    assert.ok(Date.now() < deadline, 'the run doesn’t end');
    await setTimeout(20);
  }
}

/** Executes a task and stops it, with other calls in parallel; repeated if the run had already ended. */
async function stopped(
  client: Client,
  id: string,
  others: () => Promise<readonly Answer[]>,
): Promise<{ run: Static<typeof Run>; answers: readonly Answer[] }> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    await execute(client, id);
    const [stop, answers] = await Promise.all([client.post(`${tasks}/${id}/stop`), others()]);
    if (stop.status === 409) continue;
    const run = stop.is(200, Enveloped(Run)).data;
    assert.equal(run.status, 'STOPPED');
    return { run, answers };
  }
  assert.fail('no run lasted long enough to be stopped');
}

test('tasks: list, change, stop, resume, delete', async (t) => {
  const { admin, editor, viewer } = await startService(t);
  const source = await admin.newDataset({ name: 'Raw' });
  const rows = 60_000;
  await admin.putFiles(source.id, { 'big.jsonl': '{"text":"many   words  in a row"}\n'.repeat(rows) });
  const task = await newTask(editor, { name: 'Big', sourceDatasetId: source.id, description: 'the whole' });
  const other = await newTask(editor, { name: 'another', sourceDatasetId: source.id });

  await t.test('lists: paging, sort, keyword, status', async () => {
    const names = async (query: string) =>
      (await viewer.get(`${tasks}?${query}`))
        .is(200, Enveloped(PageOf(CleaningTask)))
        .data.content.map(({ name }) => name);
    assert.deepEqual(await names(''), ['another', 'Big']);
    assert.deepEqual(await names('sort=createdAt,asc'), ['Big', 'another']);
    assert.deepEqual(await names('sort=name,desc&size=1&page=1'), ['another']);
    assert.deepEqual(await names('keyword=WHOLE'), ['Big']);
    assert.deepEqual(await names('status=PENDING&keyword=another'), ['another']);
    assert.deepEqual(await names('status=RUNNING'), []);
    for (const query of ['status=QUEUED', 'sort=steps,asc', 'sort=name', 'size=0', 'page=-1'])
      (await viewer.get(`${tasks}?${query}`)).fails(400, undefined, query.split('=')[0] ?? '');
  });

  await t.test('changes: each field is optional; what is wrong changes nothing', async () => {
    const change = await editor.put(`${tasks}/${task.id}`, { name: ' Large ', targetDatasetName: 'Clean' });
    const changed = change.is(200, Enveloped(CleaningTask)).data;
    assert.deepEqual([changed.name, changed.targetDatasetName, changed.status], ['Large', 'Clean', 'PENDING']);
    (await editor.put(`${tasks}/${task.id}`, { name: 'x', steps: [] })).fails(400, undefined, 'steps');
    (await editor.put(`${tasks}/${task.id}`, { name: null })).fails(400, undefined, 'name');
    (await editor.put(`${tasks}/${task.id}`, { targetDatasetId: source.id })).fails(400, undefined, 'targetDatasetId');
    assert.equal((await viewer.get(`${tasks}/${task.id}`)).is(200, Enveloped(CleaningTask)).data.name, 'Large');
  });

  await t.test('while it runs nothing changes under it; stop, then resume', async () => {
    (await editor.post(`${tasks}/${task.id}/stop`)).fails(409);
    (await editor.post(`${tasks}/${task.id}/execute`, { resume: true })).fails(409, undefined, 'resume');
    (await editor.post(`${tasks}/${task.id}/execute`, { failedOf: task.id })).fails(409, undefined, 'failedOf');
    (await editor.post(`${tasks}/${task.id}/execute`, { failedOf: '' })).fails(400, undefined, 'failedOf');
    const { answers } = await stopped(editor, task.id, () =>
      Promise.all([
        editor.put(`${tasks}/${task.id}`, { name: 'Other' }),
        editor.post(`${tasks}/${task.id}/execute`, {}),
      ]),
    );
    // Each call either found the run, or came after the stop and found none.
    for (const { status } of answers) assert.ok([200, 409].includes(status), String(status));
    await editor.post(`${tasks}/${task.id}/stop`);
  });

  await t.test('a stopped run goes on where it was', async () => {
    const { run } = await stopped(editor, other.id, async () => []);
    const task = (await viewer.get(`${tasks}/${other.id}`)).is(200, Enveloped(CleaningTask)).data;
    assert.deepEqual([task.status, task.lastRunId], ['STOPPED', run.id]);
    const resumed = await execute(editor, other.id, { resume: true });
    assert.equal(resumed.resumedFrom, run.id);
    const done = await ended(editor, resumed);
    assert.deepEqual([done.status, done.counts.in, done.counts.kept], ['COMPLETED', rows, rows]);
    (await editor.post(`${tasks}/${other.id}/execute`, { resume: true })).fails(409);
    (await editor.delete(`${tasks}/${other.id}`)).isEmpty(204);
    (await viewer.get(`${tasks}/${other.id}`)).fails(404);
    (await viewer.get(`${tasks}/${other.id}/runs/${run.id}/ledger`)).fails(404);
    (await viewer.get(`${tasks}/${other.id}/runs/${run.id}/events`)).fails(404);
  });
});

test('steps over the whole set: what the ledger and other thresholds say of them', async () => {
  const { admin } = await shared.open();
  const source = await admin.newDataset();
  await admin.putFiles(source.id, {
    'a.csv': 'id,text\n1,the same   row\n2,short\n3,the same row\n4,a row of its own\n',
    'b.txt': 'the same row',
  });
  const chain = [...steps, { operatorId: 'exact-deduplicator' }];
  const task = await newTask(admin, { sourceDatasetId: source.id, steps: chain, input: { textField: 'text' } });
  const run = await ended(admin, await execute(admin, task.id));
  assert.deepEqual([run.status, run.counts.kept, run.counts.dropped], ['COMPLETED', 3, 2], run.error ?? '');
  const at = `${tasks}/${task.id}/runs/${run.id}`;
  const dropped = (await admin.get(`${at}/ledger?operatorId=exact-deduplicator`)).is(
    200,
    Enveloped(PageOf(LedgerEntry)),
  );
  const [first] = dropped.data.content;
  assert.deepEqual([dropped.data.totalElements, first?.filePath, first?.row], [2, 'a.csv', 3]);

  const way = (await admin.get(`${at}/ledger/${first?.sampleId}`)).is(200, Enveloped(LedgerSample)).data;
  assert.deepEqual(
    way.steps.map(({ operatorId, verdict, reason }) => [operatorId, verdict, reason]),
    [
      ['whitespace-normalizer', 'KEPT', null],
      ['text-length-filter', 'KEPT', null],
      ['exact-deduplicator', 'DROPPED', first?.reason ?? null],
    ],
    'its own way ends as it ended in the run',
  );

  const count = async (params: object) => {
    const given = chain.map(({ operatorId }, step) => ({ operatorId, params: step === 1 ? params : {} }));
    return (await admin.post(`${at}/rethreshold`, { steps: given })).is(200, Enveloped(Rethreshold)).data;
  };
  assert.deepEqual((await count({})).counts, { in: 5, kept: 3, changed: 1, dropped: 2, failed: 0, unknown: 0 });
  const tighter = await count({ min: 8 });
  assert.deepEqual(tighter.counts, { in: 5, kept: 0, changed: 0, dropped: 1, failed: 0, unknown: 4 });
  assert.equal(tighter.steps[2]?.unknown, 4, 'others would be compared now');
  const wrong = [...steps, { operatorId: 'exact-deduplicator', params: { caseSensitive: false } }];
  const changed = await admin.post(`${at}/rethreshold`, { steps: wrong });
  changed.fails(400, undefined, 'steps[2].params.caseSensitive');
});

test('lists of operators are JSON arrays; texts with commas are read as lists', async () => {
  const { admin, editor } = await shared.openWithUsers();
  const source = await admin.newDataset({ name: 'Lists' });
  const lists: readonly [given: Readonly<Record<string, unknown>>, stored: Readonly<Record<string, unknown>>][] = [
    [{ languages: ['en', 'zh'] }, { languages: ['en', 'zh'] }],
    [{ languages: ['en'] }, { languages: ['en'] }],
    [{ languages: 'en, zh' }, { languages: ['en', 'zh'] }],
    [{}, { languages: ['en', 'zh'] }],
  ];
  for (const [given, stored] of lists) {
    const task = await newTask(editor, {
      sourceDatasetId: source.id,
      name: JSON.stringify(given),
      steps: [{ operatorId: 'language-filter', params: given }],
    });
    const {
      steps: [step],
    } = task as unknown as { steps: { params: object }[] };
    assert.deepEqual({ ...step?.params }, { minConfidence: 0.01, keepUndetermined: true, ...stored });
    await editor.delete(`${tasks}/${task.id}`);
  }
  for (const languages of [[], ['english'], [1], 5]) {
    const refused = await editor.post(tasks, {
      sourceDatasetId: source.id,
      name: 'refused',
      steps: [{ operatorId: 'language-filter', params: { languages } }],
    });
    assert.equal(refused.status, 400, JSON.stringify(languages));
  }
});
