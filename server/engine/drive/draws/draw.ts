import { RunFailure } from '../../../runs/index.ts';
import type { InputFile } from '../job.ts';
import { createRowFilter } from '../../orders/row-filter.ts';
import { fieldsOf } from '../../orders/row-texts.ts';
import { needWholeRows } from '../../orders/sample-parts.ts';
import { planShards, type ShardSizes } from '../shards/plan.ts';
import { shardLimits, type ColumnPart, type Piece, type Recipe } from '../../orders/shard.ts';
import { withPieces, type PieceSources } from '../shards/piece-places.ts';
import { createTableCutter, scannerOf } from '../shards/table-cuts.ts';
import type { PreviewFiles } from '../unpacking/preview-files.ts';
import type { ThreadPool } from '../pools/thread-pool.ts';
import { WorkerLost } from '../pools/worker-lost.ts';
import type { DrawResult, DrawnRow } from '../../orders/draw-jobs.ts';
import { drawInput, type Block, type BlockDraw, type NumberedFile } from './input-draw.ts';
import { createLowest, type Ranked } from '../../orders/lowest.ts';
import { placeKey, priorityOf } from '../../orders/seeded-order.ts';

export type DrawDeps = Omit<PieceSources, 'unpacked'> & {
  pool: ThreadPool;
  /** Contents of compressed files; keep them open while the drawn pieces are used. */
  files: PreviewFiles;
  checkedBytes: number;
  sizes: DrawSizes;
};

export type DrawRequest = {
  recipe: Recipe;
  inputs: AsyncIterable<readonly InputFile[]>;
  size: number;
  seed: number;
  signal: AbortSignal;
};

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

export type DrawSizes = {
  /** Up to this size, tables are read whole, verified, and every sample has exactly the same probability. */
  wholeBytes: number;
  wholeFiles: number;
  blockBytes: number;
  /**
   * Numbers of blocks to read of larger input, in rounds: as many as it takes to find several times as many rows as are
   * drawn, so that few drawn rows are neighbours.
   */
  blockRounds: readonly number[];
};

export const drawSizes: DrawSizes = {
  wholeBytes: 128 << 20,
  wholeFiles: 4096,
  blockBytes: 64 << 10,
  blockRounds: [1 << 10, 1 << 12, 1 << 14],
};

const rowsPerDrawn = 4;

/** Small shards: their rows are drawn in one pass. */
const plan: ShardSizes = { shardBytes: 1 << 20, shardFiles: 100 };

/** A part of the input: its number of samples, and some drawn from it. */
type Stratum = {
  /** Estimated, unless all of it was read. */
  total: number;
  from: number;
  isExact: boolean;
  pieces: readonly (NumberedFile & { piece: Piece; numbers?: { firstRow: number | null; firstLine: number | null } })[];
  rows: readonly Ranked<DrawnRow>[];
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

type StratumOptions = Omit<DrawRequest, 'inputs'> & {
  isChecked: (file: InputFile, isWhole: boolean) => boolean;
  /** Whether steps need all columns of a row. */
  isWholeRow: boolean;
};

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

async function drawTables(deps: DrawDeps, draw: BlockDraw, options: StratumOptions): Promise<Stratum> {
  const { size } = options;
  const { wholeBytes, wholeFiles, blockRounds } = deps.sizes;
  if (draw.sizeBytes <= wholeBytes && draw.files <= wholeFiles) {
    const pieces = await planTables(deps, draw, options);
    const { from, ...rest } = await drawFrom(deps, pieces, options);
    return { ...rest, from, total: from, isExact: true };
  }
  for (const count of blockRounds) {
    const blocks = inOrder(draw.drawn.slice(0, count).map(({ item }) => item));
    const found = await drawFrom(deps, blocks.map(pieceOf(deps.sizes, options)), options);
    const isLast = count === blockRounds.at(-1) || blocks.length === draw.blocks;
    if (!isLast && found.from < rowsPerDrawn * size) continue;
    const isExact = blocks.length === draw.blocks;
    return { ...found, isExact, total: Math.round((found.from * draw.blocks) / blocks.length) };
  }
  throw new Error('No blocks were read');
}

/** Compressed tables can be read only from their beginning: draws whole files, then rows among the first of each. */
async function drawPacked(deps: DrawDeps, draw: BlockDraw, options: StratumOptions): Promise<Stratum> {
  const files = filesOf(draw.drawn);
  const pieces: Stratum['pieces'][number][] = [];
  const cutBefore = deps.files.cutPaths.length;
  for await (const slice of deps.files.unpackInputs(only(files.map(({ file }) => file)), options.signal)) {
    for (const piece of slice) pieces.push({ fileNo: files[pieces.length]?.fileNo ?? 0, file: piece, piece });
  }
  const found = await drawFrom(deps, pieces, options);
  const isExact = files.length === draw.blocks && deps.files.cutPaths.length === cutBefore;
  const total = isExact ? found.from : Math.round((found.from * draw.blocks) / files.length);
  return { ...found, isExact, total };
}

/** The verified pieces of all tables, cut at rows. */
async function planTables(
  deps: DrawDeps,
  { drawn }: BlockDraw,
  { recipe, signal, isChecked }: StratumOptions,
): Promise<Stratum['pieces']> {
  const files = filesOf(drawn);
  const numbers = new Map(files.map(({ fileNo, file }) => [file.fileId, fileNo]));
  const cutter = createTableCutter({ scan: scannerOf(deps), plan }, { recipe, signal });
  const planned: Stratum['pieces'][number][] = [];
  const inputs = only(files.map(({ file }) => file));
  const cutColumn = (): never => {
    throw new Error('A table of lines is no Parquet file');
  };
  const cutTable = async (file: InputFile, format: Parameters<typeof cutter>[1]) =>
    isChecked(file, true) ? cutter(file, format) : undefined;
  for await (const { pieces } of planShards(inputs, { ...plan, cutTable, cutColumn })) {
    for (const piece of pieces) planned.push({ fileNo: numbers.get(piece.fileId) ?? 0, file: piece, piece });
  }
  return planned;
}

function pieceOf(
  { blockBytes }: DrawSizes,
  { isChecked }: StratumOptions,
): (block: Block) => Stratum['pieces'][number] {
  return ({ fileNo, file, block, of }) => {
    // A file in one block is read and verified whole.
    if (of === 1) return { fileNo, file, piece: file };
    isChecked(file, false);
    const from = block * blockBytes;
    const range = { from, to: Math.min(from + blockBytes, file.sizeBytes) };
    return { fileNo, file, piece: { ...file, range } };
  };
}

async function drawFrom(
  deps: DrawDeps,
  pieces: Stratum['pieces'],
  { recipe, size, seed, signal }: StratumOptions,
): Promise<Pick<Stratum, 'from' | 'pieces' | 'rows'>> {
  if (pieces.length === 0) return { from: 0, pieces: [], rows: [] };
  const wanted = { pieces: pieces.map(({ piece }) => piece), maxDocuments: 0, signal };
  const found = await withPieces({ ...deps, unpacked: deps.files.paths }, wanted, (placed) =>
    lostIsFailure(deps.pool.run('draw', { recipe, pieces: placed, limits: shardLimits, seed, size }, signal)),
  );
  return {
    from: found.from,
    rows: found.rows,
    pieces: pieces.map((given, index) => {
      const { firstRow = null, firstLine = null, ...changes } = found.pieces[index] ?? {};
      return { ...given, piece: { ...given.piece, ...changes }, numbers: { firstRow, firstLine } };
    }),
  };
}

async function lostIsFailure(work: Promise<DrawResult>): Promise<DrawResult> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof WorkerLost)) throw error;
    throw new RunFailure(`drawing samples: ${error.message}`, { cause: error });
  }
}

