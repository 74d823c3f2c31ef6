import { closeSync, openSync, writeSync } from 'node:fs';
import { checksumOf } from '../../tables/checksums.ts';
import type { ReadAt } from '../../tables/lines.ts';
import { unpackArrow } from '../../tables/arrow/unpacking-arrow.ts';
import { unpackBzip2 } from '../../tables/compression/unpacking-bzip2.ts';
import { CompressedDataProblem } from '../../tables/compression/unpack-gauge.ts';
import { isUnreadable } from '../orders/stored-bytes.ts';
import type { UnpackJob, UnpackResult } from '../orders/unpack-jobs.ts';

class EnoughRead extends Error {}

/** Unpacks a file into another file; `beat` reports progress. */
export function unpackFile(
  { compression, sizeBytes, crc32, limits, output }: UnpackJob,
  read: ReadAt,
  beat: () => void,
): UnpackResult {
  if (!isStored(read, sizeBytes, crc32)) return { isIntact: false, writtenBytes: 0, problem: undefined };
  const file = openSync(output.path, 'w');
  let writtenBytes = 0;
  try {
    const unpack = compression === 'arrow' ? unpackArrow : unpackBzip2;
    unpack({ read, sizeBytes }, limits, (bytes) => {
      beat();
      for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
      writtenBytes += bytes.length;
      if (output.maxBytes !== null && writtenBytes >= output.maxBytes) throw new EnoughRead();
    });
    return { isIntact: true, writtenBytes, problem: undefined };
  } catch (error) {
    if (error instanceof EnoughRead) return { isIntact: true, writtenBytes, problem: undefined };
    if (!(error instanceof CompressedDataProblem)) throw error;
    const { reason, keepsBefore } = error;
    return { isIntact: true, writtenBytes, problem: { reason, keepsBefore } };
  } finally {
    closeSync(file);
  }
}

/** Whether the bytes are readable and are those that were stored. */
function isStored(read: ReadAt, sizeBytes: number, crc32: number): boolean {
  try {
    return checksumOf(read, 0, sizeBytes) === crc32;
  } catch (error) {
    if (isUnreadable(error)) return false;
    throw error;
  }
}
