import type { BlobReader, BlobStore, BlobWriter, StagedBlob } from '../../../storage/blobs/blob-store.ts';
import type { ShardsTable } from '../../../storage/database/tables/engine.ts';
import { crc32 } from '../../../kernel/crc32.ts';
import { RunFailure } from '../../../runs/index.ts';
import {
  createColumnsRelay,
  headerColumns,
  mergeColumns,
  type ColumnsRelay,
  type DelimitedColumns,
} from '../../../tables/delimited-columns.ts';
import { isRepacked, writtenPathOf } from '../../../tables/compression/compressed-names.ts';
import { sourceOf, type Piece } from '../../orders/shard.ts';
import { blobIdsOf, nameOf, openOutput, type StoredFigures, type StoredOutput } from '../shards/shard-outcome.ts';
import type { RewrittenTable } from '../shards/column-files.ts';
import { describeDamage } from '../../orders/stored-bytes.ts';

const blockBytes = 1 << 20;

/** The joined output of a large file, and its parts. */
export type JoinedFile = {
  staged: StagedBlob[];
  /** Types of a Parquet file that could not be kept. */
  losses?: readonly string[];
  /** The columns that a Parquet file gained. */
  added?: RewrittenTable['added'];
  /** Set if nothing was changed: the output is the blob of the source. */
  retained: string[];
  released: string[];
  shards: { shard_no: number; outputs: string; first_row: number; first_line: number | null }[];
};

/** The output of a part, and its range of the source. */
type JoinedPart = StoredOutput & { range: Piece['range'] };

/** Rewrites a Parquet file with the new texts of its parts. */
export type RewriteTable = (
  piece: Piece,
  shards: readonly ShardsTable[],
  signal: AbortSignal,
) => Promise<RewrittenTable>;

/**
 * Writes the outputs of a large file's shards in order into one blob: the only copy that a join makes, whatever the
 * lengths and order of the shards. An unchanged file is not copied.
 */
export async function joinFile(
  { blobs, rewriteTable }: { blobs: BlobStore; rewriteTable: RewriteTable },
  shards: readonly ShardsTable[],
  signal: AbortSignal,
): Promise<JoinedFile> {
  const { piece } = firstOf(shards);
  if (piece.column !== undefined) {
    const isUntouched = shards.every((shard) => partsOf(shard).every((part) => !('blobId' in part)));
    if (isUntouched) return describeJoined(shards, undefined);
    const { staged, losses, added } = await rewriteTable(piece, shards, signal);
    return { ...describeJoined(shards, staged), losses, added };
  }
  const join = openJoin(blobs, piece, relaysOf(shards));
  try {
    for (const shard of shards) {
      await join.write(partsOf(shard));
      signal.throwIfAborted();
    }
    return describeJoined(shards, await join.finish());
  } finally {
    await join.close();
  }
}

/** A large file that is written part by part, in order. */
export type Join = {
  /** Writes the outputs of a part, from `held` where it has their bytes. */
  write(parts: readonly JoinedPart[], held?: ReadonlyMap<string, Uint8Array>): Promise<void>;
  /** The whole file; undefined if no part was changed. */
  finish(): Promise<StagedBlob | undefined>;
  /** Must always be called; discards an unfinished file. */
  close(): Promise<void>;
};

/** Converts a part of a delimited table to the columns of all parts. */
type RelayOf = (part: JoinedPart) => ColumnsRelay;

/** Undefined if all parts have the columns of the source. */
function relaysOf(shards: readonly ShardsTable[]): RelayOf | undefined {
  const layout = shards.flatMap((shard) => partsOf(shard)).find(({ table }) => table !== undefined)?.table?.layout;
  if (layout === undefined) return undefined;
  const header = headerColumns(layout.delimited ?? {});
  const columnsOf = ({ table }: JoinedPart): DelimitedColumns => table?.columns ?? header;
  const written = shards.filter(({ count_emitted }) => (count_emitted ?? 0) > 0);
  const to = mergeColumns(
    written.flatMap((shard) => partsOf(shard)).map((part) => columnsOf(part)),
    header,
  );
  return (part) => {
    const isFileStart = part.range === undefined || part.range.from === 0;
    return createColumnsRelay({ layout, from: columnsOf(part), to, header: isFileStart ? 'WRITE' : 'NONE' });
  };
}

/** Whether the columns of a part differ from its source's: the file is then written when all parts are done. */
export function hasOtherColumns(shard: Pick<ShardsTable, 'outputs' | 'pieces'>): boolean {
  return partsOf(shard).some(({ table }) => table !== undefined);
}