/** Each Parquet file stores its number of rows, so rows are drawn without reading them. */
async function drawColumns(
  { columns }: DrawDeps,
  draw: BlockDraw,
  { recipe, size, seed, signal, isChecked, isWholeRow }: StratumOptions,
): Promise<Stratum> {
  const isWhole = draw.drawn.length === draw.blocks;
  const lowest = createLowest<DrawnRow>(size);
  const pieces: Stratum['pieces'][number][] = [];
  let from = 0;
  for (const { fileNo, file } of filesOf(draw.drawn)) {
    const blocks = inOrder(draw.drawn.flatMap(({ item }) => (item.fileNo === fileNo ? [item] : [])));
    const fields = fieldsOf(recipe, file.path);
    const where = (recipe.where ?? []).map(({ field }) => field);
    const wanted = { parts: blocks.map(({ block }) => block), of: blocks[0]?.of ?? 1, fields, where, isWholeRow };
    const found = await columns.pick(file, { ...wanted, isChecked: isChecked(file, isWhole), signal });
    const key = placeKey(seed, file.path);
    if ('problem' in found) {
      if (blocks[0]?.block !== 0) continue;
      const blob = found.isDamaged ? { blobId: null } : {};
      pieces.push({ fileNo, file, piece: { ...file, ...blob, problem: found.problem } });
      lowest.add(priorityOf(key, 0, 0), { piece: pieces.length - 1, row: 0 });
      from += 1;
      continue;
    }
    for (const part of found.parts) {
      const column: ColumnPart = { ...found.column, ...part };
      const numbers = { firstRow: part.from, firstLine: null };
      pieces.push({ fileNo, file, piece: { ...file, column }, numbers });
      for (let row = part.from; row < part.to; row += 1) {
        const priority = priorityOf(key, row, 0);
        if (priority < lowest.bound) lowest.add(priority, { piece: pieces.length - 1, row: row - part.from });
      }
      from += part.to - part.from;
    }
  }
  const total = isWhole ? from : Math.round((from * draw.blocks) / draw.drawn.length);
  return { total, from, isExact: isWhole, pieces, rows: lowest.take() };
}

async function* only<T>(items: readonly T[]): AsyncGenerator<readonly T[]> {
  yield items;
}

function filesOf(drawn: BlockDraw['drawn']): NumberedFile[] {
  const files = new Map(drawn.map(({ item: { fileNo, file } }) => [fileNo, { fileNo, file }]));
  return [...files.values()].toSorted((one, other) => one.fileNo - other.fileNo);
}

function inOrder(blocks: readonly Block[]): Block[] {
  return blocks.toSorted((one, other) => one.fileNo - other.fileNo || one.block - other.block);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}
