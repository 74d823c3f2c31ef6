import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { systemClock } from '../kernel/clock.ts';
import { storedSentence } from '../kernel/sentences/index.ts';
import { openDatabase } from '../storage/database/database.ts';
import { createPostgresDatabase, postgres } from '../../tests/support/postgres.ts';
import { testWith } from '../../tests/support/tools.ts';
import { createRuns, type Runs } from './index.ts';
import { strandedMessage } from './stranded-runs.ts';

testWith([postgres], 'a run whose data folder no service uses says so once, and can be stopped', async (t) => {
  const { url, drop } = await createPostgresDatabase();
  const db = await openDatabase({ url });
  const told: { runId?: string }[] = [];
  const leaseMs = 30;
  const open = (place: string): Runs => {
    const logger = { error: (details: object) => void told.push(details), info: () => {} };
    const runs = createRuns({ db, clock: systemClock, logger, place, leaseMs });
    runs.register({ kind: 'bound', needsOwnPlace: true, drive: async () => {} });
    return runs;
  };
  const gone = open('gone');
  const here = open('here');
  t.after(async () => {
    await here.stop();
    await db.close();
    await drop();
  });
  const run = await db.write((tx) =>
    gone.enqueue(tx, { area: 'bound', taskId: 'task', by: 'anna', details: {}, datasets: [] }),
  );
  const lines = async (): Promise<string[]> =>
    (await here.listLogs(run.id, { page: 0, size: 10 })).lines.map(({ level, message }) => `${level} ${message}`);

  await setTimeout(11 * leaseMs);
  await here.start();
  for (let tries = 0; (await lines()).length === 0 && tries < 200; tries++) await setTimeout(25);
  assert.deepEqual(await lines(), [`WARN ${strandedMessage.text}`]);
  assert.deepEqual(
    told.map(({ runId }) => runId),
    [run.id],
  );

  const tellAgain = async (
    place: string,
    line: { message: string; message_sentence: string | null },
  ): Promise<void> => {
    await db.write((tx) => tx.updateTable('run_logs').set(line).where('run_id', '=', run.id).execute());
    const again = open(place);
    await again.start();
    await setTimeout(200);
    await again.stop();
    assert.equal((await lines()).length, 1, 'it was told already');
  };
  const reworded = { ...strandedMessage, text: 'It waits for its folder' };
  await tellAgain('there', { message: reworded.text, message_sentence: storedSentence(reworded) });
  await tellAgain('elsewhere', { message: strandedMessage.text, message_sentence: null });
  assert.equal(await here.stopRun(run.id), true);
});
