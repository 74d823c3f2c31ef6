import { runSentences } from '../../../kernel/sentences/index.ts';
import type { FairPlaces } from '../../../kernel/fair-places.ts';
import { systemTimers, type Timers } from '../../../kernel/timers.ts';
import type { RunContext } from '../../../runs/index.ts';
import type { ShardPlaces } from './shard-places.ts';
import type { WorkerPool } from './worker-pool.ts';
import type { OrderTurn } from '../pools/thread-pool.ts';

/** A run says that it waits only after this: between two shards, it may wait for a moment. */
export const shortWaitMs = 2_000;

/** How a run waits for workers. */
export type WorkerWaits = {
  /** The pool, whose orders are in the turn of the run. */
  pool(pool: WorkerPool): WorkerPool;
  places(places: ShardPlaces): ShardPlaces;
};

/** Tells when a run waits for workers that other runs have, and when it has one again. */
export function createWorkerWaits({
  runId,
  waitsFor,
  timers = systemTimers,
}: { runId: string; timers?: Timers | undefined } & Pick<RunContext, 'waitsFor'>): WorkerWaits {
  /** Orders that wait for a worker, and those that have one. */
  const orders = { waiting: 0, working: 0 };
  /** Places for shards that the run waits for, and those that it has, whose results it may be writing. */
  const shards = { waiting: 0, held: 0 };
  let cancel: (() => void) | undefined;
  let isTold = false;
  let telling = Promise.resolve();

  function tell(isWaiting: boolean): void {
    isTold = isWaiting;
    const reason = isWaiting ? runSentences.WAITS_FOR_WORKER.reason({}) : null;
    // If it can't be written, the work of the run meets the same cause.
    telling = telling.then(() => waitsFor(reason)).catch(() => undefined);
  }

  function look(): void {
    const isWaiting = orders.working === 0 && (orders.waiting > 0 || (shards.waiting > 0 && shards.held === 0));
    if (!isWaiting) {
      cancel?.();
      cancel = undefined;
      if (isTold) tell(false);
    } else if (!isTold) {
      cancel ??= timers.after(shortWaitMs, () => {
        cancel = undefined;
        tell(true);
      });
    }
  }

  const change =
    <T extends Record<string, number>>(counts: T, name: keyof T, by: number) =>
    (): void => {
      counts[name] = ((counts[name] ?? 0) + by) as T[keyof T];
      look();
    };

  const turn: OrderTurn = {
    owner: runId,
    waits: change(orders, 'waiting', 1),
    waited: change(orders, 'waiting', -1),
    begins: change(orders, 'working', 1),
    ends: change(orders, 'working', -1),
  };

  const waited = (places: FairPlaces): FairPlaces => ({
    ...places,
    async acquire(...request) {
      change(shards, 'waiting', 1)();
      let release;
      try {
        release = await places.acquire(...request);
      } finally {
        change(shards, 'waiting', -1)();
      }
      const letGo = release;
      change(shards, 'held', 1)();
      let isReleased = false;
      return () => {
        letGo();
        if (isReleased) return;
        isReleased = true;
        change(shards, 'held', -1)();
      };
    },
  });

  return {
    pool: (pool) => ({
      get size() {
        return pool.size;
      },
      run: (task, job, signal, use) => pool.run(task, job, signal, { ...use, turn }),
      close: () => pool.close(),
    }),
    places: ({ rows, documents, comparisons, resize }) => ({
      rows: waited(rows),
      documents: waited(documents),
      comparisons: waited(comparisons),
      resize,
    }),
  };
}

/** The same workers and places, used in the turn of a run. */
export function inTurn<Deps extends { pool: WorkerPool; places: ShardPlaces }>(deps: Deps, waits: WorkerWaits): Deps {
  return { ...deps, pool: waits.pool(deps.pool), places: waits.places(deps.places) };
}
