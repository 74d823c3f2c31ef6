import { foreign, runSentences } from '../kernel/sentences/index.ts';
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { forAnyDatabase, openNewSqlite } from '../../tests/support/databases.ts';
import { queuedRun as queued } from '../../tests/support/queued-run.ts';
import type { EventFeed, FeedEvent } from '../kernel/event-feed.ts';
import type { Database } from '../storage/database/database.ts';
import { insertLog } from './queries/logs.ts';
import { deleteRun, insertRuns } from './queries/runs.ts';
import { createRunEvents, type RunEvents } from './run-events.ts';
import { parseRunEventId, runEventIdPattern } from './run-follower.ts';
import { toRun, type Run } from './run.ts';
import { endRun } from './queries/run-progress.ts';

const time = '2026-01-31T08:00:00.000Z';

type Bench = {
  events: RunEvents;
  /** Number of queries of the run so far. */
  looks: () => number;
  log(message: string, count?: number): Promise<void>;
  progress(done: number): Promise<void>;
  end(): Promise<void>;
  changed(): void;
  listeners(): number;
  find(): Promise<Run>;
  db: Database;
};

async function open(db: Database, intervalMs = 0): Promise<Bench> {
  const changes = new EventEmitter().setMaxListeners(0);
  let looks = 0;
  const read = new Proxy(db.read, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        if (key === 'selectFrom' && args[0] === 'runs') looks += 1;
        return Reflect.apply(value, target, args);
      };
    },
  });
  const runs = {
    onChange(runId: string, listener: () => void) {
      changes.on(runId, listener);
      return () => changes.off(runId, listener);
    },
  };
  await db.write((tx) => insertRuns(tx, [queued]));
  const changed = (): void => void changes.emit('run');
  return {
    db,
    events: createRunEvents({ db: { read }, runs, intervalMs, pollMs: 3_600_000 }),
    looks: () => looks,
    async log(message, count = 1) {
      await db.write(async (tx) => {
        for (let line = 0; line < count; line += 1)
          await insertLog(tx, { run_id: 'run', time, level: 'INFO', message: foreign(message) });
      });
      changed();
    },
    async progress(done) {
      await db.write((tx) => tx.updateTable('runs').set({ status: 'RUNNING', work_done: done }).execute());
      changed();
    },
    async end() {
      await db.write(async (tx) => {
        await endRun(tx, { id: 'run', status: 'COMPLETED', finishedAt: time, error: null });
        await insertLog(tx, { run_id: 'run', time, level: 'INFO', message: runSentences.COMPLETED.reason({}) });
      });
      changed();
    },
    changed,
    listeners: () => changes.listenerCount('run'),
    async find() {
      return toRun(await db.read.selectFrom('runs').selectAll().executeTakeFirstOrThrow());
    },
  };
}

type Listening = { events: FeedEvent[]; ended: Promise<void>; stop(): void; has(holds: () => boolean): Promise<void> };

function listen(feed: EventFeed | undefined): Listening {
  assert.ok(feed !== undefined);
  const events: FeedEvent[] = [];
  const heard = new EventEmitter();
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const stop = feed({
    send(event) {
      events.push(event);
      heard.emit('event');
      return undefined;
    },
    end: resolve,
    fail: assert.ifError,
  });
  const has = (holds: () => boolean): Promise<void> =>
    new Promise((done) => {
      const look = (): void => {
        if (!holds()) return;
        heard.off('event', look);
        done();
      };
      heard.on('event', look);
      look();
    });
  return { events, ended, stop, has };
}

const names = ({ events }: Listening): string[] => events.map(({ name }) => name);
const lines = ({ events }: Listening): number[] =>
  events.filter(({ name }) => name === 'log').map(({ data }) => (JSON.parse(data) as { seq: number }).seq);

forAnyDatabase('a run is followed to its end: every line once, in order, the end last', async (_t, openDb) => {
  const bench = await open(await openDb());
  await bench.log('before');
  const one = listen(bench.events.follow(await bench.find(), undefined));
  await one.has(() => one.events.length === 2);
  assert.deepEqual(names(one), ['progress', 'log']);
  const [first] = one.events;
  assert.deepEqual(Object.keys(JSON.parse(first?.data ?? '') as object).includes('details'), false);
  await bench.progress(50);
  await one.has(() => names(one).filter((name) => name === 'progress').length === 2);
  await bench.log('many', 1200);
  const late = listen(bench.events.follow(await bench.find(), undefined));
  await bench.end();
  await Promise.all([one.ended, late.ended]);
  for (const listening of [one, late]) {
    assert.deepEqual(
      lines(listening),
      Array.from({ length: 1202 }, (_, index) => index + 1),
    );
    assert.deepEqual(names(listening).slice(-2), ['log', 'end']);
    const last = JSON.parse(listening.events.at(-1)?.data ?? '') as Run;
    assert.deepEqual([last.status, last.progress], ['COMPLETED', 100]);
    for (const { id } of listening.events) assert.match(id, new RegExp(runEventIdPattern));
  }
  assert.equal(bench.listeners(), 0, 'nobody listens to the run any more');
});

