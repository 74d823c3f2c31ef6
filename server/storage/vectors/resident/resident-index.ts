import type { LanceIndex } from '../lance-index.ts';
import type { FindOptions, FoundChunk, VectorIndex } from '../vector-store.ts';
import type { ResidentMemory } from './resident-memory.ts';
import type { SearchKind, VectorRows } from './resident-protocol.ts';
import type { ResidentThread } from './resident-thread.ts';
import { loadVectors, rowsAtOnce } from './vector-loading.ts';

/** With fewer chunks, the index itself reads all vectors just as fast. */
const leastChunks = 1_000;
/**
 * Multiplications up to which a search compares all vectors: chunks × columns in which its query is not 0. They take 3 ms of one
 * processor; a graph that finds 0.92 of the ten nearest takes 2 ms. If vectors in memory grow beyond four times as many, a graph
 * replaces them.
 */
const defaultProducts = 20_000_000;
const growth = 4;
/** Vectors in memory that fall this many rows behind the index are dropped, and loaded again when needed. */
const mostBehind = 20_000;
/** Pause after loading failed or was found not to be worthwhile. */
const pauseMs = 10_000;

type State = {
  name: 'absent' | 'loading' | 'ready';
  search: SearchKind;
  rows: number;
  /** Incremented by each load: work of an earlier load has no effect. */
  number: number;
  generation: number;
  /** Written rows that the thread has not processed yet. */
  behind: number;
  /** Units that were removed during loading. */
  removed: Set<number>;
  checkedAt: number;
};

export type ResidentIndex = VectorIndex & {
  /** Frees the memory. */
  release(): Promise<void>;
  /** Waits for loading and pending writes to finish. */
  settled(): Promise<void>;
  /** How searches are served from memory; undefined if they are not. */
  readonly answersFrom: SearchKind | undefined;
};

/**
 * An index with its vectors in memory, once it is large enough and they fit: loaded at the first search and updated by later writes.
 * Searches compare all vectors as long as that is fast; then a graph replaces them. While the vectors are behind, and for graph
 * searches restricted to units, the index itself serves the search.
 */
