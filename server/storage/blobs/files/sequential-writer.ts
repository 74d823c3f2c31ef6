import { asBuffer, copyBytes } from '../../../kernel/copy-bytes.ts';
import { blockBytes, pieceBytes, type BufferPool, type PoolBuffer, type PoolHolder } from './buffer-pool.ts';
import type { OrderedHash } from '../ordered-hash.ts';
import type { WritableFile } from './writable-file.ts';

/** Bytes gathered in plain memory before a pool buffer is taken: one or two socket events. */
const smallBytes = 32 * 1024;

/** Maximum writes in flight per writer; two keep the disk busy while the next buffer fills. */
const maxInFlight = 3;

/** Writes bytes sequentially into a file from a given position on. */
export type SequentialWriter = {
  /** Copies the bytes; a returned promise resolves when the writer can take more. */
  write(bytes: Uint8Array): Promise<void> | undefined;
  /** Resolves when all bytes are handed to the kernel. */
  end(): Promise<void>;
  /** Drops gathered bytes; resolves when no write is in flight. */
  abandon(): Promise<void>;
};

export function createSequentialWriter(options: {
  file: WritableFile;
  position: number;
  pool: BufferPool;
  hash?: OrderedHash | undefined;
}): SequentialWriter {
  const { file, pool, hash } = options;
  /** File position of the first gathered byte that is not being written yet. */
  let position = options.position;
  let small: Uint8Array | undefined;
  let smallLength = 0;
  let buffer: PoolBuffer | undefined;
  let bufferLength = 0;
  const inFlight = new Set<Promise<void>>();
  let failure: { error: unknown } | undefined;

  const holder: PoolHolder = {
    spill() {
      if (buffer === undefined) return;
      const bytes = new Uint8Array(buffer.bytes.subarray(0, bufferLength));
      pool.give(buffer);
      buffer = undefined;
      bufferLength = 0;
      sendBuffered(bytes);
    },
  };

  function launch(work: Promise<unknown>): void {
    const promise = work.then(
      () => {
        inFlight.delete(promise);
      },
      (error: unknown) => {
        failure ??= { error };
        inFlight.delete(promise);
      },
    );
    inFlight.add(promise);
  }

  /** `bytes` must own their memory. */
  function sendBuffered(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    hash?.feedCopy(bytes);
    launch(file.writeBuffered(bytes, position));
    position += bytes.length;
  }

  function sendBlocks(sent: PoolBuffer, length: number): void {
    pool.keep(sent);
    const hashed = hash?.feedShared(sent.offset, length);
    const written = file.writeBlocks(sent.bytes.subarray(0, length), position);
    launch(written);
    // The buffer is free when both are done. The hash never delays it for long: it is abandoned when it falls behind.
    void Promise.allSettled([written, hashed]).then(() => pool.give(sent));
    position += length;
  }

  /** Moves bytes from plain memory into the new buffer; the part before the next block boundary is written separately. */
  function adoptBuffer(taken: PoolBuffer, bytes: Uint8Array): Uint8Array {
    const waiting = (small ?? new Uint8Array(0)).subarray(0, smallLength);
    const headLength = (blockBytes - (position % blockBytes)) % blockBytes;
    const fromSmall = Math.min(headLength, waiting.length);
    const fromBytes = Math.min(headLength - fromSmall, bytes.length);
    const head = new Uint8Array(fromSmall + fromBytes);
    head.set(waiting.subarray(0, fromSmall));
    head.set(bytes.subarray(0, fromBytes), fromSmall);
    sendBuffered(head);
    copyBytes(asBuffer(waiting.subarray(fromSmall)), taken.bytes, 0);
    buffer = taken;
    bufferLength = waiting.length - fromSmall;
    small = undefined;
    smallLength = 0;
    return bytes.subarray(fromBytes);
  }

  /** Gathers as much as fits without waiting; returns the rest. */
  function gather(bytes: Uint8Array): Uint8Array {
    let rest = bytes;
    if (buffer === undefined) {
      if (smallLength + rest.length > smallBytes) return rest;
      small ??= new Uint8Array(smallBytes);
      small.set(rest, smallLength);
      smallLength += rest.length;
      return rest.subarray(rest.length);
    }
    pool.touch(buffer);
    const count = Math.min(rest.length, pieceBytes - bufferLength);
    copyBytes(asBuffer(rest.subarray(0, count)), buffer.bytes, bufferLength);
    bufferLength += count;
    rest = rest.subarray(count);
    if (bufferLength === pieceBytes) {
      sendBlocks(buffer, pieceBytes);
      buffer = undefined;
      bufferLength = 0;
    }
    return rest;
  }

  async function writeOn(bytes: Uint8Array): Promise<void> {
    let rest = gather(bytes);
    while (rest.length > 0) {
      while (inFlight.size >= maxInFlight) await Promise.race(inFlight);
      if (failure !== undefined) throw failure.error;
      if (buffer === undefined && smallLength + rest.length > smallBytes) {
        rest = adoptBuffer(await pool.take(holder), rest);
      }
      rest = gather(rest);
    }
    while (inFlight.size > maxInFlight) await Promise.race(inFlight);
  }

  async function drain(): Promise<void> {
    while (inFlight.size > 0) await Promise.all(inFlight);
  }

  return {
    write(bytes) {
      if (failure !== undefined) return Promise.reject(asError(failure.error));
      // Fast path without a promise: there is room, and few writes are in flight.
      if (inFlight.size <= maxInFlight) {
        const room = buffer === undefined ? smallBytes - smallLength : pieceBytes - bufferLength;
        if (bytes.length <= room) {
          gather(bytes);
          return undefined;
        }
      }
      return writeOn(bytes);
    },
    async end() {
      if (buffer !== undefined) {
        const tailLength = bufferLength % blockBytes;
        const blocksLength = bufferLength - tailLength;
        const tail = new Uint8Array(buffer.bytes.subarray(blocksLength, bufferLength));
        if (blocksLength > 0) sendBlocks(buffer, blocksLength);
        else pool.give(buffer);
        buffer = undefined;
        bufferLength = 0;
        sendBuffered(tail);
      } else if (small !== undefined) {
        sendBuffered(small.slice(0, smallLength));
        small = undefined;
        smallLength = 0;
      }
      await drain();
      if (failure !== undefined) throw failure.error;
    },
    async abandon() {
      if (buffer !== undefined) pool.give(buffer);
      buffer = undefined;
      bufferLength = 0;
      small = undefined;
      smallLength = 0;
      await drain();
    },
  };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error('The write failed', { cause: error });
}
