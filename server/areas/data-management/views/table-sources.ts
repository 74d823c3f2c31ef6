import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { BlobPath, BlobStore } from '../../../storage/blobs/blob-store.ts';
import type { Compression } from '../../../tables/compression/compressed-names.ts';
import { CompressedDataProblem } from '../../../tables/compression/unpack-gauge.ts';
import { unpack } from '../../../tables/compression/unpacking.ts';
import { ViewUnreadable, type TableViews, type ViewSource } from '../../../tables/views/index.ts';
import type { SheetPlace, SheetStore } from './sheet-store.ts';
import type { TableUses } from './table-uses.ts';

/** The content of a table: a blob, read in a format. */
export type TableBlob = {
  id: string;
  sizeBytes: number;
  /** The dataset of the request: datasets take turns with long work on their tables. */
  datasetId?: string;
  format: ViewSource['format'];
  /** Set if its bytes must be unpacked, which is done once, next to its index. */
  compression?: Compression;
  /** Set for a sheet of a workbook, which is written as JSON Lines once. */
  sheet?: SheetPlace;
};

/**
 * Calls `work` with a local file of a table's bytes; it and the table's index stay until it ends. `signal` aborts
 * copying or unpacking.
 */
export type WithTable = <T>(
  blob: TableBlob,
  work: (source: ViewSource) => Promise<T>,
  signal?: AbortSignal,
) => Promise<T>;

/** The prefix of the names of all files derived from a table. */
export function keyOf({ id, format, compression, sheet }: TableBlob): string {
  if (sheet !== undefined) return `${id}.sheet${sheet.number}`;
  return [id, format, ...(compression === undefined ? [] : [compression])].join('.');
}

export type TableSources = { withSource: WithTable };

/** Unpacked bytes per packed byte, as in a run. */
const maxUnpackRatio = 1_000;

/** Provides the bytes of tables as local files; copies and unpacked bytes are kept in the folder of indexes. */
export function createTableSources({
  directory,
  maxBytes,
  blobs,
  views,
  sheets,
  uses,
  signal: closing,
}: {
  directory: string;
  maxBytes: number;
  blobs: Pick<BlobStore, 'localPath'>;
  views: Pick<TableViews, 'unpack'>;
  sheets: Pick<SheetStore, 'source'>;
  uses: TableUses;
  signal: AbortSignal;
}): TableSources {
  const making = new Map<string, Promise<void>>();

  /** Calls of the same path share the work. */
  async function make(path: string, work: () => Promise<void>): Promise<void> {
    const shared = making.get(path) ?? work().finally(() => making.delete(path));
    making.set(path, shared);
    await shared;
  }

  /** Parquet must be read from a file of its own, but a small one is part of a pack. */
  async function sourceOf(blob: TableBlob, place: BlobPath, signal: AbortSignal): Promise<ViewSource> {
    const { path, offset, sizeBytes } = place;
    const found = { path, offset, sizeBytes, format: blob.format };
    if (blob.sheet !== undefined) return sheets.source(blob.id, blob.sheet, place, signal);
    if (blob.compression !== undefined) return unpackedOf(blob, found, blob.compression, signal);
    if (blob.format !== 'parquet') return found;
    if (offset === 0 && (await stat(path)).size === sizeBytes) return found;
    const copy = join(directory, `${keyOf(blob)}.source`);
    await make(copy, () => copyTo(copy, place));
    return { ...found, path: copy, offset: 0 };
  }

  async function copyTo(copy: string, { path, offset, sizeBytes }: BlobPath): Promise<void> {
    const isThere = await stat(copy).then(
      ({ size }) => size === sizeBytes,
      () => false,
    );
    if (isThere) return;
    await mkdir(directory, { recursive: true });
    const end = offset + sizeBytes - 1;
    await pipeline(createReadStream(path, { start: offset, end }), createWriteStream(`${copy}.new`));
    await rename(`${copy}.new`, copy);
  }

  /** The unpacked bytes of a compressed table. */
  async function unpackedOf(
    blob: TableBlob,
    packed: ViewSource,
    compression: Compression,
    signal: AbortSignal,
  ): Promise<ViewSource> {
    const path = join(directory, `${keyOf(blob)}.source`);
    await make(path, () => unpackTo(path, packed, compression, signal));
    return { path, offset: 0, sizeBytes: (await stat(path)).size, format: blob.format };
  }

  async function unpackTo(
    path: string,
    packed: ViewSource,
    compression: Compression,
    signal: AbortSignal,
  ): Promise<void> {
    const isThere = await stat(path).then(
      () => true,
      () => false,
    );
    if (isThere) return;
    await mkdir(directory, { recursive: true });
    const limits = { maxBytes, maxRatio: maxUnpackRatio, ratioFreeBytes: 100 << 20 };
    const part = `${path}.new`;
    try {
      if (compression === 'bzip2' || compression === 'arrow') {
        await views.unpack({ packed, compression, limits, path: part }, signal);
      } else {
        const { offset: start, sizeBytes } = packed;
        const bytes = createReadStream(packed.path, { start, end: start + sizeBytes - 1, highWaterMark: 1 << 20 });
        await pipeline(unpack(bytes, compression, limits), createWriteStream(part), { signal });
      }
      await rename(part, path);
    } catch (error) {
      await rm(part, { force: true });
      if (error instanceof CompressedDataProblem) throw new ViewUnreadable(error.reason, { cause: error });
      throw error;
    }
  }

  return {
    withSource: (blob, work, signal = closing) =>
      uses.hold(blob.id, async () => {
        const place = await blobs.localPath(blob.id);
        try {
          return await work(await sourceOf(blob, place, signal));
        } finally {
          await place.release();
        }
      }),
  };
}
