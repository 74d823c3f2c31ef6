/**
 * Reads bytes at `position` of a file into `target`; returns their number, which is short only at the end of the file.
 */
export type ReadAt = (target: Uint8Array, position: number) => number;

const lineFeed = 0x0a;
const blockBytes = 1 << 20;

/** The lines that start in one byte range of a file. */
export type LineBlock = {
  /** Bytes of the lines, line ends included; empty if no line starts in the range. */
  bytes: Uint8Array;
  /** Position of `bytes` in the file. */
  start: number;
  end: number;
  /** Set if the last line is longer than the limit: its start within `bytes`, and its length in the file. */
  tooLong: { start: number; lengthBytes: number } | undefined;
};

/**
 * Memory reused for each block: touching new memory costs more than reading into it. It consists of Buffers, which are
 * searched for a byte natively; searching other arrays took a fifth of the CPU time of reading rows.
 */
export type BlockMemory = {
  /** Returns this many bytes with arbitrary content; the previous ones become invalid. */
  take(length: number): Uint8Array;
};

/** Larger blocks are not kept for reuse. */
const maxKeptBytes = 16 << 20;

export function createBlockMemory(): BlockMemory {
  let held = Buffer.alloc(0);
  return {
    take(length) {
      if (length > maxKeptBytes) return Buffer.alloc(length);
      // Blocks vary slightly in length: spare room, so that a slightly longer one needs no new memory.
      if (length > held.length) held = Buffer.alloc(Math.min(maxKeptBytes, length + (length >> 2)));
      return held.subarray(0, length);
    },
  };
}

/** Most lines are shorter than this, so a line that crosses the end of a range is read with it. */
const slackBytes = 64 << 10;

/**
 * Reads the lines whose first byte is in `[from, to)`, so that neighbouring ranges neither repeat nor lose a line. A
 * range without a line end costs one read of itself. At most `maxLineBytes` of the last line are held in memory. With
 * `memory`, the bytes are valid until the next block is read.
 */
export function readLines(
  read: ReadAt,
  range: { from: number; to: number; sizeBytes: number; maxLineBytes: number },
  memory?: BlockMemory,
): LineBlock {
  const { from, to, sizeBytes, maxLineBytes } = range;
  const before = from === 0 ? 0 : 1;
  const length = to - from + before;
  const slack = Math.min(slackBytes, sizeBytes - to);
  const taken = memory?.take(length + slack) ?? Buffer.alloc(length + slack);
  readFully(read, taken, from - before);
  const head = taken.subarray(0, length);
  let first = 0;
  if (before === 1) {
    const end = head.indexOf(lineFeed);
    first = end === -1 ? head.length : end + 1;
  }
  const start = from - before + first;
  if (start >= to) return { bytes: new Uint8Array(0), start: to, end: to, tooLong: undefined };

  let whole = head.subarray(first);
  let end = to;
  // The line that crosses the end of the range is read to its end.
  const lastStart = start + lastLineStart(whole);
  let complete = head.at(-1) === lineFeed;
  const inSlack = complete ? -1 : taken.indexOf(lineFeed, length);
  if (inSlack !== -1 && to + inSlack + 1 - length - lastStart <= maxLineBytes) {
    whole = taken.subarray(first, inSlack + 1);
    end = to + inSlack + 1 - length;
    complete = true;
  }
  const held = [whole];
  while (!complete && end < sizeBytes) {
    const block = Buffer.alloc(Math.min(blockBytes, sizeBytes - end));
    readFully(read, block, end);
    const lineEnd = block.indexOf(lineFeed);
    const taken = lineEnd === -1 ? block : block.subarray(0, lineEnd + 1);
    if (end + taken.length - lastStart <= maxLineBytes) held.push(taken);
    end += taken.length;
    complete = lineEnd !== -1;
  }
  const bytes = held.length === 1 && held[0] !== undefined ? held[0] : Buffer.concat(held);
  const lengthBytes = end - lastStart;
  return {
    bytes,
    start,
    end,
    tooLong: lengthBytes > maxLineBytes ? { start: lastStart - start, lengthBytes } : undefined,
  };
}

/**
 * Reads the rows of a range that begins and ends with a row. A range of more than twice the row limit is a single row
 * over the limit (see `findRowStarts`): then only the limit is held in memory, and `tooLong` has its length. With
 * `memory`, the bytes are valid until the next block is read.
 */
export function readRows(
  read: ReadAt,
  { from, to, maxLineBytes }: { from: number; to: number; maxLineBytes: number },
  memory?: BlockMemory,
): LineBlock {
  const isLong = to - from > 2 * maxLineBytes;
  const length = isLong ? maxLineBytes : to - from;
  const bytes = memory?.take(length) ?? Buffer.alloc(length);
  readFully(read, bytes, from);
  if (!isLong) return { bytes, start: from, end: to, tooLong: undefined };
  const start = bytes.lastIndexOf(lineFeed) + 1;
  return { bytes, start: from, end: to, tooLong: { start, lengthBytes: to - from - start } };
}

/** A file is shorter than expected. */
export class FileEnds extends Error {
  override readonly name = 'FileEnds';
}

/** Fills `target` from `position` on; throws FileEnds if the file is shorter. */
export function readFully(read: ReadAt, target: Uint8Array, position: number): void {
  let done = 0;
  while (done < target.length) {
    const count = read(done === 0 ? target : target.subarray(done), position + done);
    if (count === 0) {
      throw new FileEnds(`The file ends at byte ${position + done}, expected ${position + target.length}`);
    }
    done += count;
  }
}

/** Start of the last line in `bytes`; a line end at the very end belongs to that line. */
function lastLineStart(bytes: Uint8Array): number {
  return bytes.subarray(0, bytes.length - 1).lastIndexOf(lineFeed) + 1;
}