export function createResidentIndex({
  id,
  index,
  thread,
  memory,
  mostProducts = defaultProducts,
  logger,
}: {
  id: string;
  index: LanceIndex;
  thread: ResidentThread;
  memory: ResidentMemory;
  mostProducts?: number | undefined;
  logger: { warn(details: object, message: string): void };
}): ResidentIndex {
  const { dimensions } = index;
  const state: State = {
    name: 'absent',
    search: 'FLAT',
    rows: 0,
    number: 0,
    generation: 0,
    behind: 0,
    removed: new Set(),
    checkedAt: -Infinity,
  };
  let loading: Promise<void> = Promise.resolve();
  const pending = new Set<Promise<void>>();

  function giveUp(error?: unknown): void {
    if (state.name === 'absent') return;
    if (error !== undefined && !thread.isClosed)
      logger.warn({ err: error, index: id }, 'vectors in memory are given up');
    const isAlive = thread.generation === state.generation;
    state.name = 'absent';
    state.number += 1;
    state.behind = 0;
    state.removed.clear();
    state.checkedAt = performance.now();
    memory.release(id);
    if (isAlive) void forget();
  }

  /** Drops the vectors so that the next search may start loading a graph at once. */
  function giveUpForGraph(): void {
    giveUp();
    state.checkedAt = -Infinity;
  }

  function isTooMuch(columns: number): boolean {
    return state.rows * columns > growth * mostProducts;
  }

  function isReady(): boolean {
    return state.name === 'ready' && state.behind === 0;
  }

  async function forget(): Promise<void> {
    try {
      await thread.drop(id);
    } catch {
      // The thread has ended, and the vectors with it.
    }
  }

  /** Passes a write to the thread; until it is done, searches use the index itself. */
  function follow(rows: number, write: () => Promise<void>): void {
    const { number } = state;
    state.behind += rows;
    if (state.behind > mostBehind) {
      giveUp();
      return;
    }
    const done = write().then(
      () => {
        if (state.number === number) state.behind -= rows;
      },
      (error: unknown) => {
        if (state.number === number) giveUp(error);
      },
    );
    pending.add(done);
    void done.finally(() => pending.delete(done));
  }

  async function load(number: number): Promise<void> {
    const isOver = (): boolean => state.number !== number;
    const creating = thread.create(id, dimensions, state.search);
    state.generation = thread.generation;
    await creating;
    // Writes from now on are passed on, after the running ones.
    await loadVectors({ id, index, thread, removed: state.removed, isOver });
    if (isOver()) return;
    state.removed.clear();
    state.name = 'ready';
  }

  /** Loads the vectors if that is worthwhile and they fit. */
  async function begin(columns: number): Promise<void> {
    const now = performance.now();
    if (state.name !== 'absent' || now - state.checkedAt < pauseMs) return;
    state.checkedAt = now;
    const rows = await index.countChunks();
    if (rows < leastChunks || state.name !== 'absent') return;
    const search = rows * columns <= mostProducts ? 'FLAT' : 'GRAPH';
    if (!memory.take(id, rows * bytesOf(search, dimensions), giveUp)) return;
    state.name = 'loading';
    state.search = search;
    state.rows = rows;
    state.number += 1;
    await load(state.number);
  }

  function beginSoon(columns: number): void {
    if (state.name !== 'absent' || performance.now() - state.checkedAt < pauseMs) return;
    loading = begin(columns).catch((error: unknown) => giveUp(error));
  }

  async function findInMemory(vector: Float32Array, options: FindOptions): Promise<FoundChunk[] | undefined> {
    try {
      const { units, ordinals, scores } = await thread.find(id, { vector, ...options });
      memory.touch(id);
      return Array.from(units, (unit, at) => ({ unit, ordinal: ordinals[at] ?? 0, score: scores[at] ?? 0 }));
    } catch (error) {
      giveUp(error);
      return undefined;
    }
  }

  return {
    dimensions,
    async add(chunks) {
      await index.add(chunks);
      if (state.name === 'absent') return;
      for (let from = 0; from < chunks.length && state.name !== ('absent' as string); from += rowsAtOnce) {
        const some = chunks.slice(from, from + rowsAtOnce);
        const vectors = new Float32Array(some.length * dimensions);
        some.forEach(({ vector }, at) => vectors.set(vector, at * dimensions));
        const rows: VectorRows = {
          units: Int32Array.from(some, ({ unit }) => unit),
          ordinals: Int32Array.from(some, ({ ordinal }) => ordinal),
          vectors,
        };
        follow(some.length, () => thread.add(id, rows));
      }
      state.rows += chunks.length;
      if (!memory.grow(id, chunks.length * bytesOf(state.search, dimensions))) giveUp();
    },
    async remove(units) {
      await index.remove(units);
      if (state.name === 'absent' || units.length === 0) return;
      if (state.name === 'loading') for (const unit of units) state.removed.add(unit);
      follow(1, () => thread.remove(id, units));
    },
    async findNearest(vector, options) {
      const columns = vector.reduce((sum, value) => (value === 0 ? sum : sum + 1), 0);
      if (columns === 0 || options.units?.length === 0) return [];
      if (state.name === 'ready' && state.search === 'FLAT' && isTooMuch(columns)) giveUpForGraph();
      if (state.name === 'absent') beginSoon(columns);
      if (isReady() && (state.search === 'FLAT' || options.units === undefined)) {
        const found = await findInMemory(vector, options);
        if (found !== undefined) return found;
      }
      return index.findNearest(vector, options);
    },
    findWords: index.findWords,
    join: index.join,
    countByUnit: index.countByUnit,
    async release() {
      giveUp();
      await loading;
    },
    async settled() {
      await loading;
      await Promise.all(pending);
    },
    get answersFrom() {
      return isReady() ? state.search : undefined;
    },
  };
}

/** Bytes per row: values of two bytes, the edges of a graph, and the thread's bookkeeping. */
function bytesOf(search: SearchKind, dimensions: number): number {
  return dimensions * 2 + (search === 'GRAPH' ? 800 : 40);
}
