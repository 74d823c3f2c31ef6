import type { LanceIndex } from '../lance-index.ts';
import type { VectorRows } from './resident-protocol.ts';
import type { ResidentThread } from './resident-thread.ts';

/** Maximum rows in one message: searches wait no longer than one message. */
export const rowsAtOnce = 64;
/** Rows read from the index at once while loading. */
const rowsRead = 4_096;

/** Passes all vectors of an index to the thread, except those of units that were `removed` meanwhile. */
export async function loadVectors({
  id,
  index,
  thread,
  removed,
  isOver,
}: {
  id: string;
  index: Pick<LanceIndex, 'dimensions' | 'countByUnit' | 'readVectors'>;
  thread: Pick<ResidentThread, 'add'>;
  removed: ReadonlySet<number>;
  /** Whether the load was given up: then the rest is left out. */
  isOver: () => boolean;
}): Promise<void> {
  const { dimensions } = index;
  const counts = await index.countByUnit();
  let units: number[] = [];
  let rows = 0;
  const flush = async (): Promise<void> => {
    const read = await index.readVectors(units);
    [units, rows] = [[], 0];
    for (let from = 0; from < read.units.length && !isOver(); from += rowsAtOnce)
      await thread.add(id, without(removed, slice(read, from, from + rowsAtOnce, dimensions), dimensions));
  };
  for (const [unit, { rows: count }] of counts) {
    if (isOver()) return;
    units.push(unit);
    rows += count;
    if (rows >= rowsRead) await flush();
  }
  if (units.length > 0) await flush();
}

function slice({ units, ordinals, vectors }: VectorRows, from: number, to: number, dimensions: number): VectorRows {
  return {
    units: units.slice(from, to),
    ordinals: ordinals.slice(from, to),
    vectors: vectors.slice(from * dimensions, to * dimensions),
  };
}

/** Rows without those of units that were removed after the rows were read. */
function without(removed: ReadonlySet<number>, rows: VectorRows, dimensions: number): VectorRows {
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
