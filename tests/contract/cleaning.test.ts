import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Static } from 'typebox';
import type { Client } from './client.ts';
import { sharedService } from './service.ts';
import { CleaningTask } from './cleaning-shapes.ts';
import { Enveloped, PageOf, Run } from './shapes.ts';

const shared = sharedService(import.meta.url);

const tasks = '/data-cleaning/tasks';
const unknownId = '0198c0de-0000-7000-8000-000000000000';

async function newTask(client: Client, body: Readonly<Record<string, unknown>>): Promise<Static<typeof CleaningTask>> {
  return (await client.post(tasks, { name: 'clean', ...body })).is(201, Enveloped(CleaningTask)).data;
}

/** Executes a task and waits for the end of the run. */
async function execute(client: Client, taskId: string): Promise<Static<typeof Run>> {
  const { data } = (await client.post(`${tasks}/${taskId}/execute`, {})).is(200, Enveloped(Run));
  assert.equal(data.taskId, taskId);
  const deadline = Date.now() + 30_000;
  for (;;) {
    const run = (await client.get(`${tasks}/${taskId}/runs/${data.id}`)).is(200, Enveloped(Run)).data;
    if (!['QUEUED', 'RUNNING'].includes(run.status)) return run;
    assert.ok(Date.now() < deadline, 'the run doesn’t end');
    await setTimeout(20);
  }
}

const steps = [
  { operatorId: 'control-character-remover', params: {} },
  { operatorId: 'whitespace-normalizer', params: {} },
  { operatorId: 'text-length-filter', params: { min: 3, max: 50 } },
];

test('a cleaning run', async (t) => {
  const { admin, editor, viewer } = await shared.open();
  const source = await admin.newDataset({ name: 'Raw' });
  const rows = [
    '{"text":"  kept   after\\u0007 cleaning ","n":1}',
    '{"text":"x","n":2}',
    '{"n": 1.50, "text":"unchanged row"}',
    `{"text":"${'long '.repeat(30)}","n":4}`,
    '{this is no JSON',
  ];
  await admin.putFiles(source.id, {
    'docs/one.txt': 'One\u0007  line\n\nA second   paragraph\n',
    'docs/short.txt': 'x',
    'fine.txt': 'already fine',
    'rows.jsonl': `${rows.join('\n')}\n`,
    'picture.bin': Buffer.from([0, 255, 254, 1]),
  });
  const task = await newTask(editor, { sourceDatasetId: source.id, steps });

  await t.test('the task before its first run', async () => {
    assert.deepEqual(
      [task.status, task.sourceDatasetName, task.sourceDatasetId, task.lastRunId, task.createdBy, task.startedAt],
      ['PENDING', 'Raw', source.id, null, 'erin', null],
    );
    assert.deepEqual((await viewer.get(`${tasks}/${task.id}`)).is(200, Enveloped(CleaningTask)).data, task);
    const list = (await viewer.get(tasks)).is(200, Enveloped(PageOf(CleaningTask))).data;
    assert.deepEqual(
      list.content.map(({ id }) => id),
      [task.id],
    );
    assert.equal((await viewer.get(`${tasks}/${task.id}/runs`)).is(200, Enveloped(PageOf(Run))).data.totalElements, 0);
  });

  const run = await execute(editor, task.id);
  const done = (await admin.get(`${tasks}/${task.id}`)).is(200, Enveloped(CleaningTask)).data;
  const targetId = done.targetDatasetId ?? '';

  await t.test('counts reconcile: nothing vanishes', () => {
    const { counts } = run;
    assert.equal(run.status, 'COMPLETED');
    assert.equal(run.progress, 100);
    assert.equal(counts.in, 9, '3 texts, 5 lines, 1 file that can’t be read');
    assert.equal(counts.in, counts.kept + counts.dropped + counts.failed);
    assert.ok(counts.changed <= counts.kept);
    assert.deepEqual([counts.kept, counts.dropped, counts.failed], [4, 3, 2]);
    assert.equal(counts.changed, 2);
    // By default, failed samples keep an unreadable file unchanged in the result, but never an unreadable line.
    assert.ok([4, 5].includes(counts.emitted), `emitted ${counts.emitted}`);
    assert.ok(run.startedAt !== null && run.finishedAt !== null && run.startedAt <= run.finishedAt);
    assert.equal(run.error, null);
  });

  await t.test('the task tells of its latest run', () => {
    assert.deepEqual([done.status, done.lastRunId, done.counts], ['COMPLETED', run.id, run.counts]);
    assert.equal(done.targetDatasetName, 'Raw (cleaned)');
  });

  await t.test('the target is a new dataset of the same type with the source’s paths', async () => {
    const target = await admin.dataset(targetId);
    assert.deepEqual([target.name, target.type.code], ['Raw (cleaned)', 'TEXT']);
    const files = await admin.files(targetId);
    const text = async (path: string) => (await admin.download(targetId, files.get(path)?.id ?? '')).bytes.toString();
    assert.deepEqual(
      [...files.keys()].filter((path) => /^docs\/one|fine|rows/.test(path)),
      ['docs/one.txt', 'fine.txt', 'rows.jsonl'],
    );
    assert.ok(!files.has('docs/short.txt'), 'a dropped document is not written');
    assert.equal(files.has('picture.bin'), run.counts.emitted === 5);
    assert.match(await text('docs/one.txt'), /^One line\n\nA second paragraph\n?$/);
    assert.equal(await text('fine.txt'), 'already fine');
    const lines = (await text('rows.jsonl')).split('\n');
    assert.equal(lines[1], rows[2], 'untouched columns stay to the byte');
    assert.deepEqual(JSON.parse(lines[0] ?? ''), { text: 'kept after cleaning', n: 1 });
    assert.deepEqual(lines.slice(2), [''], 'dropped rows and lines that can’t be read are not written');
  });

  await t.test('the source is untouched', async () => {
    assert.equal((await admin.dataset(source.id)).version, 2);
    assert.equal((await admin.files(source.id)).size, 5);
  });

  await t.test('runs are listed newest first', async () => {
    const second = await execute(editor, task.id);
    const page = (await viewer.get(`${tasks}/${task.id}/runs`)).is(200, Enveloped(PageOf(Run))).data;
    assert.deepEqual(
      page.content.map(({ id }) => id),
      [second.id, run.id],
    );
    assert.deepEqual(second.counts, run.counts);
    (await admin.get(`${tasks}/${task.id}/runs/${unknownId}`)).fails(404);
    (await admin.get(`${tasks}/${task.id}/runs/a.b`)).fails(400);
  });
});

