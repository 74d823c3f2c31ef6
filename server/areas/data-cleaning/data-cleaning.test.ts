import assert from 'node:assert/strict';
import { fails } from '../../../tests/support/app-errors.ts';
import { by, open, steps } from '../../../tests/support/cleaning.ts';
import { forAnyDatabase } from '../../../tests/support/databases.ts';

forAnyDatabase('a task cleans a dataset into a new one of its own, as one version', async (t, openDb) => {
  const bench = await open(t, await openDb());
  const source = await bench.dataset('Raw', {
    'a.txt': 'a  b',
    'b.txt': 'x',
    'c/r.jsonl': '{"text":"c  d"}\n{"text":""}\n',
  });
  const task = await bench.tasks.create({ name: ' Clean ', sourceDatasetId: source, steps }, by);
  assert.equal(task.name, 'Clean');
  assert.equal(task.status, 'PENDING');
  assert.equal(task.targetDatasetName, 'Raw (cleaned)');
  assert.equal(task.targetDatasetId, null);
  assert.deepEqual(task.steps, [
    { operatorId: 'whitespace-normalizer', version: '2.0.0', params: { maxBlankLines: 1, keepIndentation: true } },
    { operatorId: 'text-length-filter', version: '1.1.0', params: { min: 2, max: 1_000_000_000, unit: 'CHARACTERS' } },
  ]);
  const run = await bench.ended(await bench.runs.execute(task.id, {}, by));
  assert.equal(run.status, 'COMPLETED', run.error ?? '');
  assert.deepEqual(run.counts, { in: 4, kept: 2, changed: 2, dropped: 2, failed: 0, emitted: 2 });
  const done = await bench.tasks.get(task.id);
  assert.deepEqual([done.status, done.progress, done.lastRunId, done.counts], ['COMPLETED', 100, run.id, run.counts]);
  assert.deepEqual(await bench.contents(done.targetDatasetId), { 'a.txt': 'a b', 'c/r.jsonl': '{"text":"c d"}\n' });
  const target = await bench.data.datasets.get(done.targetDatasetId ?? '');
  assert.deepEqual([target.name, target.type.code, target.version], ['Raw (cleaned)', 'TEXT', 2]);
});

forAnyDatabase('another run replaces what the one before it wrote, and reads what is new', async (t, openDb) => {
  const bench = await open(t, await openDb());
  const source = await bench.dataset('Raw', { 'a.txt': 'aa', 'b.txt': 'bb' });
  const task = await bench.tasks.create({ name: 'Clean', sourceDatasetId: source, steps }, by);
  await bench.ended(await bench.runs.execute(task.id, {}, by));
  // Saving a task with the target it shows keeps the task the owner of the target.
  const shown = await bench.tasks.get(task.id);
  await bench.tasks.update(task.id, { targetDatasetId: shown.targetDatasetId ?? '' }, by);
  await bench.put(source, { 'b.txt': 'x', 'c.txt': 'cc' });
  const run = await bench.ended(await bench.runs.execute(task.id, {}, by));
  assert.equal(run.status, 'COMPLETED', run.error ?? '');
  const { targetDatasetId } = await bench.tasks.get(task.id);
  assert.deepEqual(await bench.contents(targetDatasetId), { 'a.txt': 'aa', 'c.txt': 'cc' });
  const made = await bench.db.read
    .selectFrom('versions')
    .selectAll()
    .where('dataset_id', '=', targetDatasetId)
    .orderBy('version')
    .execute();
  assert.deepEqual(
    made.map((row) => [row.message, row.file_count, row.files_added, row.files_ended]),
    [
      [null, 0, 0, 0],
      ['Cleaned by Clean', 2, 2, 0],
      ['Cleaned by Clean', 2, 2, 2],
    ],
    'each run makes one version',
  );
  const { totalElements, content } = await bench.runs.list(task.id, { page: 0, size: 10 });
  assert.equal(totalElements, 2);
  assert.equal(content[0]?.id, run.id, 'the newest run comes first');
  const oldestFirst = await bench.runs.list(task.id, { page: 0, size: 1, sort: 'createdAt,asc' });
  assert.equal(oldestFirst.content[0]?.id, content[1]?.id);

  await bench.data.datasets.remove(targetDatasetId ?? '', by);
  const again = await bench.ended(await bench.runs.execute(task.id, {}, by));
  assert.equal(again.status, 'COMPLETED', again.error ?? '');
  const anew = await bench.tasks.get(task.id);
  assert.notEqual(anew.targetDatasetId, targetDatasetId);
  assert.deepEqual(await bench.contents(anew.targetDatasetId), { 'a.txt': 'aa', 'c.txt': 'cc' });
});

