import { createHash } from 'node:crypto';
import { crc32 } from '../../../kernel/crc32.ts';
import { centralHeaderBytes, endRecords, localHeaderBytes, writeLocalHeader, type ZipEntry } from './zip-records.ts';

/** Consecutive entries read from the database; `key` loads them again. */
export type ZipBatch<K> = { key: K; entries: readonly ZipEntry[] };

/** Position of a batch in the archive. */
export type ZipSlice<K> = {
  key: K;
  /** Offset of its first local header. */
  offset: number;
  /** Offset of its first record within the central directory. */
  directoryOffset: number;
  /** Detects whether the batch has changed when it is loaded again. */
  fingerprint: number;
  /** Kept while the archive is small: loading entries again would dominate its download time. */
  kept: ZipHeaders | undefined;
};

/** The layout of every byte of an archive, without its entries: 100 bytes per thousand entries. */
export type ZipLayout<K> = {
  slices: readonly ZipSlice<K>[];
  entryCount: number;
  directory: { offset: number; sizeBytes: number };
  sizeBytes: number;
  /** Depends on every byte of the archive. */
  tag: string;
};

const maxKeptEntries = 32_768;
const maxKeptHeaderBytes = 4 * 1024 * 1024;

/** Computes the layout in one pass over the entries. */
export async function measureZip<K>(batches: AsyncIterable<ZipBatch<K>>): Promise<ZipLayout<K>> {
  const slices: ZipSlice<K>[] = [];
  const hash = createHash('sha256');
  let offset = 0;
  let directoryBytes = 0;
  let entryCount = 0;
  let headerBytes = 0;
  for await (const { key, entries } of batches) {
    if (entries.length === 0) continue;
    const headers = headersOf(entries);
    const contents = contentsOf(entries);
    hash.update(headers.local).update(contents);
    entryCount += entries.length;
    headerBytes += headers.local.length;
    const isKept = entryCount <= maxKeptEntries && headerBytes <= maxKeptHeaderBytes;
    slices.push({
      key,
      offset,
      directoryOffset: directoryBytes,
      fingerprint: crc32(contents, crc32(headers.local)),
      kept: isKept ? headers : undefined,
    });
    for (const [index, entry] of entries.entries()) {
      const length = headers.lengthOf(index);
      directoryBytes += centralHeaderBytes(entry, length, offset);
      offset += length + entry.sizeBytes;
    }
  }
  const directory = { offset, sizeBytes: directoryBytes };
  const end = endRecords({ entryCount, ...directory });
  return {
    slices,
    entryCount,
    directory,
    sizeBytes: offset + directoryBytes + end.length,
    tag: hash.digest('base64url'),
  };
}

/** Entries with their local headers in one buffer. */
export type ZipHeaders = {
  entries: readonly ZipEntry[];
  local: Buffer;
  /** Length of one local header. */
  lengthOf(index: number): number;
};

export function headersOf(entries: readonly ZipEntry[]): ZipHeaders {
  const ends = new Uint32Array(entries.length);
  let length = 0;
  for (const [index, entry] of entries.entries()) ends[index] = length += localHeaderBytes(entry);
  const local = Buffer.allocUnsafeSlow(length);
  let at = 0;
  for (const entry of entries) at = writeLocalHeader(local, at, entry);
  return { entries, local, lengthOf: (index) => (ends[index] ?? 0) - (index === 0 ? 0 : (ends[index - 1] ?? 0)) };
}

/** Covers everything that the archive takes from a batch: names, times, sizes, checksums, and content ids. */
export function fingerprintOf({ entries, local }: ZipHeaders): number {
  return crc32(contentsOf(entries), crc32(local));
}

/** The content ids of a batch: two contents may share a checksum. */
function contentsOf(entries: readonly ZipEntry[]): Buffer {
  let ids = '';
  for (const { blobId } of entries) ids += `${blobId ?? ''},`;
  return Buffer.from(ids, 'latin1');
}
