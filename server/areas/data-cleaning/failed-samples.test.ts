// The failed samples of a run are cleaned again, alone.
import assert from 'node:assert/strict';
import { fails } from '../../../tests/support/app-errors.ts';
import { by, open, steps } from '../../../tests/support/cleaning.ts';
import { forAnyDatabase } from '../../../tests/support/databases.ts';

/** Every tenth row has its text in another column. */
const mixedRows = (of: (row: number) => string, only: (row: number) => boolean = () => true): string =>
  Array.from({ length: 100 }, (_, row) => row)
    .filter(only)
    .map((row) => `{"n":${row},"${row % 10 === 0 ? 'body' : 'text'}":"${of(row)}"}\n`)
    .join('');

forAnyDatabase(
  'failed samples alone are processed again: added to the target, nothing else changes',
  async (t, openDb) => {
    const bench = await open(t, await openDb());
    const files = {
      'in/a.jsonl': mixedRows((row) => `row  ${row}`),
      'in/b.txt': 'some  text',
      'in/c.csv': 'n,text\n1,some  words\n2,too,many\n',
    };
    const source = await bench.dataset('Raw', files);
    const task = await bench.tasks.create(
      { name: 'Task', sourceDatasetId: source, steps, input: { prefix: 'in', textField: 'text' } },
      by,
    );
    const refused = (failedOf: string, cause: string): Promise<void> =>
      assert.rejects(bench.runs.execute(task.id, { failedOf }, by), fails('FAILED_OF_REFUSED', cause));
    await refused('other', 'it is not a run of this task');
    const first = await bench.ended(await bench.runs.execute(task.id, {}, by));
    assert.deepEqual([first.error, first.counts.in, first.counts.failed], [null, 103, 11]);
    const { targetDatasetId: target } = await bench.tasks.get(task.id);
    const clean = {
      'in/a.jsonl': mixedRows(
        (row) => `row ${row}`,
        (row) => row % 10 !== 0,
      ),
      'in/b.txt': 'some text',
      'in/c.csv': 'n,text\n1,some words\n',
    };
    assert.deepEqual(await bench.contents(target), clean);

    // The source gets new files and the task changes: the run still reads the failed samples, with the new settings.
    await bench.put(source, { 'in/a.jsonl': '{"body":"later"}\n', 'in/d.txt': 'later' });
    const input = { prefix: 'elsewhere', textFields: [{ files: 'a.jsonl', field: 'body' }], textField: 'text' };
    await bench.tasks.update(task.id, { input }, by);
    await assert.rejects(
      bench.runs.execute(task.id, { failedOf: first.id, resume: true }, by),
      fails('INVALID_PARAMETER', 'failedOf'),
    );
    const again = await bench.ended(await bench.runs.execute(task.id, { failedOf: first.id }, by));
    assert.deepEqual([again.error, again.failedOf], [null, first.id]);
    assert.deepEqual(again.counts, { in: 11, kept: 10, changed: 10, dropped: 0, failed: 1, emitted: 10 });
    const rescued = mixedRows(
      (row) => `row ${row}`,
      (row) => row % 10 === 0,
    );
    // The row of `c.csv` fails again and leaves no file.
    const added = { 'reprocessed/run-1/in/a.jsonl': rescued };
    assert.deepEqual(await bench.contents(target), { ...clean, ...added });

    // Its samples are in the target now, so the next run over failed samples must refer to the latest run.
    await refused(first.id, 'run 2 completed later');
    const third = await bench.ended(await bench.runs.execute(task.id, { failedOf: again.id }, by));
    assert.deepEqual([third.counts.in, third.counts.failed], [1, 1]);
    assert.deepEqual(await bench.contents(target), { ...clean, ...added });

    // A full run processes these samples itself.
    await bench.tasks.update(task.id, { input: { prefix: 'in', textField: 'body' } }, by);
    const full = await bench.ended(await bench.runs.execute(task.id, {}, by));
    assert.equal(full.failedOf, null);
    assert.deepEqual(await bench.contents(target), {
      'in/a.jsonl': '{"body":"later"}\n',
      'in/b.txt': 'some text',
      'in/c.csv': 'n,text\n',
      'in/d.txt': 'later',
    });
    await bench.tasks.update(task.id, { targetDatasetName: 'Elsewhere' }, by);
    await refused(full.id, 'its target was deleted or is no longer the target of the task');
  },
);

forAnyDatabase('failed samples alone, into a target of others', async (t, openDb) => {
  const bench = await open(t, await openDb());
  const source = await bench.dataset('Raw', { 'a.jsonl': '{"text":"one  two"}\n{"body":"three  four"}\n' });
  const target = await bench.dataset('Mine', { 'own.txt': 'mine', 'reprocessed/run-1/a.jsonl': 'of others' });
  const given = { name: 'Task', sourceDatasetId: source, targetDatasetId: target, steps };
  const task = await bench.tasks.create(given, by);
  const own = { 'own.txt': 'mine', 'reprocessed/run-1/a.jsonl': 'of others' };
  const first = await bench.ended(await bench.runs.execute(task.id, {}, by));
  const body = { input: { textField: 'body' } };
  await bench.tasks.update(task.id, body, by);
  const again = await bench.ended(await bench.runs.execute(task.id, { failedOf: first.id }, by));
  assert.equal(again.error, null);
  assert.deepEqual(await bench.contents(target), {
    ...own,
    'a.jsonl': '{"text":"one two"}\n',
    [`reprocessed-${task.id.slice(-8)}/run-1/a.jsonl`]: '{"body":"three four"}\n',
  });
  const full = await bench.ended(await bench.runs.execute(task.id, {}, by));
  assert.deepEqual(await bench.contents(target), { ...own, 'a.jsonl': '{"body":"three four"}\n' });

  // With KEEP the failed sample is in the target.
  await bench.tasks.update(task.id, { onError: 'KEEP', input: { textField: 'body' } }, by);
  assert.equal(full.counts.failed, 1);
  const kept = await bench.ended(await bench.runs.execute(task.id, {}, by));
  await assert.rejects(
    bench.runs.execute(task.id, { failedOf: kept.id }, by),
    fails('FAILED_OF_REFUSED', 'the target already contains its failed samples'),
  );
  const other = await bench.dataset('Other', { 'a.jsonl': '{"body":"fine"}\n' });
  await bench.tasks.update(task.id, { sourceDatasetId: other }, by);
  await assert.rejects(
    bench.runs.execute(task.id, { failedOf: kept.id }, by),
    fails('FAILED_OF_REFUSED', 'the task now reads another dataset'),
  );
  const fine = await bench.ended(await bench.runs.execute(task.id, {}, by));
  await assert.rejects(
    bench.runs.execute(task.id, { failedOf: fine.id }, by),
    fails('FAILED_OF_REFUSED', 'none of its samples failed'),
  );
});
