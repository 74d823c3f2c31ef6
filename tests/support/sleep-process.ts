// A process that drives runs of the sleep kind over a shared database; tests kill and pause it.
import { sql } from 'kysely';
import { systemClock } from '../../server/kernel/clock.ts';
import { createRuns } from '../../server/runs/index.ts';
import { openDatabase } from '../../server/storage/database/database.ts';
import { isDatabaseUnavailable } from '../../server/storage/database/unavailable.ts';
import { createSleepKind } from './sleep-area/kind.ts';

const [url = '', place = '', leaseMs = '1000'] = process.argv.slice(2);
const db = await openDatabase({ url, idleTransactionMs: Number(leaseMs) });
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const runs = createRuns({
  db,
  clock: systemClock,
  logger: {
    // A process paused within a transaction has lost its connection; that is not an error of a run.
    error: (details, message) => {
      const { err } = details as { err?: unknown };
      if (!isDatabaseUnavailable(err)) say(`error ${message} ${String(err)}`);
    },
    info: () => {},
  },
  place,
  leaseMs: Number(leaseMs),
});
const kind = createSleepKind(async (tx, { runId, step, epoch }) => {
  await sql`insert into sleep_steps (run_id, step, epoch, place) values (${runId}, ${step}, ${epoch}, ${place})`.execute(
    tx,
  );
});
runs.register({
  ...kind,
  async drive(run, context) {
    try {
      await kind.drive(run, context);
    } catch (error) {
      if (context.signal.aborted || (error instanceof Error && error.name === 'RunLetGo')) say(`fenced ${run.id}`);
      throw error;
    }
  },
});
await runs.start();
say('ready');