export function openJoin(blobs: BlobStore, piece: Pick<Piece, 'path' | 'blobId' | 'packed'>, relayOf?: RelayOf): Join {
  const { path, blobId } = piece;
  let writer: BlobWriter | undefined;
  let source: BlobReader | undefined;
  /** Nothing is written until the first change. */
  let unchanged: JoinedPart[] = [];
  /** Whether an element of the array has been written. */
  let hasElements = false;

  async function writePart(
    writer: BlobWriter,
    part: JoinedPart,
    held: ReadonlyMap<string, Uint8Array> | undefined,
  ): Promise<void> {
    const relay = relayOf?.(part);
    if (relay === undefined) return copyPart(writer, part, held);
    await copyPart({ write: (bytes) => writer.write(relay.push(bytes)) }, part, held);
    await writer.write(relay.end());
  }

  async function copyPart(
    to: Pick<BlobWriter, 'write'>,
    part: JoinedPart,
    held: ReadonlyMap<string, Uint8Array> | undefined,
  ): Promise<void> {
    // The first element of an array has no comma before it.
    const skip = hasElements ? 0 : (part.lead ?? 0);
    hasElements ||= part.lead !== undefined;
    if (part.sizeBytes === 0) return;
    if (!('blobId' in part)) return copyRange(to, part, skip);
    const bytes = held?.get(part.blobId);
    if (bytes === undefined) {
      let left = skip;
      for await (const { bytes: block } of blobs.readAll([part.blobId])) {
        if (left < block.length) await to.write(block.subarray(left));
        left = Math.max(0, left - block.length);
      }
      return;
    }
    for (let at = skip; at < bytes.length; at += blockBytes) await to.write(bytes.subarray(at, at + blockBytes));
  }

  async function copyRange(
    to: Pick<BlobWriter, 'write'>,
    part: JoinedPart & { start: number },
    skip: number,
  ): Promise<void> {
    if (blobId === null) throw new Error(`${path} has no content`);
    source ??= await blobs.open(blobId);
    const block = new Uint8Array(Math.min(blockBytes, part.sizeBytes));
    let crc = 0;
    for (let at = part.start; at < part.start + part.sizeBytes;) {
      const wanted = Math.min(blockBytes, part.start + part.sizeBytes - at);
      const count = await source.read(block.subarray(0, wanted), at);
      if (count === 0) throw new Error(`Blob ${blobId} ends at ${at}`);
      const bytes = block.subarray(0, count);
      crc = crc32(bytes, crc);
      const wantedFrom = Math.max(0, part.start + skip - at);
      if (wantedFrom < bytes.length) await to.write(bytes.subarray(wantedFrom));
      at += count;
    }
    const isWhole = part.start === part.range?.from && part.start + part.sizeBytes === part.range.to;
    if (isWhole && part.range?.crc32 !== undefined && crc !== part.range.crc32) {
      throw new RunFailure(describeDamage(path, part.range));
    }
  }

  return {
    async write(parts, held) {
      const isRewritten =
        relayOf !== undefined || isRepacked(piece.packed?.compression) || parts.some((part) => 'blobId' in part);
      if (writer === undefined && isRewritten) {
        writer = openOutput(blobs, piece, writtenPathOf(path));
        for (const part of unchanged) await writePart(writer, part, undefined);
        unchanged = [];
      }
      if (writer === undefined) unchanged.push(...parts);
      else for (const part of parts) await writePart(writer, part, held);
    },
    async finish() {
      const staged = await writer?.finish();
      writer = undefined;
      return staged;
    },
    async close() {
      const [left, opened] = [writer, source];
      writer = undefined;
      source = undefined;
      await left?.abort();
      await opened?.close();
    },
  };
}

/** The contribution of a shard to its file. */
export function partsOf({ outputs, pieces }: Pick<ShardsTable, 'outputs' | 'pieces'>): JoinedPart[] {
  const [{ range } = {}] = JSON.parse(pieces) as Piece[];
  return (JSON.parse(outputs ?? '[]') as StoredOutput[]).map((output): JoinedPart => ({ ...output, range }));
}

/** Whether no sample of the file was kept. */
export function isEmptied(shards: readonly ShardsTable[]): boolean {
  return shards.every((shard) => shard.count_emitted === 0);
}

/** The shard rows of a file that is not written at all. */
export function describeLeftOut(shards: readonly ShardsTable[]): JoinedFile {
  const joined = describeJoined(shards, undefined);
  return { ...joined, retained: [], shards: joined.shards.map((shard) => ({ ...shard, outputs: '[]' })) };
}

/** The shard rows of a file after the join; `staged` is undefined if nothing was changed. */
export function describeJoined(shards: readonly ShardsTable[], staged: StagedBlob | undefined): JoinedFile {
  const { first, piece } = firstOf(shards);
  const source = sourceOf(piece);
  const sourceId = source.blobId ?? piece.blobId;
  const output: StoredOutput = {
    ...nameOf(piece, staged === undefined ? piece.path : writtenPathOf(piece.path)),
    sizeBytes: staged?.sizeBytes ?? source.sizeBytes,
    blobId: staged?.id ?? sourceId,
  };
  let firstRow = 0;
  /** Null where it is unknown: in formats without lines, and after parts that an earlier version processed. */
  let firstLine: number | null = piece.column === undefined ? 0 : null;
  return {
    staged: staged === undefined ? [] : [staged],
    retained: staged === undefined ? [sourceId] : [],
    released: shards.flatMap(({ outputs }) => blobIdsOf(outputs)),
    shards: shards.map((shard) => {
      const joined = {
        shard_no: shard.shard_no,
        outputs: shard === first ? JSON.stringify([output]) : '[]',
        first_row: firstRow,
        first_line: firstLine,
      };
      const figures = JSON.parse(shard.figures ?? 'null') as StoredFigures | null;
      firstRow += figures?.rows[0] ?? 0;
      const lineEnds = figures?.lineEnds?.[0];
      firstLine = firstLine === null || lineEnds === undefined ? null : firstLine + lineEnds;
      return joined;
    }),
  };
}

function firstOf(shards: readonly ShardsTable[]): { first: ShardsTable; piece: Piece & { blobId: string } } {
  const [first] = shards;
  const [piece] = first === undefined ? [] : (JSON.parse(first.pieces) as Piece[]);
  if (first === undefined || piece === undefined || piece.blobId === null) throw new Error('A file without parts');
  return { first, piece: { ...piece, blobId: piece.blobId } };
}