forAnyDatabase('a named target keeps what else it holds', async (t, openDb) => {
  const bench = await open(t, await openDb());
  const source = await bench.dataset('Raw', { 'a.txt': 'a  a', 'sub/b.md': 'b  b', 'sub/c.txt': 'c  c' });
  const target = await bench.dataset('Mine', { 'a.txt': 'old', 'keep.txt': 'kept' });
  const task = await bench.tasks.create({ name: 'Into', sourceDatasetId: source, targetDatasetId: target, steps }, by);
  assert.equal(task.targetDatasetName, 'Mine');
  await bench.ended(await bench.runs.execute(task.id, {}, by));
  const expected = { 'a.txt': 'a a', 'keep.txt': 'kept', 'sub/b.md': 'b b', 'sub/c.txt': 'c c' };
  assert.deepEqual(await bench.contents(target), expected);

  const part = { name: 'Part', sourceDatasetId: source, steps, input: { prefix: 'sub/', fileTypes: ['.MD'] } };
  const partTask = await bench.tasks.create(part, by);
  assert.deepEqual(partTask.input, {
    prefix: 'sub',
    fileTypes: ['md'],
    exclude: [],
    textField: null,
    textFields: [],
    where: [],
    encoding: null,
  });
  await bench.ended(await bench.runs.execute(partTask.id, {}, by));
  const { targetDatasetId } = await bench.tasks.get(partTask.id);
  assert.deepEqual(await bench.contents(targetDatasetId), { 'sub/b.md': 'b b' });
});

forAnyDatabase('a source version is read as it was', async (t, openDb) => {
  const bench = await open(t, await openDb());
  const source = await bench.dataset('Raw', { 'a.txt': 'old  a', 'b.txt': 'b  b' });
  await bench.put(source, { 'a.txt': 'new  a', 'c.txt': 'c  c' });
  const task = await bench.tasks.create({ name: 'Old', sourceDatasetId: source, sourceVersion: 2, steps }, by);
  await bench.ended(await bench.runs.execute(task.id, {}, by));
  const { targetDatasetId } = await bench.tasks.get(task.id);
  assert.deepEqual(await bench.contents(targetDatasetId), { 'a.txt': 'old a', 'b.txt': 'b b' });
});

forAnyDatabase('a task as the first release stored it is shown, changed and run', async (t, openDb) => {
  const db = await openDb();
  const bench = await open(t, db);
  const source = await bench.dataset('Raw', { 'a.txt': 'a  b' });
  const { id } = await bench.tasks.create({ name: 'Old', sourceDatasetId: source, steps }, by);
  const { definition } = await bench.tasks.find(id);
  const { output: _output, ...others } = definition;
  const first = { ...others, input: { prefix: '', fileTypes: [], textField: null } };
  await db.write((tx) =>
    tx
      .updateTable('tasks')
      .set({ definition: JSON.stringify(first) })
      .execute(),
  );

  const shown = await bench.tasks.get(id);
  assert.deepEqual([shown.input, shown.output], [definition.input, definition.output]);
  const [listed] = (await bench.tasks.list({ page: 0, size: 10 })).content;
  assert.deepEqual(listed?.input, definition.input);
  assert.equal((await bench.ended(await bench.runs.execute(id, {}, by))).status, 'COMPLETED');
  const changed = await bench.tasks.update(id, { name: 'New' }, by);
  assert.deepEqual([changed.input, changed.output], [definition.input, definition.output]);
});

