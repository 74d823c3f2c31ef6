import type { BlobBytes, BlobWriter, StagedBlob } from '../../../storage/blobs/blob-store.ts';
import type { RowSchema, RowsSummary } from '../../../tables/row-schema.ts';
import type { StepFigures } from '../../orders/steps.ts';
import { compressionOf, isRepacked, writtenPathOf } from '../../../tables/compression/compressed-names.ts';
import { createPacker } from '../../../tables/compression/packing.ts';
import {
  sourceOf,
  type Aside,
  type AsideRange,
  type InputFacts,
  type Piece,
  type PieceOutput,
  type ShapedTable,
  type ShardResult,
  type VerdictCount,
} from '../../orders/shard.ts';

/**
 * A file of the result as stored in a shard's row. With `blobId`, the blob carries one reference for it; without, it is
 * an unchanged range of the source's blob from `start` on, which only parts of a large file have.
 */
export type StoredOutput = {
  path: string;
  /** Set if the run created this name: a file of the source may have it, too. */
  isMade?: true;
  sizeBytes: number;
  lead?: number;
  table?: ShapedTable;
  written?: RowSchema;
} & ({ blobId: string } | { start: number });

/** Figures of a shard as stored in its row. */
export type StoredFigures = {
  rows: number[];
  /** Rows of each piece that are not samples of the run; missing if there are none. */
  passed?: number[];
  /** Missing in runs of earlier versions. */ lineEnds?: number[];
  /** Of a result in a format of choice. */ rowsOut?: RowsSummary;
  /** By piece, as far as it is known. */ inputs?: (InputFacts | null)[];
  verdicts: VerdictCount[];
  steps: StepFigures[];
};

/**
 * A shard's set-aside bytes: the blob of its failed rows, and the blobs of files that failed as a whole. Each holds one
 * reference.
 */
export type SetAside = { blobId: string | null; files: string[] };

/** A shard's result whose bytes are in the blob store but not referenced by any row yet. */
export type ShardOutcome = {
  outputs: StoredOutput[];
  figures: StoredFigures;
  staged: StagedBlob[];
  /** Blobs of the source that are unchanged outputs. */
  retained: string[];
  ledger: StagedBlob;
  setAside: SetAside | null;
  /** The bytes of outputs by their blobs, valid until the result's memory is released. */
  held: ReadonlyMap<string, Uint8Array>;
};

/** Bytes per write, so that the store's buffers are copied instead of a whole shard. */
const writeBytes = 1 << 20;

export type OutcomeOptions = {
  /** Whether the outputs will be joined with others. */
  isPart: boolean;
  /** Whether to leave out files without a kept sample, including their header. */
  leavesOutEmpty: boolean;
};

/** Writes a shard's output and ledger into blobs; they survive power loss when this resolves. */
export async function stageOutcome(
  blobs: BlobBytes,
  pieces: readonly Piece[],
  { isPart, leavesOutEmpty }: OutcomeOptions,
  result: ShardResult,
): Promise<ShardOutcome> {
  const staged: StagedBlob[] = [];
  try {
    const retained: string[] = [];
    const outputs: StoredOutput[] = [];
    const held = new Map<string, Uint8Array>();
    for (const [index, piece] of pieces.entries()) {
      const { outputs: ofPiece = [], emitted = 0 } = result.pieces[index] ?? {};
      if (leavesOutEmpty && !isPart && emitted === 0) continue;
      if (!isPart && isComposed(ofPiece)) {
        const path = writtenPathOf(piece.path);
        const blob = await stageRanges(
          openOutput(blobs, piece, path),
          { blobs, pieces },
          ofPiece.map((output) => ({ ...output, from: output.from === 'source' ? index : output.from })),
          result.bytes,
        );
        staged.push(blob);
        outputs.push({ ...nameOf(piece, path), sizeBytes: blob.sizeBytes, blobId: blob.id });
        continue;
      }
      for (const { path, from, start, end, lead, table, written: columns } of ofPiece) {
        const sizeBytes = end - start;
        const led = lead === undefined ? {} : { lead };
        if (from === 'source' && isPart) outputs.push({ path, sizeBytes, start, ...led });
        else if (from === 'source' && isRepacked(piece.packed?.compression)) {
          const written = writtenPathOf(path);
          const ranges = [{ from: index, start, end }];
          const blob = await stageRanges(openOutput(blobs, piece, written), { blobs, pieces }, ranges, result.bytes);
          staged.push(blob);
          outputs.push({ ...nameOf(piece, written), sizeBytes: blob.sizeBytes, blobId: blob.id });
        } else if (from === 'source' && piece.blobId !== null) {
          const { blobId, sizeBytes: wholeBytes } = sourceOf(piece);
          retained.push(blobId ?? piece.blobId);
          outputs.push({ path, sizeBytes: wholeBytes, blobId: blobId ?? piece.blobId });
        } else if (from === 'result' && !isPart && isPacked(piece, path)) {
          const written = writtenPathOf(path);
          const ranges = [{ from, start, end }];
          const blob = await stageRanges(openOutput(blobs, piece, written), { blobs, pieces }, ranges, result.bytes);
          staged.push(blob);
          outputs.push({ ...nameOf(piece, written), sizeBytes: blob.sizeBytes, blobId: blob.id });
        } else if (from === 'result') {
          // The blob of a part is released when the file is joined.
          const bytes = result.bytes.subarray(start, end);
          const blob = await stage(blobs, bytes, { isTemporary: isPart });
          held.set(blob.id, bytes);
          staged.push(blob);
          outputs.push({
            ...nameOf(piece, path),
            sizeBytes,
            blobId: blob.id,
            ...led,
            ...(table === undefined ? {} : { table }),
            ...(columns === undefined ? {} : { written: columns }),
          });
        }
      }
    }
    const ledger = await stage(blobs, result.ledger);
    staged.push(ledger);
    const setAside = await stageAside(blobs, pieces, result.aside, staged);
    retained.push(...(setAside?.files ?? []));
    await blobs.flush();
    const passed = result.pieces.map((piece) => piece.passed);
    const figures = {
      rows: result.pieces.map(({ rows }) => rows),
      ...(passed.some((count) => count > 0) ? { passed } : {}),
      lineEnds: result.pieces.map(({ lineEnds }) => lineEnds),
      ...(result.rowsOut === undefined ? {} : { rowsOut: result.rowsOut }),
      inputs: result.inputs,
      verdicts: result.verdicts,
      steps: result.figures,
    };
    return { outputs, figures, staged, retained, ledger, setAside, held };
  } catch (error) {
    await blobs.settle(staged);
    throw error;
  }
}

