import type { InputFile } from '../job.ts';
import { createRowFilter } from '../../orders/row-filter.ts';
import { needWholeRows } from '../../orders/sample-parts.ts';
import type { Piece } from '../../orders/shard.ts';
import { drawInput, type NumberedFile } from './input-draw.ts';
import type { Ranked } from '../../orders/lowest.ts';
import { type DrawDeps, type DrawRequest, type DrawSizes, type Stratum, type StratumOptions, only } from './stratum.ts';
import { drawTables, drawPacked } from './table-strata.ts';
import { drawColumns } from './column-stratum.ts';

/** Randomly drawn samples, and facts about the draw. */
export type DrawnSamples = {
  /** Pieces with their drawn rows, in the order of the input. */
  pieces: Piece[];
  /** Number of samples that were read to draw from. */
  from: number;
  /** Number of samples in the input. */
  total: number;
  /** Whether `total` was counted, and all samples had the same probability; otherwise it is an estimate. */
  isExact: boolean;
  /** Files that were not verified. */
  uncheckedFiles: string[];
};

export const drawSizes: DrawSizes = {
  wholeBytes: 128 << 20,
  wholeFiles: 4096,
  blockBytes: 64 << 10,
  blockRounds: [1 << 10, 1 << 12, 1 << 14],
};

/**
 * Draws samples uniformly at random from all samples of the input; the same ones for the same seed and content. Files
 * that are one sample each are drawn by their paths. Tables of up to 128 MiB are read whole. From larger ones, blocks
 * of 64 KiB are drawn first, then rows among those that begin in them: each row has the same probability, but rows of
 * one block are drawn together more often than others, and the number of rows is estimated. Of compressed tables, up to
 * 64 files are drawn and read as far as a preview reads them.
 */
export async function drawSamples(
  deps: DrawDeps,
  { recipe, inputs, size, seed, signal }: DrawRequest,
): Promise<DrawnSamples> {
  const parts = await deps.pool.run('parts', recipe, signal);
  const filter = createRowFilter(recipe);
  const input = await drawInput(inputs, {
    seed,
    size,
    blockBytes: deps.sizes.blockBytes,
    maxBlocks: Math.max(...deps.sizes.blockRounds),
    hasDocuments: filter?.whyNotDocument() === undefined,
    hasMedia: parts.includes('media'),
  });
  const unchecked = new Set<string>();
  const isChecked = ({ path, sizeBytes }: InputFile, isWhole: boolean): boolean => {
    if (!isWhole || sizeBytes > deps.checkedBytes) unchecked.add(path);
    return isWhole && sizeBytes <= deps.checkedBytes;
  };
  const options: StratumOptions = { recipe, size, seed, signal, isChecked, isWholeRow: needWholeRows(parts) };
  const strata = [
    wholesOf(input.wholes),
    await drawTables(deps, input.tables, options),
    await drawPacked(deps, input.packed, options),
    await drawColumns(deps, input.columns, options),
  ];
  const pieces: Piece[] = [];
  for await (const slice of deps.files.unpackInputs(only(choose(strata, size)), signal)) pieces.push(...slice);
  const shown = new Set(pieces.map(({ path }) => path));
  return {
    pieces,
    from: sum(strata.map(({ from }) => from)),
    total: sum(strata.map(({ total }) => total)),
    isExact: strata.every(({ isExact }) => isExact),
    uncheckedFiles: [...unchecked, ...deps.files.cutPaths].filter((path) => shown.has(path)),
  };
}

function wholesOf({ total, drawn }: { total: number; drawn: readonly Ranked<NumberedFile>[] }): Stratum {
  return {
    total,
    from: total,
    isExact: true,
    pieces: drawn.map(({ item }) => ({ ...item, piece: item.file })),
    rows: drawn.map(({ priority }, piece) => ({ priority, item: { piece, row: 0 } })),
  };
}

/** Takes each stratum's share of the sample; returns the pieces of the drawn rows in the order of the input. */
function choose(strata: readonly Stratum[], size: number): Piece[] {
  const shares = sharesOf(
    strata.map(({ total, rows }) => ({ total, most: rows.length })),
    size,
  );
  const chosen = strata.flatMap(({ pieces, rows }, index) => {
    const drawn = new Map<number, number[]>();
    for (const { item } of rows.slice(0, shares[index])) {
      const known = drawn.get(item.piece);
      if (known === undefined) drawn.set(item.piece, [item.row]);
      else known.push(item.row);
    }
    return [...drawn].flatMap(([at, numbers]) => {
      const found = pieces[at];
      if (found === undefined) return [];
      const { fileNo, piece, numbers: { firstRow, firstLine } = { firstRow: null, firstLine: null } } = found;
      const isTable = piece.range !== undefined || piece.column !== undefined || 'numbers' in found;
      const rows = numbers.toSorted((one, other) => one - other);
      return { fileNo, at, piece: isTable ? { ...piece, drawn: { rows, firstRow, firstLine } } : piece };
    });
  });
  return chosen.toSorted((one, other) => one.fileNo - other.fileNo || one.at - other.at).map(({ piece }) => piece);
}

/**
 * Shares in proportion to the totals, by largest remainder; a stratum with too few items leaves the rest to the others.
 */
export function sharesOf(strata: readonly { total: number; most: number }[], size: number): number[] {
  const all = sum(strata.map(({ total }) => total));
  if (all === 0) return strata.map(() => 0);
  const wanted = strata.map(({ total }) => (size * total) / all);
  const shares = strata.map(({ most }, index) => Math.min(most, Math.floor(wanted[index] ?? 0)));
  const byRemainder = [...strata.keys()].toSorted((one, other) => remainder(wanted[other]) - remainder(wanted[one]));
  for (let isLeft = true; isLeft && sum(shares) < size;) {
    isLeft = false;
    for (const index of byRemainder) {
      if (sum(shares) >= size || (shares[index] ?? 0) >= (strata[index]?.most ?? 0)) continue;
      shares[index] = (shares[index] ?? 0) + 1;
      isLeft = true;
    }
  }
  return shares;
}

function remainder(share: number | undefined): number {
  return (share ?? 0) % 1;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}