forAnyDatabase('a task writes its result in a format of choice', async (t, openDb) => {
  const bench = await open(t, await openDb());
  const source = await bench.dataset('Raw', { 'a.txt': 'a  b', 'c/r.jsonl': '{"text":"c  d"}\n{"text":""}\n' });
  const other = await bench.dataset('Other', {});
  const given = { name: 'Clean', sourceDatasetId: source, steps };
  const plain = await bench.tasks.create({ ...given, name: 'Plain' }, by);
  assert.deepEqual(plain.output, { format: 'SOURCE', shardBytes: null, folderBy: null });
  const output = { format: 'JSONL' as const };
  const task = await bench.tasks.create({ ...given, output }, by);
  assert.deepEqual(task.output, { format: 'JSONL', shardBytes: 256 << 20, folderBy: null });
  for (const expected of [{ 'a.txt': 'a b' }, { 'a.txt': 'e f' }]) {
    const run = await bench.ended(await bench.runs.execute(task.id, {}, by));
    assert.equal(run.status, 'COMPLETED', run.error ?? '');
    const { targetDatasetId } = await bench.tasks.get(task.id);
    assert.deepEqual(await bench.contents(targetDatasetId), {
      'data/train-00000-of-00001.jsonl': `{"text":"${expected['a.txt']}","path":"a.txt"}\n{"text":"c d"}\n`,
    });
    await bench.put(source, { 'a.txt': 'e  f' });
  }
  const renamed = await bench.tasks.update(task.id, { name: 'Renamed' }, by);
  assert.deepEqual(renamed.output, task.output);
  for (const [change, mentions] of [
    [{ output: { format: 'SOURCE' as const, shardBytes: 1 << 20 } }, 'output.shardBytes'],
    [{ output: { format: 'SOURCE' as const, folderBy: 'split' } }, 'output.folderBy'],
    [{ output, targetDatasetId: other }, 'output.format requires a dataset created by the task'],
  ] as const) {
    await assert.rejects(bench.tasks.create({ ...given, name: 'Bad', ...change }, by), (error: Error) =>
      error.message.includes(mentions),
    );
  }
});

forAnyDatabase('lists: filters, keyword, sort, pages', async (t, openDb) => {
  const bench = await open(t, await openDb());
  const source = await bench.dataset('Raw', { 'a.txt': 'aa' });
  const make = (name: string, description = '') =>
    bench.tasks.create({ name, description, sourceDatasetId: source, steps }, by);
  const one = await make('beta', 'first');
  await make('Alpha', '100%');
  await make('gamma');
  await bench.ended(await bench.runs.execute(one.id, {}, by));
  const names = async (query: object): Promise<string[]> =>
    (await bench.tasks.list({ page: 0, size: 10, ...query })).content.map(({ name }) => name);
  assert.deepEqual(await names({}), ['gamma', 'Alpha', 'beta']);
  assert.deepEqual(await names({ sort: 'name,asc' }), ['Alpha', 'beta', 'gamma']);
  assert.deepEqual(await names({ status: 'PENDING' }), ['gamma', 'Alpha']);
  assert.deepEqual(await names({ status: 'COMPLETED' }), ['beta']);
  assert.deepEqual(await names({ status: 'RUNNING' }), []);
  assert.deepEqual(await names({ keyword: 'FIRST' }), ['beta']);
  assert.deepEqual(await names({ keyword: '%' }), ['Alpha']);
  const page = await bench.tasks.list({ page: 1, size: 2, sort: 'name,desc' });
  assert.deepEqual([page.content.map(({ name }) => name), page.totalPages, page.last], [['Alpha'], 2, true]);
});