/** The name of an output, and whether it differs from that of its source. */
export function nameOf(piece: Pick<Piece, 'path'>, path: string): Pick<StoredOutput, 'path' | 'isMade'> {
  return path === piece.path ? { path } : { path, isMade: true };
}

/** Writes bytes into a new blob. */
export async function stage(
  blobs: Pick<BlobBytes, 'create'>,
  bytes: Uint8Array,
  options?: Parameters<BlobBytes['create']>[0],
): Promise<StagedBlob> {
  const writer = blobs.create(options);
  try {
    for (let at = 0; at < bytes.length; at += writeBytes) await writer.write(bytes.subarray(at, at + writeBytes));
    return await writer.finish();
  } catch (error) {
    await writer.abort();
    throw error;
  }
}

/** Whether a piece's single output combines bytes of the result and ranges of its source. */
function isComposed(outputs: readonly PieceOutput[]): boolean {
  const [first] = outputs;
  return outputs.length > 1 && outputs.every(({ path }) => path === first?.path);
}

/** Whether an output of the piece is compressed like its source; the Markdown of a document is not. */
function isPacked({ packed }: Pick<Piece, 'packed'>, path: string): boolean {
  return packed !== undefined && compressionOf(path) !== undefined;
}

/** A writer for an output of the piece, which compresses it if its path says so. */
export function openOutput(blobs: BlobBytes, piece: Pick<Piece, 'packed'>, path: string): BlobWriter {
  const compression = isPacked(piece, path) ? compressionOf(path) : undefined;
  if (compression === undefined) return blobs.create();
  if (compression === 'bzip2' || compression === 'arrow')
    throw new Error(`${path}: nothing is written as ${compression}`);
  return createPacker(blobs.create(), compression);
}

/** Writes ranges of the result and of the pieces' contents into one blob. */
async function stageRanges(
  writer: BlobWriter,
  { blobs, pieces }: { blobs: BlobBytes; pieces: readonly Piece[] },
  ranges: readonly AsideRange[],
  bytes: Uint8Array,
): Promise<StagedBlob> {
  try {
    for (const { from, start, end } of ranges) {
      if (from !== 'result') await copyRange(blobs, writer, pieces[from]?.blobId ?? '', { start, end });
      else
        for (let at = start; at < end; at += writeBytes)
          await writer.write(bytes.subarray(at, Math.min(end, at + writeBytes)));
    }
    return await writer.finish();
  } catch (error) {
    await writer.abort();
    throw error;
  }
}

async function copyRange(
  blobs: BlobBytes,
  writer: BlobWriter,
  blobId: string,
  { start, end }: { start: number; end: number },
): Promise<void> {
  const reader = await blobs.open(blobId);
  try {
    const block = new Uint8Array(Math.min(writeBytes, end - start));
    for (let at = start; at < end;) {
      const count = await reader.read(block.subarray(0, Math.min(writeBytes, end - at)), at);
      if (count === 0) throw new Error(`Blob ${blobId} ends at ${at}`);
      await writer.write(block.subarray(0, count));
      at += count;
    }
  } finally {
    await reader.close();
  }
}

async function stageAside(
  blobs: BlobBytes,
  pieces: readonly Piece[],
  { bytes, ranges, files }: Aside,
  staged: StagedBlob[],
): Promise<SetAside | null> {
  if (ranges.length === 0 && files.length === 0) return null;
  let blobId: string | null = null;
  if (ranges.length > 0) {
    const blob = await stageRanges(blobs.create(), { blobs, pieces }, ranges, bytes);
    staged.push(blob);
    blobId = blob.id;
  }
  const fileIds = files.flatMap((index) => {
    const piece = pieces[index];
    return piece === undefined ? [] : (sourceOf(piece).blobId ?? []);
  });
  return { blobId, files: fileIds };
}

/** Blobs with the bytes that a shard set aside. */
export function asideIdsOf(setAside: string | null): string[] {
  if (setAside === null) return [];
  const { blobId, files } = JSON.parse(setAside) as SetAside;
  return blobId === null ? files : [blobId, ...files];
}

/** Blobs that a shard's outputs hold a reference to. */
export function blobIdsOf(outputs: string | null): string[] {
  if (outputs === null) return [];
  return (JSON.parse(outputs) as StoredOutput[]).flatMap((output) => ('blobId' in output ? [output.blobId] : []));
}
