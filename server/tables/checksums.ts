import { crc32, createCrc32Combiner } from '../kernel/crc32.ts';
import { readFully, type ReadAt } from './lines.ts';

/** Bytes `[from, to)` of a file and their expected CRC-32. */
export type CheckedRange = { from: number; to: number; crc32: number };

/** The parts of a file from beginning to end: where each begins, its CRC-32, and the CRC-32 of the whole file. */
export type CheckedParts = { starts: number[]; checksums: number[]; crc32: number };

/** Bytes per read: fits into a core's cache. */
const blockBytes = 1 << 20;
const lineFeed = 0x0a;
let block: Uint8Array | undefined;

/** CRC-32 of the bytes `[from, to)`. Throws FileEnds if the file is shorter. */
export function checksumOf(read: ReadAt, from: number, to: number): number {
  let crc = 0;
  for (const { bytes } of blocksOf(read, from, to)) crc = crc32(bytes, crc);
  return crc;
}

/** CRC-32 of each part of a file, which is read once; the first of the ascending `starts` is 0. */
export function checksumParts(
  read: ReadAt,
  sizeBytes: number,
  starts: readonly number[],
  visit?: (at: number) => void,
): CheckedParts {
  const parts = createParts();
  let next = 1;
  for (const { bytes, start } of blocksOf(read, 0, sizeBytes, visit)) {
    let at = 0;
    for (; next < starts.length && (starts[next] ?? 0) - start <= bytes.length; next += 1) {
      const cut = (starts[next] ?? 0) - start;
      parts.take(bytes.subarray(at, cut));
      parts.cut();
      at = cut;
    }
    parts.take(bytes.subarray(at));
  }
  return parts.end();
}

/**
 * Cuts a file at line starts: at each multiple of `stepBytes`, or the first line start after it; the file is read once.
 */
export function cutLines(
  read: ReadAt,
  sizeBytes: number,
  stepBytes: number,
  visit?: (at: number) => void,
): CheckedParts {
  const parts = createParts();
  let wanted = stepBytes;
  for (const { bytes, start } of blocksOf(read, 0, sizeBytes, visit)) {
    let at = 0;
    // A line starts after the byte of a line end, so the search begins one byte earlier.
    while (wanted - 1 < start + bytes.length) {
      const found = bytes.indexOf(lineFeed, Math.max(0, wanted - 1 - start));
      const cut = found + 1;
      if (found === -1 || start + cut === sizeBytes) break;
      parts.take(bytes.subarray(at, cut));
      parts.cut();
      at = cut;
      wanted = start + cut - ((start + cut) % stepBytes) + stepBytes;
    }
    parts.take(bytes.subarray(at));
  }
  return parts.end();
}

function createParts(): { take(bytes: Uint8Array): void; cut(): void; end(): CheckedParts } {
  const combine = createCrc32Combiner();
  const starts = [0];
  const checksums: number[] = [];
  let crc = 0;
  let whole = 0;
  let length = 0;
  let at = 0;
  const close = (): void => {
    whole = combine(whole, crc, length);
    checksums.push(crc);
    at += length;
    crc = 0;
    length = 0;
  };
  return {
    take(bytes) {
      crc = crc32(bytes, crc);
      length += bytes.length;
    },
    cut() {
      close();
      starts.push(at);
    },
    end() {
      close();
      return { starts, checksums, crc32: whole };
    },
  };
}

/** The bytes of a file block by block; all blocks share the same memory. */
function* blocksOf(
  read: ReadAt,
  from: number,
  to: number,
  visit?: (at: number) => void,
): Generator<{ bytes: Uint8Array; start: number }> {
  block ??= Buffer.alloc(blockBytes);
  for (let start = from; start < to; start += blockBytes) {
    visit?.(start);
    const bytes = block.subarray(0, Math.min(blockBytes, to - start));
    readFully(read, bytes, start);
    yield { bytes, start };
  }
}