forAnyDatabase('a running task: one run, nothing changes under it, its datasets stay', async (t, openDb) => {
  const bench = await open(t, await openDb());
  const source = await bench.dataset('Raw', { 'r.jsonl': '{"text":"some  words"}\n'.repeat(5_000) });
  const task = await bench.tasks.create({ name: 'Task', sourceDatasetId: source, steps }, by);
  const attempts = await Promise.allSettled([1, 2, 3].map(() => bench.runs.execute(task.id, {}, by)));
  const runs = attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []));
  assert.equal(runs.length, 1);
  for (const attempt of attempts) if (attempt.status === 'rejected') fails('TASK_RUNNING')(attempt.reason);
  assert.equal((await bench.tasks.get(task.id)).status, 'RUNNING');
  await assert.rejects(bench.tasks.update(task.id, { name: 'Other' }, by), fails('TASK_RUNNING'));
  await assert.rejects(bench.tasks.remove(task.id), fails('TASK_RUNNING'));
  await assert.rejects(bench.data.datasets.remove(source, by), fails('DATASET_BUSY'));

  const stopped = await bench.runs.stop(task.id);
  assert.equal(stopped.status, 'STOPPED');
  assert.equal((await bench.tasks.get(task.id)).status, 'STOPPED');
  await assert.rejects(bench.runs.stop(task.id), fails('TASK_NOT_RUNNING'));
  assert.equal((await bench.tasks.get(task.id)).targetDatasetId, null, 'nothing was written');

  const resumed = await bench.ended(await bench.runs.execute(task.id, { resume: true }, by));
  assert.equal(resumed.status, 'COMPLETED', resumed.error ?? '');
  assert.deepEqual([resumed.resumedFrom, resumed.counts.in], [stopped.id, 5_000]);
  const { targetDatasetId } = await bench.tasks.get(task.id);
  assert.deepEqual(await bench.contents(targetDatasetId), { 'r.jsonl': '{"text":"some words"}\n'.repeat(5_000) });
  await assert.rejects(bench.runs.execute(task.id, { resume: true }, by), fails('NOTHING_TO_RESUME'));

  await bench.tasks.remove(task.id);
  await assert.rejects(bench.tasks.get(task.id), fails('TASK_NOT_FOUND'));
  assert.ok(targetDatasetId !== null);
  assert.equal((await bench.data.datasets.get(targetDatasetId)).fileCount, 1, 'datasets stay');
  await bench.data.datasets.remove(source, by);
});

forAnyDatabase('a target that is archived meanwhile fails the run with the reason', async (t, openDb) => {
  const bench = await open(t, await openDb());
  const source = await bench.dataset('Raw', { 'r.jsonl': '{"text":"some  words"}\n'.repeat(5_000) });
  const target = await bench.dataset('Mine', {});
  const task = await bench.tasks.create({ name: 'Task', sourceDatasetId: source, targetDatasetId: target, steps }, by);
  const run = await bench.runs.execute(task.id, {}, by);
  await bench.data.datasets.update(target, { status: 'ARCHIVED' }, by);
  const finished = await bench.ended(run);
  assert.equal(finished.status, 'FAILED');
  assert.match(finished.error ?? '', /is archived/);
  await assert.rejects(bench.runs.execute(task.id, {}, by), fails('TARGET_ARCHIVED'));
  const logs = await bench.runs.logs(task.id, run.id, { page: 0, size: 100 });
  assert.equal(logs.content.at(-1)?.message, finished.error);

  await bench.data.datasets.update(target, { status: 'ACTIVE' }, by);
  const resumed = await bench.ended(await bench.runs.execute(task.id, { resume: true }, by));
  assert.equal(resumed.status, 'COMPLETED', resumed.error ?? '');
  assert.equal((await bench.data.datasets.get(target)).fileCount, 1);
});

forAnyDatabase('a changed task is not resumed', async (t, openDb) => {
  const bench = await open(t, await openDb());
  const source = await bench.dataset('Raw', { 'r.jsonl': '{"text":"some  words"}\n'.repeat(5_000) });
  const task = await bench.tasks.create({ name: 'Task', sourceDatasetId: source, steps }, by);
  await bench.runs.execute(task.id, {}, by);
  await bench.runs.stop(task.id);
  const changed = await bench.tasks.update(task.id, { steps: steps.slice(0, 1), targetDatasetName: 'Elsewhere' }, by);
  assert.deepEqual([changed.steps.length, changed.targetDatasetName, changed.name], [1, 'Elsewhere', 'Task']);
  await assert.rejects(bench.runs.execute(task.id, { resume: true }, by), fails('TASK_CHANGED'));
  const run = await bench.ended(await bench.runs.execute(task.id, {}, by));
  assert.equal(run.counts.in, 5_000);
});

forAnyDatabase('a task that ends while it is read names what it has made', async (t, openDb) => {
  const bench = await open(t, await openDb());
  const source = await bench.dataset('Raw', { 'a.txt': 'a  b' });
  const task = await bench.tasks.create({ name: 'Clean', sourceDatasetId: source, steps }, by);
  const runs = bench.allRuns;
  const { findRuns } = runs;
  const run = await bench.runs.execute(task.id, {}, by);
  runs.findRuns = async (...asked) => {
    runs.findRuns = findRuns;
    await bench.ended(run);
    return findRuns(...asked);
  };
  const seen = await bench.tasks.get(task.id);
  assert.equal(seen.status, 'COMPLETED');
  assert.notEqual(seen.targetDatasetId, null);
});
