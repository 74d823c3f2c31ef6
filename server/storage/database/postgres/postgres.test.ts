import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { TestContext } from 'node:test';
import { sql } from 'kysely';
import { createPostgresDatabase, postgres, startPostgres } from '../../../../tests/support/postgres.ts';
import { startTcpProxy, throughPort, type TcpProxy } from '../../../../tests/support/tcp-proxy.ts';
import { testWith } from '../../../../tests/support/tools.ts';
import type { Database } from '../database.ts';
import { isDatabaseUnavailable } from '../unavailable.ts';
import { openPostgres, openPostgresReadOnly } from './postgres.ts';

type Bench = { db: Database; proxy: TcpProxy; direct: Database };

/** A database behind a proxy, and the same one without it; the writes go to a table of notes. */
async function openBench(t: TestContext, settings: Parameters<typeof openPostgres>[1] = {}): Promise<Bench> {
  const { url, drop } = await createPostgresDatabase();
  const proxy = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(url).port) });
  const db = await openPostgres(throughPort(url, proxy.port), settings);
  const direct = await openPostgres(url);
  t.after(async () => {
    proxy.flow();
    await db.close();
    await direct.close();
    await proxy.close();
    await drop();
  });
  await sql`create table notes (text text primary key)`.execute(direct.read);
  return { db, proxy, direct };
}

function note(db: Database, text: string): Promise<void> {
  return db.write(async (tx) => void (await sql`insert into notes values (${text})`.execute(tx)));
}

async function notes({ direct }: Bench): Promise<string[]> {
  const { rows } = await sql<{ text: string }>`select text from notes order by text`.execute(direct.read);
  return rows.map(({ text }) => text);
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => assert.fail('it should have failed'),
    (error: unknown) => error,
  );
}

async function untilItWorks(work: () => Promise<unknown>): Promise<void> {
  for (const deadline = performance.now() + 60_000; ; await pause(20)) {
    try {
      await work();
      return;
    } catch (error) {
      assert.ok(isDatabaseUnavailable(error), String(error));
      if (performance.now() > deadline) throw error;
    }
  }
}

const one = (db: Database): Promise<unknown> => sql`select 1`.execute(db.read);

testWith(
  [postgres],
  'a connection that is cut at any moment fails its statement, and the next one has another',
  async (t) => {
    const bench = await openBench(t);
    const { db, proxy } = bench;
    const moments: Record<string, (cut: () => void) => Promise<unknown>> = {
      'in a statement': async (cut) => {
        const slow = sql`select pg_sleep(30)`.execute(db.read);
        slow.catch(() => {});
        await pause(100);
        cut();
        await slow;
      },
      'between two statements of a transaction': (cut) =>
        db.write(async (tx) => {
          await sql`insert into notes values ('never')`.execute(tx);
          cut();
          await pause(50);
          await sql`insert into notes values ('neither')`.execute(tx);
        }),
      'before a commit': (cut) =>
        db.write(async (tx) => {
          await sql`insert into notes values ('never')`.execute(tx);
          cut();
          await pause(50);
        }),
      'while a transaction begins': async (cut) => {
        const begun = note(db, 'never');
        cut();
        await begun;
      },
      'before a rollback': (cut) =>
        db.write(async (tx) => {
          await sql`select 1`.execute(tx);
          cut();
          await pause(50);
          throw Object.assign(new Error('lost anyway'), { code: '08006' });
        }),
    };
    for (const [moment, work] of Object.entries(moments)) {
      await one(db);
      const error = await failureOf(work(() => proxy.cut()));
      assert.ok(isDatabaseUnavailable(error), `${moment}: ${String(error)}`);
      await untilItWorks(() => one(db));
    }
    assert.deepEqual(await notes(bench), []);
  },
);

testWith([postgres], 'a commit whose answer is lost counts as what it is', async (t) => {
  const bench = await openBench(t);
  const { db, proxy, direct } = bench;
  for (let round = 0; round < 10; round += 1) {
    proxy.cutAfter('; commit');
    await note(db, `kept ${round}`);
  }
  assert.equal(proxy.cuts.length, 10, 'each answer was lost');
  assert.equal((await notes(bench)).length, 10);

  // The server refuses the commit, because the transaction was ended from outside meanwhile.
  for (let round = 0; round < 5; round += 1) {
    const error = await failureOf(
      db.write(async (tx) => {
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
        await sql`insert into notes values (${`dropped ${round}`})`.execute(tx);
        await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(direct.read);
      }),
    );
    assert.ok(isDatabaseUnavailable(error), String(error));
  }
  assert.equal((await notes(bench)).length, 10);
});