forAnyDatabase(
  'nothing but the end comes after the last line, however a look and the end cross',
  async (_t, openDb) => {
    const bench = await open(await openDb());
    for (let attempt = 1; attempt <= 50; attempt += 1) {
      const one = listen(bench.events.follow(await bench.find(), undefined));
      await one.has(() => one.events.length > 0);
      await bench.progress(attempt % 100);
      await bench.end();
      await one.ended;
      assert.deepEqual([names(one).slice(-2), lines(one)], [['log', 'end'], [1]], `attempt ${attempt}`);
      await bench.db.write(async (tx) => {
        await deleteRun(tx, 'run');
        await insertRuns(tx, [queued]);
      });
    }
  },
);

forAnyDatabase('whoever comes back hears only what was missed, after a restart as well', async (_t, openDb) => {
  const bench = await open(await openDb());
  await bench.log('line', 3);
  await bench.progress(10);
  const before = listen(bench.events.follow(await bench.find(), undefined));
  await before.has(() => before.events.length === 4);
  before.stop();
  const seenId = before.events.at(-1)?.id ?? '';
  // A new instance, without any state of the first one.
  const { events: restarted } = { events: createRunEvents({ db: bench.db, runs: { onChange: () => () => {} } }) };

  const nothingNew = listen(restarted.follow(await bench.find(), parseRunEventId(seenId)));
  assert.deepEqual(names(nothingNew), [], 'the state was known already');
  nothingNew.stop();
  await bench.log('missed');
  await bench.end();
  const back = listen(restarted.follow(await bench.find(), parseRunEventId(seenId)));
  await back.ended;
  assert.deepEqual(
    [lines(back), names(back)],
    [
      [4, 5],
      ['log', 'log', 'end'],
    ],
  );

  const endId = back.events.at(-1)?.id ?? '';
  assert.equal(restarted.follow(await bench.find(), parseRunEventId(endId)), undefined);
  const stranger = listen(restarted.follow(await bench.find(), { seq: 99, state: '' }));
  await stranger.ended;
  assert.deepEqual(lines(stranger), [1, 2, 3, 4, 5], 'a position of another run is no reason to miss lines');
});

forAnyDatabase('two hundred listeners cost one look per change', async (_t, openDb) => {
  const bench = await open(await openDb());
  await bench.progress(1);
  const run = await bench.find();
  const all = Array.from({ length: 200 }, () => listen(bench.events.follow(run, undefined)));
  const [first] = all;
  assert.ok(first !== undefined);
  for (let step = 2; step <= 11; step += 1) {
    await bench.progress(step);
    for (const listening of all) await listening.has(() => listening.events.length >= step);
  }
  await bench.end();
  await Promise.all(all.map(({ ended }) => ended));
  assert.equal(
    all.every(({ events }) => events.at(-1)?.name === 'end'),
    true,
  );
  assert.ok(bench.looks() <= 30, `${bench.looks()} looks for 11 changes`);
  const [one, other] = all.map(({ events }) => events.at(-1));
  assert.equal(one, other, 'what all hear is made once');
  for (const { stop } of all) stop();
});

test('looks are spread over time, however much happens', { timeout: 60_000 }, async (t) => {
  const { mkdtemp, rm } = await import('node:fs/promises');
  const { tmpdir } = await import('node:os');
  const { join } = await import('node:path');
  const directory = await mkdtemp(join(tmpdir(), 'tilth-events-'));
  const db = await openNewSqlite(join(directory, 'tilth.db'));
  t.after(async () => {
    await db.close();
    await rm(directory, { recursive: true });
  });
  const intervalMs = 100;
  const bench = await open(db, intervalMs);
  const one = listen(bench.events.follow(await bench.find(), undefined));
  await one.has(() => one.events.length === 1);
  const started = performance.now();
  for (let bytes = 1; bytes <= 100; bytes += 1) {
    await bench.progress(bytes);
    bench.changed();
  }
  await bench.end();
  await one.ended;
  const most = Math.ceil((performance.now() - started) / intervalMs) + 1;
  assert.ok(bench.looks() <= most, `${bench.looks()} looks where ${most} are allowed`);
  one.stop();
});

forAnyDatabase('a run that is deleted ends its streams', async (_t, openDb) => {
  const bench = await open(await openDb());
  const one = listen(bench.events.follow(await bench.find(), undefined));
  await one.has(() => one.events.length === 1);
  await bench.db.write((tx) => deleteRun(tx, 'run'));
  bench.changed();
  await one.ended;
  assert.deepEqual(names(one), ['progress']);
  one.stop();
});
