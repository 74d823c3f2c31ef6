import assert from 'node:assert/strict';
import { forEachDatabase } from '../../tests/support/databases.ts';
import { queuedRun } from '../../tests/support/queued-run.ts';
import { RunFailure } from '../kernel/run-failure.ts';
import { foreign, runSentences, type Reason } from '../kernel/sentences/index.ts';
import { insertLog, listLogs } from './queries/logs.ts';
import { insertRuns } from './queries/runs.ts';
import { failureReason } from './run-errors.ts';
import { toLogLine } from './run-log.ts';
import { toRun } from './run.ts';
import { endRun } from './queries/run-progress.ts';

const params = { files: 'Q1: sales.csv.gz', why: 'its memory ran out' };
const failure = runSentences.WORKERS_LOST.reason(params);
const sentence = { code: 'WORKERS_LOST', params };

forEachDatabase('a run keeps code and values of its error beside the text', async (t, openDb) => {
  const db = await openDb();
  t.after(() => db.close());
  const ended = async (id: string, error: Reason): Promise<unknown[]> => {
    const row = { ...queuedRun, id, task_id: id, number: 1 };
    await db.write((tx) => insertRuns(tx, [row]));
    const end = { id, status: 'FAILED' as const, finishedAt: '2026-01-31T09:00:00.000Z', error };
    const stored = await db.write((tx) => endRun(tx, end));
    assert.ok(stored !== undefined);
    const run = toRun(stored);
    return [run.error, run.errorCode, run.errorParams];
  };
  const failed = await ended('failed', failureReason(new RunFailure(failure)));
  assert.deepEqual(failed, [failure.text, sentence.code, sentence.params]);
  const reworded = await ended('reworded', { ...failure, text: 'too many workers were lost' });
  assert.deepEqual(reworded, ['too many workers were lost', sentence.code, sentence.params]);
  assert.deepEqual(await ended('foreign', foreign(failure.text)), [failure.text, null, null]);

  const done = runSentences.PLANNED({ shards: 2, bytes: 10 });
  const row = { ...queuedRun, id: 'earlier', task_id: 'earlier', status: 'FAILED' as const, error: done };
  await db.write((tx) => insertRuns(tx, [row]));
  const earlier = await db.read.selectFrom('runs').selectAll().where('id', '=', 'earlier').executeTakeFirstOrThrow();
  assert.deepEqual(toRun(earlier).errorParams, { shards: 2, bytes: 10 });
});

forEachDatabase('a line of the log keeps code and values beside its text', async (t, openDb) => {
  const db = await openDb();
  t.after(() => db.close());
  await db.write((tx) => insertRuns(tx, [queuedRun]));
  const line = { run_id: queuedRun.id, time: '2026-01-31T09:00:00.000Z', level: 'WARN' as const };
  const planned = runSentences.PLANNED.reason({ shards: 2, bytes: 10 });
  await db.write(async (tx) => {
    await insertLog(tx, { ...line, message: failure });
    await insertLog(tx, { ...line, message: { ...failure, text: 'reworded' } });
    await insertLog(tx, { ...line, message: foreign(planned.text) });
    await insertLog(tx, { ...line, message: planned });
    await tx
      .insertInto('run_logs')
      .values({ ...line, seq: 5, message: planned.text, message_sentence: null })
      .execute();
  });
  const { rows } = await listLogs(db.read, queuedRun.id, { page: 0, size: 10 });
  const figures = { shards: 2, bytes: 10 };
  assert.deepEqual(
    rows.map(toLogLine).map(({ message, messageCode, messageParams }) => [message, messageCode, messageParams]),
    [
      [failure.text, sentence.code, sentence.params],
      ['reworded', sentence.code, sentence.params],
      [planned.text, null, null],
      [planned.text, 'PLANNED', figures],
      [planned.text, 'PLANNED', figures],
    ],
  );
});
