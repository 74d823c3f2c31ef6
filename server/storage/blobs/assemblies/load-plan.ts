import type { BlobRows } from '../blob-rows.ts';
import { blobErrors } from '../errors.ts';
import type { BlobRow } from '../queries/blobs.ts';

/** A part of a blob (all of it when it is small) within a load's buffer, at offset `at`. */
export type Part = {
  index: number;
  blobId: string;
  row: BlobRow | undefined;
  /** First byte within the blob. */
  from: number;
  length: number;
  at: number;
  last: boolean;
  error?: Error;
};

/** One read: `length` bytes from `position` in the file to `at` in the buffer; covers the bytes of `parts`. */
export type ReadRange = { path: string; position: number; length: number; at: number; parts: Part[] };

/** What is read into one buffer. */
export type Load = { length: number; parts: Part[]; ranges: ReadRange[] };

/** Blobs looked up per statement. */
const lookupCount = 512;

/** Bytes between two records that are read and discarded rather than skipped with a second call. */
const maxGapBytes = 4096;

/**
 * Divides the bytes of blobs into loads, in order: large blobs are split, small ones gathered. Within a load, neighbours in
 * a pack are read by one call in whatever order they were requested: parallel clients fill a pack nearly in order.
 */
export async function* planLoads(options: {
  rows: BlobRows;
  blobIds: Iterable<string> | AsyncIterable<string>;
  pathOf(row: BlobRow): string;
  /** Size of the next load. */
  pieceBytes(): number;
}): AsyncGenerator<Load, void, void> {
  const { rows, blobIds, pathOf, pieceBytes } = options;
  let gathered: Part[] = [];
  let gatheredBytes = 0;

  function* takeGathered(): Generator<Load, void, void> {
    if (gathered.length > 0) yield makeLoad(gathered, pathOf);
    gathered = [];
    gatheredBytes = 0;
  }

  function* planBlob(index: number, blobId: string, row: BlobRow | undefined): Generator<Load, void, void> {
    if (row === undefined) {
      if (gathered.length >= lookupCount) yield* takeGathered();
      const error = blobErrors.BLOB_MISSING({ id: blobId });
      gathered.push({ index, blobId, row, from: 0, length: 0, at: 0, last: true, error });
      return;
    }
    const { size_bytes: sizeBytes } = row;
    if (gatheredBytes + sizeBytes > pieceBytes() || gathered.length >= lookupCount) yield* takeGathered();
    if (sizeBytes <= pieceBytes()) {
      gathered.push({ index, blobId, row, from: 0, length: sizeBytes, at: 0, last: true });
      gatheredBytes += sizeBytes;
      return;
    }
    for (let from = 0; from < sizeBytes;) {
      const length = Math.min(pieceBytes(), sizeBytes - from);
      yield makeLoad([{ index, blobId, row, from, length, at: 0, last: from + length === sizeBytes }], pathOf);
      from += length;
    }
  }

  async function* planBatch(first: number, ids: readonly string[]): AsyncGenerator<Load, void, void> {
    const found = new Map((await rows.findAll(ids)).map((row) => [row.id, row]));
    for (const [offset, id] of ids.entries()) yield* planBlob(first + offset, id, found.get(id));
  }

  let first = 0;
  let batch: string[] = [];
  for await (const id of blobIds) {
    batch.push(id);
    if (batch.length < lookupCount) continue;
    yield* planBatch(first, batch);
    first += batch.length;
    batch = [];
  }
  if (batch.length > 0) yield* planBatch(first, batch);
  yield* takeGathered();
}

function makeLoad(parts: Part[], pathOf: (row: BlobRow) => string): Load {
  const placed = parts.flatMap((part) =>
    part.row === undefined || part.row.kind === 'empty' || part.length === 0
      ? []
      : [{ part, path: pathOf(part.row), position: part.row.object_offset + part.from }],
  );
  placed.sort((a, b) => (a.path === b.path ? a.position - b.position : a.path < b.path ? -1 : 1));
  const ranges: ReadRange[] = [];
  let length = 0;
  for (const { part, path, position } of placed) {
    const last = ranges.at(-1);
    const lastEnd = last === undefined ? 0 : last.position + last.length;
    if (last !== undefined && last.path === path && position <= lastEnd + maxGapBytes) {
      const end = Math.max(lastEnd, position + part.length);
      length += end - lastEnd;
      last.length = end - last.position;
      last.parts.push(part);
      part.at = last.at + (position - last.position);
    } else {
      ranges.push({ path, position, length: part.length, at: length, parts: [part] });
      part.at = length;
      length += part.length;
    }
  }
  return { length, parts, ranges };
}
