import { constants } from 'node:fs';
import { blockBytes } from '../files/buffer-pool.ts';
import { isMissingFile, type FileOperations } from '../files/file-operations.ts';
import { crc32 } from '../../../kernel/crc32.ts';

/** A run of bytes on the disk. */
export type StoredRange = { path: string; offset: number; sizeBytes: number };

/** What is wrong with stored bytes: the file is missing, ends too early, or holds other bytes (or can't be read). */
export type RangeProblem = 'missing' | 'truncated' | 'damaged';

/** Compares byte ranges with their CRC-32. One call at a time; adjacent ranges share their reads. */
export type RangeCheck = {
  check(range: StoredRange, expectedCrc32: number): Promise<RangeProblem | undefined>;
  /** A copy of a short range; undefined if it can't be read whole. */
  read(range: StoredRange): Promise<Buffer | undefined>;
  close(): Promise<void>;
};

const windowBytes = 4 * 1024 * 1024;
const pageBytes = 65_536;

type OpenRange = { path: string; fd: number };
type Window = { path: string; start: number; length: number };

/** Bypasses the page cache where the file system can, to check the disk and not cached memory. */
export function createRangeCheck(operations: FileOperations): RangeCheck {
  // WebAssembly memory is page-aligned, as direct reads require.
  const pages = windowBytes / pageBytes;
  const buffer = new Uint8Array(new WebAssembly.Memory({ initial: pages, maximum: pages }).buffer);
  let open: OpenRange | undefined;
  let window: Window | undefined;

  async function openPath(path: string): Promise<number> {
    if (open?.path === path) return open.fd;
    await close();
    const fd = await openForReading(operations, path);
    open = { path, fd };
    return fd;
  }

  async function close(): Promise<void> {
    window = undefined;
    if (open === undefined) return;
    const { fd } = open;
    open = undefined;
    await operations.close(fd);
  }

  /** Bytes from `position` on; at least one unless the file ends before it. */
  async function bytesAt(path: string, position: number, wantedBytes: number): Promise<Uint8Array> {
    const known = window;
    const end = known === undefined ? 0 : known.start + known.length;
    const isKnown = known?.path === path && known.start <= position && position < end;
    if (known !== undefined && isKnown && (position + wantedBytes <= end || known.length === windowBytes))
      return buffer.subarray(position - known.start, known.length);
    const fd = await openPath(path);
    const start = position - (position % blockBytes);
    const length = await operations.read(fd, buffer, start);
    window = { path, start, length };
    return buffer.subarray(Math.min(position - start, length), length);
  }

  async function compare(
    { path, offset, sizeBytes }: StoredRange,
    expectedCrc32: number,
  ): Promise<RangeProblem | undefined> {
    const end = offset + sizeBytes;
    let crc = 0;
    for (let position = offset; position < end;) {
      const bytes = (await bytesAt(path, position, end - position)).subarray(0, end - position);
      if (bytes.length === 0) return 'truncated';
      crc = crc32(bytes, crc);
      position += bytes.length;
    }
    return crc === expectedCrc32 ? undefined : 'damaged';
  }

  return {
    async check(range, expectedCrc32) {
      if (range.sizeBytes === 0) return undefined;
      try {
        const wasKnown = window?.path === range.path;
        const problem = await compare(range, expectedCrc32);
        if (problem === undefined || !wasKnown) return problem;
        // The window may be older than the record: a pack grows while it is read.
        await close();
        return await compare(range, expectedCrc32);
      } catch (error) {
        await close();
        if (isMissingFile(error)) return 'missing';
        if ((error as NodeJS.ErrnoException).code === 'EIO') return 'damaged';
        throw error;
      }
    },
    async read({ path, offset, sizeBytes }) {
      const copy = Buffer.alloc(sizeBytes);
      try {
        for (let filled = 0; filled < sizeBytes;) {
          const bytes = await bytesAt(path, offset + filled, sizeBytes - filled);
          if (bytes.length === 0) return undefined;
          copy.set(bytes.subarray(0, sizeBytes - filled), filled);
          filled += bytes.length;
        }
        return copy;
      } catch (error) {
        await close();
        if (isMissingFile(error) || (error as NodeJS.ErrnoException).code === 'EIO') return undefined;
        throw error;
      }
    },
    close,
  };
}

async function openForReading(operations: FileOperations, path: string): Promise<number> {
  if (process.platform !== 'linux') return operations.open(path, constants.O_RDONLY);
  try {
    return await operations.open(path, constants.O_RDONLY | constants.O_DIRECT);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EINVAL') throw error;
    return operations.open(path, constants.O_RDONLY);
  }
}
