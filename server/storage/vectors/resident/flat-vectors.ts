import { blockRows, createFlatKernel, groupRows, lanes, one } from './flat-kernel.ts';
import type { FoundRows, ResidentVectors } from './resident-protocol.ts';

/** Vectors that a search compares one by one, with an error of a few ten-thousandths: it misses none of the nearest. */
export function createFlatVectors(dimensions: number): ResidentVectors {
  const kernel = createFlatKernel(dimensions);
  let units = new Int32Array(0);
  let ordinals = new Int32Array(0);
  /** Unit → ordinal → row. */
  const rowsOfUnits = new Map<number, number[]>();
  /** Removed rows, for reuse. */
  const free: number[] = [];
  let rows = 0;

  function grow(): void {
    const blocks = Math.max(1, Math.ceil((units.length / blockRows) * growth));
    kernel.reserve(blocks);
    units = enlarged(units, blocks * blockRows);
    ordinals = enlarged(ordinals, blocks * blockRows);
  }

  return {
    add(given) {
      given.units.forEach((unit, at) => {
        const ordinal = given.ordinals[at] ?? 0;
        const vector = unitVector(given.vectors.subarray(at * dimensions, (at + 1) * dimensions));
        const own = rowsOfUnits.get(unit) ?? [];
        if (vector === undefined || own[ordinal] !== undefined) return;
        if (free.length === 0 && rows === units.length) grow();
        const row = free.pop() ?? rows++;
        kernel.place(row, vector);
        units[row] = unit;
        ordinals[row] = ordinal;
        own[ordinal] = row;
        rowsOfUnits.set(unit, own);
      });
    },

    remove(removed) {
      for (const unit of removed) {
        rowsOfUnits.get(unit)?.forEach((row) => {
          kernel.place(row, undefined);
          units[row] = noUnit;
          free.push(row);
        });
        rowsOfUnits.delete(unit);
      }
    },

    find({ vector, limit, units: wanted }) {
      const query = unitVector(vector);
      if (query === undefined) return rowsOf([], units, ordinals);
      kernel.ask(query);
      const isWanted = wanted === undefined ? undefined : new Uint8Array(rows);
      const blocks = new Uint8Array(Math.ceil(rows / blockRows)).fill(isWanted === undefined ? 1 : 0);
      for (const unit of wanted ?? [])
        rowsOfUnits.get(unit)?.forEach((row) => {
          if (isWanted !== undefined) isWanted[row] = 1;
          blocks[Math.floor(row / blockRows)] = 1;
        });
      const best = createBest(limit);
      const { similarities, maxima } = kernel;
      blocks.forEach((has, block) => {
        if (has === 0) return;
        kernel.compare(block);
        const first = block * blockRows;
        const groups = Math.ceil(Math.min(blockRows, rows - first) / groupRows);
        for (let group = 0; group < groups; group++) {
          if (!isAbove(best.least, maxima, group * lanes)) continue;
          const end = Math.min((group + 1) * groupRows, rows - first);
          for (let at = group * groupRows; at < end; at++) {
            const similarity = similarities[at] ?? 0;
            const row = first + at;
            if (similarity > best.least && units[row] !== noUnit && isWanted?.[row] !== 0) best.add(similarity, row);
          }
        }
      });
      return rowsOf(best.taken(), units, ordinals);
    },
  };
}

const growth = 1.25;
/** Marks a removed row; units are numbered from 1. */
const noUnit = -1;

function isAbove(least: number, maxima: Int16Array, from: number): boolean {
  for (let at = from; at < from + lanes; at++) if ((maxima[at] ?? 0) > least) return true;
  return false;
}

/** The vector scaled to length 1; undefined for the zero vector, which has no direction. */
function unitVector(vector: Float32Array): Float32Array | undefined {
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (!(squares > 0)) return undefined;
  const scale = 1 / Math.sqrt(squares);
  return Math.abs(scale - 1) < 1e-6 ? vector : vector.map((value) => value * scale);
}

function enlarged(values: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(length);
  larger.set(values);
  return larger;
}

function rowsOf(best: readonly Similar[], units: Int32Array, ordinals: Int32Array): FoundRows {
  return {
    units: Int32Array.from(best, ({ row }) => units[row] ?? 0),
    ordinals: Int32Array.from(best, ({ row }) => ordinals[row] ?? 0),
    scores: Float32Array.from(best, ({ similarity }) => similarity / one),
  };
}

type Similar = { similarity: number; row: number };

/** The best `limit` rows, in a heap with the worst of them first. */
function createBest(limit: number) {
  const keys = new Float64Array(limit);
  let size = 0;

  /** Larger similarities have larger keys; of equal ones, the earlier row. */
  const keyOf = (similarity: number, row: number): number => (similarity + offset) * rowsAtMost - row;

  function sink(key: number): void {
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && (keys[child + 1] ?? 0) < (keys[child] ?? 0)) child += 1;
      if ((keys[child] ?? 0) >= key) break;
      keys[at] = keys[child] ?? 0;
      at = child;
    }
    keys[at] = key;
  }

  function rise(key: number): void {
    let at = size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if ((keys[parent] ?? 0) <= key) break;
      keys[at] = keys[parent] ?? 0;
      at = parent;
    }
    keys[at] = key;
  }

  const best = {
    /** A similarity must exceed this to be added. */
    least: -offset - 1,
    add(similarity: number, row: number): void {
      if (size < limit) rise(keyOf(similarity, row));
      else sink(keyOf(similarity, row));
      if (size === limit) best.least = Math.ceil((keys[0] ?? 0) / rowsAtMost) - offset;
    },
    /** Best first. */
    taken(): Similar[] {
      return Array.from(keys.subarray(0, size).toSorted().toReversed(), (key) => {
        const similarity = Math.ceil(key / rowsAtMost);
        return { similarity: similarity - offset, row: similarity * rowsAtMost - key };
      });
    },
  };
  return best;
}

const offset = 0x8000;
const rowsAtMost = 2 ** 31;
