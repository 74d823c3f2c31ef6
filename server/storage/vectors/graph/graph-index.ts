import type { LanceIndex } from '../lance-index.ts';
import type { FoundChunk, VectorIndex } from '../vector-store.ts';
import type { GraphMemory } from './graph-memory.ts';
import type { GraphRows } from './graph-protocol.ts';
import type { GraphThread } from './graph-thread.ts';

/** Below this many chunks, reading all vectors is as quick. */
const leastChunks = 5_000;
/** Rows in one message: searches wait for no more. */
const rowsAtOnce = 64;
/** Rows of the index read at once while a graph is built. */
const rowsRead = 4_096;
/** A graph that is so many rows behind the index is given up, and built again when it is asked for. */
const mostBehind = 20_000;
/** After a graph was found not to pay, or failed. */
const pauseMs = 10_000;

type State = {
  name: 'absent' | 'building' | 'ready';
  /** Grows with each graph: what was begun for an earlier one has no effect. */
  number: number;
  generation: number;
  /** Writes that the thread has not done yet. */
  behind: number;
  /** Units that were removed while the graph was built. */
  removed: Set<number>;
  checkedAt: number;
};

export type GraphIndex = VectorIndex & {
  /** Gives the graph up. */
  dropGraph(): Promise<void>;
  /** Waits for a graph that is being built, and for writes that it has not done yet. */
  settled(): Promise<void>;
  readonly hasGraph: boolean;
};

/**
 * An index with a graph of its vectors in memory, once it is large enough and fits: built from the index when the first
 * search asks, kept up to date by its writes. While the graph is behind, and for searches among some units, the index itself answers.
 */
export function createGraphIndex({
  id,
  index,
  thread,
  memory,
  logger,
}: {
  id: string;
  index: LanceIndex;
  thread: GraphThread;
  memory: GraphMemory;
  logger: { warn(details: object, message: string): void };
}): GraphIndex {
  const { dimensions } = index;
  const state: State = {
    name: 'absent',
    number: 0,
    generation: 0,
    behind: 0,
    removed: new Set(),
    checkedAt: -Infinity,
  };
  let building: Promise<void> = Promise.resolve();
  const pending = new Set<Promise<void>>();

  function giveUp(error?: unknown): void {
    if (state.name === 'absent') return;
    if (error !== undefined && !thread.isClosed)
      logger.warn({ err: error, index: id }, 'a graph of vectors is given up');
    const isAlive = thread.generation === state.generation;
    state.name = 'absent';
    state.number += 1;
    state.behind = 0;
    state.removed.clear();
    state.checkedAt = performance.now();
    memory.release(id);
    if (isAlive) void forget();
  }

  async function forget(): Promise<void> {
    try {
      await thread.drop(id);
    } catch {
      // The thread has ended, and the graph with it.
    }
  }

  /** Passes a write on; searches ask the graph again when it is done. */
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

  async function build(number: number, counts: ReadonlyMap<number, { rows: number }>): Promise<void> {
    const isOver = (): boolean => state.number !== number;
    await thread.create(id, dimensions);
    state.generation = thread.generation;
    let units: number[] = [];
    let rows = 0;
    const flush = async (): Promise<void> => {
      const read = await index.readVectors(units);
      [units, rows] = [[], 0];
      for (let from = 0; from < read.units.length && !isOver(); from += rowsAtOnce)
        await thread.add(id, without(state.removed, slice(read, from, from + rowsAtOnce, dimensions), dimensions));
    };
    for (const [unit, { rows: count }] of counts) {
      if (isOver()) return;
      units.push(unit);
      rows += count;
      if (rows >= rowsRead) await flush();
    }
    if (units.length > 0) await flush();
    if (isOver()) return;
    state.removed.clear();
    state.name = 'ready';
  }

  /** Begins a graph if it pays and fits. */
  async function begin(): Promise<void> {
    const now = performance.now();
    if (state.name !== 'absent' || now - state.checkedAt < pauseMs) return;
    state.checkedAt = now;
    const isLarge = (await index.countChunks()) >= leastChunks;
    if (!isLarge || state.name !== 'absent') return;
    state.name = 'building';
    const number = (state.number += 1);
    // Writes from now on are passed on, after those that are under way.
    const counts = await index.countByUnit();
    const chunks = [...counts.values()].reduce((sum, { rows }) => sum + rows, 0);
    if (state.number !== number) return;
    if (!memory.take(id, chunks * bytesOf(dimensions), giveUp)) {
      state.name = 'absent';
      return;
    }
    await build(number, counts);
  }

  function beginSoon(): void {
    if (state.name !== 'absent' || performance.now() - state.checkedAt < pauseMs) return;
    building = begin().catch((error: unknown) => giveUp(error));
  }

  async function findInGraph(vector: Float32Array, limit: number): Promise<FoundChunk[] | undefined> {
    try {
      const { units, ordinals, scores } = await thread.find(id, vector, limit);
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
        const rows: GraphRows = {
          units: Int32Array.from(some, ({ unit }) => unit),
          ordinals: Int32Array.from(some, ({ ordinal }) => ordinal),
          vectors,
        };
        follow(some.length, () => thread.add(id, rows));
      }
      if (!memory.grow(id, chunks.length * bytesOf(dimensions))) giveUp();
    },
    async remove(units) {
      await index.remove(units);
      if (state.name === 'absent') return;
      if (state.name === 'building') for (const unit of units) state.removed.add(unit);
      follow(1, () => thread.remove(id, units));
    },
    async findNearest(vector, options) {
      if (options.units === undefined && vector.some((value) => value !== 0)) {
        if (state.name === 'ready' && state.behind === 0) {
          const found = await findInGraph(vector, options.limit);
          if (found !== undefined) return found;
        } else beginSoon();
      }
      return index.findNearest(vector, options);
    },
    findWords: index.findWords,
    join: index.join,
    countByUnit: index.countByUnit,
    async dropGraph() {
      giveUp();
      await building;
    },
    async settled() {
      await building;
      await Promise.all(pending);
    },
    get hasGraph() {
      return state.name === 'ready' && state.behind === 0;
    },
  };
}

/** Half precision, the edges of a node, and what the thread notes of it and of its rows. */
function bytesOf(dimensions: number): number {
  return dimensions * 2 + 800;
}

function slice({ units, ordinals, vectors }: GraphRows, from: number, to: number, dimensions: number): GraphRows {
  return {
    units: units.slice(from, to),
    ordinals: ordinals.slice(from, to),
    vectors: vectors.slice(from * dimensions, to * dimensions),
  };
}

/** Rows but those of some units, which were removed after the rows were read. */
function without(removed: ReadonlySet<number>, rows: GraphRows, dimensions: number): GraphRows {
  if (!rows.units.some((unit) => removed.has(unit))) return rows;
  const kept = Array.from(rows.units.keys()).filter((row) => !removed.has(rows.units[row] ?? 0));
  const vectors = new Float32Array(kept.length * dimensions);
  kept.forEach((row, at) =>
    vectors.set(rows.vectors.subarray(row * dimensions, (row + 1) * dimensions), at * dimensions),
  );
  return {
    units: Int32Array.from(kept, (row) => rows.units[row] ?? 0),
    ordinals: Int32Array.from(kept, (row) => rows.ordinals[row] ?? 0),
    vectors,
  };
}
