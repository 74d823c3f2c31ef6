import { inputProblems } from '../../../kernel/sentences/index.ts';
import { createFairPlaces } from '../../../kernel/fair-places.ts';
import { ViewTimeout, ViewUnreadable } from '../../../tables/views/index.ts';

/** The table that work is done for, the dataset whose turn it takes, and the table that it is compared with. */
export type WorkedTable = { id: string; sizeBytes: number; datasetId?: string; comparedWith?: string };

/**
 * Long work on tables, in two lanes that run one job each, in which datasets take turns. Small tables have their own lane, so
 * that they never wait for large ones; work there that takes long is stopped and starts over in the lane of large tables.
 */
export type TableWorks = {
  /**
   * The result of `make`; calls of the same name share the work. `make` may be called twice, and must stop when its signal is
   * aborted. A table that can't be read, or takes too long, is not tried again for a while: calls throw the same failure.
   */
  run<T>(name: string, table: WorkedTable, make: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** The tables that are being worked on. */
  busy(): string[];
  /** Stops the work on tables, whether it runs or waits. */
  drop(ids: ReadonlySet<string>): Promise<void>;
  /** Stops all work. */
  close(): Promise<void>;
};

/** Larger tables are never quick. */
const smallBytes = 8 << 20;
const retryMs = 600_000;
/** Most failures in memory: the oldest are evicted first. */
const maxFailures = 1_000;

type Work = { ids: readonly string[]; done: Promise<unknown>; stop: AbortController };

export function createTableWorks({ quickMs = 10_000 }: { quickMs?: number } = {}): TableWorks {
  const works = new Map<string, Work>();
  const failures = new Map<string, { error: ViewUnreadable | ViewTimeout; at: number }>();
  const lanes = { small: createFairPlaces(1), large: createFairPlaces(1) };
  let closed = false;

  async function inLane<T>(lane: keyof typeof lanes, owner: string, signal: AbortSignal, make: () => Promise<T>) {
    const release = await lanes[lane].acquire(owner, signal);
    try {
      return await make();
    } finally {
      release();
    }
  }

  /** Undefined if it isn't quick. */
  async function quickly<T>(
    signal: AbortSignal,
    make: (signal: AbortSignal) => Promise<T>,
  ): Promise<{ made: T } | undefined> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), quickMs);
    try {
      return { made: await make(AbortSignal.any([signal, late.signal])) };
    } catch (error) {
      if (late.signal.aborted && !signal.aborted) return undefined;
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  async function work<T>(
    table: WorkedTable,
    signal: AbortSignal,
    make: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const owner = table.datasetId ?? '';
    if (table.sizeBytes <= smallBytes) {
      const found = await inLane('small', owner, signal, () => quickly(signal, make));
      if (found !== undefined) return found.made;
    }
    return inLane('large', owner, signal, () => make(signal));
  }

  function remember(name: string, error: unknown): void {
    if (!(error instanceof ViewUnreadable || error instanceof ViewTimeout)) return;
    failures.delete(name);
    failures.set(name, { error, at: Date.now() });
    for (const oldest of failures.keys()) {
      if (failures.size <= maxFailures) return;
      failures.delete(oldest);
    }
  }

  /** The failure of an earlier try, until it may be retried. */
  function findFailure(name: string): Error | undefined {
    const failure = failures.get(name);
    if (failure === undefined) return undefined;
    const restMs = failure.at + retryMs - Date.now();
    if (restMs <= 0) {
      failures.delete(name);
      return undefined;
    }
    const { error } = failure;
    return error instanceof ViewTimeout
      ? new ViewTimeout(error.reason, { cause: error.cause, retrySeconds: Math.ceil(restMs / 1000) })
      : error;
  }

  return {
    async run<T>(name: string, table: WorkedTable, make: (signal: AbortSignal) => Promise<T>): Promise<T> {
      const known = works.get(name);
      if (known !== undefined) return known.done as Promise<T>;
      if (closed) throw new Error('The service is shutting down');
      const failure = findFailure(name);
      if (failure !== undefined) throw failure;
      const stop = new AbortController();
      const done = work(table, stop.signal, make)
        .catch((error: unknown) => {
          if (stop.signal.aborted) throw stop.signal.reason;
          remember(name, error);
          throw findFailure(name) ?? error;
        })
        .finally(() => works.delete(name));
      const ids = table.comparedWith === undefined ? [table.id] : [table.id, table.comparedWith];
      works.set(name, { ids, done, stop });
      return done;
    },
    busy: () => [...works.values()].flatMap((one) => one.ids),
    async drop(ids) {
      const dropped = [...works.values()].filter((one) => one.ids.some((id) => ids.has(id)));
      for (const {
        ids: [own = ''],
        stop,
      } of dropped) {
        const gone = ids.has(own) ? inputProblems.VIEW_CONTENT_GONE : inputProblems.VIEW_COMPARED_GONE;
        stop.abort(new ViewUnreadable(gone.reason({})));
      }
      await Promise.allSettled(dropped.map(({ done }) => done));
    },
    async close() {
      closed = true;
      const all = [...works.values()];
      for (const { stop } of all) stop.abort(new Error('The service is shutting down'));
      await Promise.allSettled(all.map(({ done }) => done));
    },
  };
}
