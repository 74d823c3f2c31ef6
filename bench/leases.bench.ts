// Cost of sharing runs: statements per second of a process with 100 waiting and 10 active runs, and the time of a claim
// when two processes race, with one statement and with two. Needs PostgreSQL.
import { setTimeout } from 'node:timers/promises';
import { sql, type KyselyPlugin } from 'kysely';
import { systemClock } from '../server/kernel/clock.ts';
import { newId } from '../server/kernel/ids.ts';
import { createRuns } from '../server/runs/index.ts';
import { claimRuns } from '../server/runs/queries/leases.ts';
import { openDatabase, type Database, type Tx } from '../server/storage/database/database.ts';
import { createPostgresDatabase } from '../tests/support/postgres.ts';
import { createSleepKind } from '../tests/support/sleep-area/index.ts';

const seconds = 20;
const raced = 400;

const { url, drop } = await createPostgresDatabase();
const plain = await openDatabase({ url });
let statements = 0;
const counting: KyselyPlugin = {
  transformQuery({ node }) {
    statements += 1;
    return node;
  },
  transformResult: async ({ result }) => result,
};
const db: Database = {
  ...plain,
  read: plain.read.withPlugin(counting),
  write: (work) => {
    // BEGIN and COMMIT.
    statements += 2;
    return plain.write((tx) => work(tx.withPlugin(counting)));
  },
};
const logger = { error: () => {}, info: () => {} };
const runs = createRuns({ db, clock: systemClock, logger, place: 'bench', maxDriven: 10 });
runs.register(createSleepKind());

async function enqueue(count: number, steps: number, stepMs: number): Promise<void> {
  await plain.write(async (tx) => {
    for (let number = 0; number < count; number += 1) {
      const run = { area: 'sleep', taskId: newId(), by: 'bench', details: { steps, stepMs }, datasets: [] };
      await runs.enqueue(tx, run);
    }
  });
}

await runs.start();
await setTimeout(2_500);
await perSecond('nothing to do');
await enqueue(110, 1, 3_600_000);
runs.wake();
await setTimeout(2_500);
await perSecond('10 runs that run, 100 that wait');
await runs.stop();

for (const [name, claim] of [
  ['one statement', claimByOne],
  ['select, then update', claimByTwo],
] as const) {
  await plain.write((tx) => tx.deleteFrom('runs').execute());
  await enqueue(raced, 1, 0);
  const begun = performance.now();
  const taken = await Promise.all([drain(claim), drain(claim), drain(claim), drain(claim)]);
  const ms = performance.now() - begun;
  const rounds = taken.reduce((sum, { rounds: own }) => sum + own, 0);
  const total = taken.reduce((sum, { claimed }) => sum + claimed, 0);
  console.log(
    `${name}: ${total} runs by 4 claimers, ${(ms / raced).toFixed(2)} ms each, ${(rounds / raced).toFixed(2)} transactions each`,
  );
}
await plain.close();
await drop();
process.exit(0);

async function perSecond(name: string): Promise<void> {
  statements = 0;
  await setTimeout(seconds * 1000);
  console.log(`${name}: ${(statements / seconds).toFixed(2)} statements/s`);
}

async function drain(claim: (tx: Tx) => Promise<number | undefined>): Promise<{ claimed: number; rounds: number }> {
  let claimed = 0;
  for (let rounds = 1; ; rounds += 1) {
    const found = await plain.write(claim);
    if (found === undefined) return { claimed, rounds };
    claimed += found;
  }
}

/** Claims a run; undefined if none is free. */
async function claimByOne(tx: Tx): Promise<number | undefined> {
  const startedAt = new Date().toISOString();
  const options = { kinds: ['sleep'], place: 'bench', leaseMs: 60_000, startedAt, areSuspects: false, limit: 1 };
  const { length } = await claimRuns(tx, options);
  return length === 0 ? undefined : length;
}

async function claimByTwo(tx: Tx): Promise<number | undefined> {
  const { rows } = await sql<{
    id: string;
  }>`select id from runs where status = 'QUEUED' order by created_at, id limit 1`.execute(tx);
  const id = rows[0]?.id;
  if (id === undefined) return undefined;
  const { rows: claimed } = await sql`update runs set status = 'RUNNING', epoch = epoch + 1
    where id = ${id} and status = 'QUEUED' returning id`.execute(tx);
  return claimed.length;
}
