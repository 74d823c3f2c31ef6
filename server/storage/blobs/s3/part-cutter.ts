import { asStorageError } from '../errors.ts';
import { createCrc32Combiner, crc32 } from '../../../kernel/crc32.ts';
import type { MemoryBudget } from './memory-budget.ts';

export const mebibyte = 1024 * 1024;
/** Minimum size of every part of an object but the last. */
export const minPartBytes = 5 * mebibyte;
export const partBytes = 8 * mebibyte;

/** Maximum parts in flight per writer; more gained nothing. */
const maxInFlight = 4;
const maxSpare = 8;
const spare: Buffer[] = [];

type Piece = { buffer: Buffer; length: number; crc32: number };

/** Cuts bytes into parts and sends each as soon as it is complete. */
export type PartCutter = {
  readonly sizeBytes: number;
  readonly crc32: number;
  /** Whether a part was sent; until then, all bytes are in memory. */
  readonly hasSent: boolean;
  /** Copies the bytes; a returned promise resolves when more can be taken. */
  write(bytes: Uint8Array): Promise<void> | undefined;
  /** Bytes that are still in memory, from the first one on. */
  gathered(): Buffer;
  /** Sends the rest; resolves when all parts have arrived. */
  end(): Promise<void>;
  /** Drops the bytes in memory; resolves when no part is in flight. */
  abandon(): Promise<void>;
};

/**
 * Sends no part shorter than `minTailBytes` unless it is the only one: a short rest is appended to the previous part. With 0,
 * the last part may have any size.
 */
export function createPartCutter(options: {
  budget: MemoryBudget;
  minTailBytes: number;
  /** Size in bytes of the part with this index, from 0. */
  sizeOf(index: number): number;
  send(index: number, bytes: Buffer, crc32: number): Promise<void>;
}): PartCutter {
  const { budget, minTailBytes, sizeOf, send } = options;
  const combine = createCrc32Combiner();
  let sizeBytes = 0;
  let crcOfPieces = 0;
  /** A complete part that is held back until enough bytes follow it. */
  let full: Piece | undefined;
  let current: Piece | undefined;
  let sent = 0;
  let failure: Error | undefined;
  const inFlight = new Set<Promise<void>>();

  function startPiece(): Piece {
    const capacity = sizeOf(sent + (full === undefined ? 0 : 1));
    const known = capacity === partBytes ? spare.pop() : undefined;
    return { buffer: known ?? Buffer.allocUnsafeSlow(capacity), length: 0, crc32: 0 };
  }

  function recycle({ buffer }: Piece): void {
    if (buffer.length === partBytes && spare.length < maxSpare) spare.push(buffer);
  }

  function launch(piece: Piece): void {
    const index = sent++;
    const work = send(index, piece.buffer.subarray(0, piece.length), piece.crc32)
      .then(
        () => recycle(piece),
        (error: unknown) => {
          failure ??= asStorageError(error);
        },
      )
      .finally(() => {
        budget.free(piece.length);
        inFlight.delete(work);
      });
    inFlight.add(work);
  }

  function gather(bytes: Uint8Array): void {
    for (let rest = bytes; rest.length > 0;) {
      current ??= startPiece();
      const taken = rest.subarray(0, current.buffer.length - current.length);
      current.buffer.set(taken, current.length);
      current.length += taken.length;
      current.crc32 = crc32(taken, current.crc32);
      budget.add(taken.length);
      sizeBytes += taken.length;
      rest = rest.subarray(taken.length);
      if (full !== undefined && current.length >= minTailBytes) {
        launch(full);
        full = undefined;
      }
      if (current.length === current.buffer.length) {
        crcOfPieces = combine(crcOfPieces, current.crc32, current.length);
        full = current;
        current = undefined;
      }
    }
  }

  async function waitForRoom(): Promise<void> {
    while (inFlight.size > maxInFlight) await Promise.race(inFlight);
    await budget.room();
    if (failure !== undefined) throw failure;
  }

  function takeRest(): Piece[] {
    const rest = [full, current].filter((piece) => piece !== undefined);
    if (current !== undefined) crcOfPieces = combine(crcOfPieces, current.crc32, current.length);
    full = undefined;
    current = undefined;
    return rest;
  }

  function merge(pieces: readonly Piece[]): Piece {
    const buffer = Buffer.concat(pieces.map((piece) => piece.buffer.subarray(0, piece.length)));
    let crc = 0;
    for (const piece of pieces) crc = combine(crc, piece.crc32, piece.length);
    return { buffer, length: buffer.length, crc32: crc };
  }

  return {
    get sizeBytes() {
      return sizeBytes;
    },
    get crc32() {
      return current === undefined ? crcOfPieces : combine(crcOfPieces, current.crc32, current.length);
    },
    get hasSent() {
      return sent > 0;
    },
    write(bytes) {
      if (failure !== undefined) return Promise.reject(failure);
      gather(bytes);
      return inFlight.size > maxInFlight || budget.room() !== undefined ? waitForRoom() : undefined;
    },
    gathered() {
      const pieces = [full, current].filter((piece) => piece !== undefined);
      return Buffer.concat(pieces.map((piece) => piece.buffer.subarray(0, piece.length)));
    },
    async end() {
      const rest = takeRest();
      const isShort = rest.length === 2 && (rest[1]?.length ?? 0) < minTailBytes;
      for (const piece of isShort ? [merge(rest)] : rest) launch(piece);
      await Promise.all(inFlight);
      if (failure !== undefined) throw failure;
    },
    async abandon() {
      for (const piece of takeRest()) {
        budget.free(piece.length);
        recycle(piece);
      }
      failure ??= new Error('The upload was abandoned');
      await Promise.all(inFlight);
    },
  };
}
