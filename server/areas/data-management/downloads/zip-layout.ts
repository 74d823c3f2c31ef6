import { createHash } from 'node:crypto';
import { crc32 } from '../../../storage/blobs/hashing/crc32.ts';
import { centralHeaderBytes, endRecords, localHeaderBytes, writeLocalHeader, type ZipEntry } from './zip-records.ts';

/** Entries that follow one another, as they are read from the database; `key` finds them again. */
export type ZipBatch<K> = { key: K; entries: readonly ZipEntry[] };

/** Where a batch stands in the archive. */
export type ZipSlice<K> = {
  key: K;
  /** Of its first local header. */
  offset: number;
  /** Of its first record within the central directory. */
  directoryOffset: number;
  /** Tells whether the batch, when read again, is still the same. */
  fingerprint: number;
  /** Kept while the archive is small: reading them again is what a small archive would mostly wait for. */
  kept: ZipHeaders | undefined;
};

/** The place of every byte of an archive, without its entries: 100 bytes for each thousand of them. */
export type ZipLayout<K> = {
  slices: readonly ZipSlice<K>[];
  entryCount: number;
  directory: { offset: number; sizeBytes: number };
  sizeBytes: number;
  /** Determined by every byte of the archive. */
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

/** Entries with their local headers in one run of bytes. */
export type ZipHeaders = {
  entries: readonly ZipEntry[];
  local: Buffer;
  /** Length of one of them. */
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

/** Over all that the archive takes from a batch: names, times, sizes and checksums, and which contents. */
export function fingerprintOf({ entries, local }: ZipHeaders): number {
  return crc32(contentsOf(entries), crc32(local));
}

/** Which contents a batch has: checksums alone would let two of them pass for one another. */
function contentsOf(entries: readonly ZipEntry[]): Buffer {
  let ids = '';
  for (const { blobId } of entries) ids += `${blobId ?? ''},`;
  return Buffer.from(ids, 'latin1');
}