testWith([postgres], 'a commit that comes after its transaction was given up does nothing', async (t) => {
  const bench = await openBench(t, { silence: { silentMs: 100, lookEveryMs: 50 }, outcomeWaitMs: 300 });
  const { db, proxy } = bench;
  await one(db);
  const begun = Promise.withResolvers<void>();
  const stalled = db.write(async (tx) => {
    await sql`insert into notes values ('late')`.execute(tx);
    proxy.stall();
    begun.resolve();
  });
  stalled.catch(() => {});
  await begun.promise;
  // Long enough for the connection to be detected as silent and for the caller to learn that the outcome is unknown.
  const error = await failureOf(Promise.race([stalled, pause(25_000)]));
  assert.ok(isDatabaseUnavailable(error), String(error));
  proxy.flow();
  // Every read from now on sees the final state.
  await untilItWorks(() => one(db));
  const { rows } = await sql<{ text: string }>`select text from notes`.execute(db.read);
  await pause(200);
  assert.deepEqual(
    rows.map(({ text }) => text),
    await notes(bench),
  );
});

testWith(
  [postgres],
  'what a statement waits for on a dead connection ends, what the server works on goes on',
  async (t) => {
    const { db, proxy } = await openBench(t, { silence: { silentMs: 300, lookEveryMs: 100 } });
    await sql`select pg_sleep(2)`.execute(db.read);
    const dead = sql`select pg_sleep(0.5)`.execute(db.read);
    dead.catch(() => {});
    await pause(200);
    proxy.drop();
    const started = performance.now();
    const error = await failureOf(dead);
    assert.ok(isDatabaseUnavailable(error), String(error));
    assert.ok(performance.now() - started < 20_000);
    await untilItWorks(() => one(db));
  },
);

testWith([postgres], 'it closes although its connections are dead', async () => {
  const { url, drop } = await createPostgresDatabase();
  const proxy = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(url).port) });
  const db = await openPostgres(throughPort(url, proxy.port));
  await one(db);
  proxy.drop();
  await db.close();
  await db.close();
  await proxy.close();
  await drop();
});

testWith([postgres], 'a server that is restarted in any way is found again, with all that was committed', async (t) => {
  const cluster = await startPostgres({ isCrashSafe: true });
  t.after(() => cluster.stop());
  const db = await openPostgres(cluster.url);
  t.after(() => db.close());
  await sql`create table notes (text text primary key)`.execute(db.read);
  const kept: string[] = [];
  const refused: unknown[] = [];
  const state = { isOver: false };
  t.after(() => (state.isOver = true));
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    for (let number = 0; !state.isOver; number += 1) {
      const text = `${writer}-${number}`;
      try {
        await note(db, text);
        kept.push(text);
      } catch (error) {
        refused.push(error);
        await pause(20);
      }
    }
  });
  for (const mode of ['fast', 'immediate', 'immediate'] as const) {
    await pause(300);
    await cluster.restart(mode);
    await untilItWorks(() => one(db));
  }
  state.isOver = true;
  await Promise.all(writers);
  for (const error of refused) assert.ok(isDatabaseUnavailable(error), String(error));
  const { rows } = await sql<{ text: string }>`select text from notes`.execute(db.read);
  assert.deepEqual(rows.map(({ text }) => text).sort(), kept.sort());
});

testWith([postgres], 'whoever only looks counts no commits', async (t) => {
  const { url, drop } = await createPostgresDatabase();
  const db = await openPostgres(url);
  const looking = openPostgresReadOnly(url);
  t.after(async () => {
    await db.close();
    await looking.close();
    await drop();
  });
  await looking.read.transaction().execute((tx) => sql`select 1`.execute(tx));
  await assert.rejects(sql`create table notes (text text)`.execute(looking.read), { causeCode: '25006' });
});

testWith([postgres], 'transactions that wait for reads leave connections to them', async (t) => {
  const { db } = await openBench(t, { size: 4 });
  await Promise.all(
    Array.from({ length: 20 }, (_, number) =>
      db.write(async (tx) => {
        await sql`insert into notes values (${String(number)})`.execute(tx);
        await one(db);
      }),
    ),
  );
});

testWith([postgres], 'a transaction that was ended to solve a deadlock is done again', async (t) => {
  const bench = await openBench(t);
  const { db } = bench;
  for (const text of ['a', 'b']) await note(db, text);
  const met = Promise.withResolvers<void>();
  const survived = Promise.withResolvers<void>();
  let waiting = 2;
  let tries = 0;
  const swap = async (first: string, second: string): Promise<void> => {
    await db.write(async (tx) => {
      tries += 1;
      // The server lets the new try take the row before the other transaction wakes up, and both would wait for each other again.
      if (tries > 2) await survived.promise;
      await sql`update notes set text = text || '1' where text like ${`${first}%`}`.execute(tx);
      waiting -= 1;
      if (waiting === 0) met.resolve();
      await met.promise;
      await sql`update notes set text = text || '2' where text like ${`${second}%`}`.execute(tx);
    });
    survived.resolve();
  };
  await Promise.all([swap('a', 'b'), swap('b', 'a')]);
  assert.equal(tries, 3);
  assert.deepEqual(
    (await notes(bench)).map((text) => text.length),
    [3, 3],
  );
});
