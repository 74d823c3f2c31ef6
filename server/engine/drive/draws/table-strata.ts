import { runSentences } from '../../../kernel/sentences/index.ts';
import { RunFailure } from '../../../runs/index.ts';
import type { InputFile } from '../job.ts';
import { planShards, type ShardSizes } from '../shards/plan.ts';
import { shardLimits } from '../../orders/shard.ts';
import { withPieces } from '../shards/piece-places.ts';
import { createTableCutter, scannerOf } from '../shards/table-cuts.ts';
import { WorkerLost } from '../pools/worker-lost.ts';
import type { DrawResult } from '../../orders/draw-jobs.ts';
import type { Block, BlockDraw } from './input-draw.ts';
import { type DrawDeps, type DrawSizes, type Stratum, type StratumOptions, only, filesOf, inOrder } from './stratum.ts';

const rowsPerDrawn = 4;

/** Small shards: their rows are drawn in one pass. */
const plan: ShardSizes = { shardBytes: 1 << 20, shardFiles: 100 };

export async function drawTables(deps: DrawDeps, draw: BlockDraw, options: StratumOptions): Promise<Stratum> {
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
export async function drawPacked(deps: DrawDeps, draw: BlockDraw, options: StratumOptions): Promise<Stratum> {
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
    throw new RunFailure(runSentences.DRAWING_SAMPLES.reason({ why: error.reason }), { cause: error });
  }
}