test('creating cleaning tasks', async (t) => {
  const { admin } = await shared.open();
  const source = await admin.newDataset();
  await admin.putFiles(source.id, { 'a.txt': 'a   b', 'sub/b.txt': 'c   d', 'c.md': 'e  f' });
  const good = { name: 'task', sourceDatasetId: source.id, steps };

  await t.test('wrong bodies', async () => {
    const wrong: [change: Record<string, unknown>, ...mentions: string[]][] = [
      [{ name: '' }, 'name'],
      [{ name: 5 }, 'name'],
      [{ sourceDatasetId: 'a.b' }, 'sourceDatasetId'],
      [{ sourceDatasetId: undefined }, 'sourceDatasetId'],
      [{ steps: [] }, 'steps'],
      [{ steps: undefined }, 'steps'],
      [{ steps: 'all' }, 'steps'],
      [{ steps: [{}] }, 'operatorId'],
      [{ steps: [{ operatorId: 'no-such-operator' }] }, 'no-such-operator'],
      [{ steps: [{ operatorId: 'toString' }] }, 'toString'],
      [{ steps: [{ operatorId: 'text-length-filter', params: { min: 'x' } }] }, 'min'],
      [{ steps: [steps[0], { operatorId: 'text-length-filter', params: { min: -1 } }] }, 'min', '1'],
      [{ onError: 'EXPLODE' }, 'onError'],
      [{ input: { prefix: '../x' } }, 'prefix'],
    ];
    for (const [change, ...mentions] of wrong) {
      (await admin.post(tasks, { ...good, ...change })).fails(400, undefined, ...mentions);
    }
    (await admin.post(tasks, { ...good, sourceDatasetId: unknownId })).fails(404);
  });

  await t.test('a named target, an existing target, a part of the source', async () => {
    const named = await newTask(admin, { ...good, targetDatasetName: 'Fresh', input: { prefix: 'sub' } });
    const run = await execute(admin, named.id);
    assert.equal(run.counts.in, 1);
    const after = (await admin.get(`${tasks}/${named.id}`)).is(200, Enveloped(CleaningTask)).data;
    assert.equal(after.targetDatasetName, 'Fresh');
    assert.deepEqual([...(await admin.files(after.targetDatasetId ?? '')).keys()], ['sub/b.txt']);

    const target = await admin.newDataset({ name: 'Existing' });
    const into = await newTask(admin, { ...good, targetDatasetId: target.id, input: { fileTypes: ['md'] } });
    assert.equal((await execute(admin, into.id)).status, 'COMPLETED');
    assert.deepEqual([...(await admin.files(target.id)).keys()], ['c.md']);
  });

  await t.test('sourceVersion reads that version', async () => {
    const { version } = await admin.dataset(source.id);
    await admin.putFiles(source.id, { 'later.txt': 'later text' });
    const task = await newTask(admin, { ...good, sourceVersion: version });
    assert.equal((await execute(admin, task.id)).counts.in, 3);
  });

  await t.test('an empty source', async () => {
    const empty = await admin.newDataset();
    const run = await execute(admin, (await newTask(admin, { ...good, sourceDatasetId: empty.id })).id);
    assert.deepEqual([run.status, run.counts.in, run.counts.emitted], ['COMPLETED', 0, 0]);
  });

  await t.test('while it runs: execute and deleting its datasets are refused', async () => {
    const big = await admin.newDataset();
    const line = JSON.stringify({ text: 'many   words '.repeat(20) });
    await admin.putFiles(big.id, { 'big.jsonl': `${line}\n`.repeat(20_000) });
    const task = await newTask(admin, { name: 'big', sourceDatasetId: big.id, steps });
    const started = await admin.post(`${tasks}/${task.id}/execute`, {});
    const { id } = started.is(200, Enveloped(Run)).data;
    const [again, removal] = await Promise.all([
      admin.post(`${tasks}/${task.id}/execute`, {}),
      admin.delete(`/data-management/datasets/${big.id}`),
    ]);
    again.fails(409);
    removal.fails(409, 'DATASET_BUSY');
    const deadline = Date.now() + 30_000;
    for (;;) {
      const run = (await admin.get(`${tasks}/${task.id}/runs/${id}`)).is(200, Enveloped(Run)).data;
      if (run.status === 'COMPLETED') break;
      assert.ok(['QUEUED', 'RUNNING'].includes(run.status) && Date.now() < deadline, run.status);
      await setTimeout(50);
    }
    (await admin.delete(`/data-management/datasets/${big.id}`)).isEmpty(204);
  });
});
