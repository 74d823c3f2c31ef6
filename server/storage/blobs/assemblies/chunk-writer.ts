import type { ChunkOutcome, ChunkWriter } from '../blob-store.ts';
import { forEachPiece, type ByteComparison } from './byte-comparison.ts';
import { crc32 } from '../../../kernel/crc32.ts';
import { asStorageError } from '../errors.ts';
import type { SequentialWriter } from '../files/sequential-writer.ts';
import { createModeTurns } from './mode-turns.ts';
import type { WritableFile } from '../files/writable-file.ts';

/** Where a chunk is written: its place in the blob's file, or a separate file beside it. */
export type ChunkPlacement = {
  readonly file: WritableFile;
  readonly position: number;
  /** Number of the separate file; 0 when in place. */
  readonly besideNo: number;
  /** The chunk was received: keeps what was written. */
  keep(): Promise<void>;
  /** The chunk failed: deletes what was written. */
  discard(): Promise<void>;
};

export type WrittenChunk = { sizeBytes: number; crc32: number; target: ChunkPlacement };

/** What a chunk's writer needs from its assembly. */
export type ChunkHost = {
  /** Bytes that fit into the chunk's place. */
  capacityOf(chunkNo: number): number;
  startWrite(target: ChunkPlacement, writer: PlacedWriter): SequentialWriter;
  openBeside(chunkNo: number): Promise<ChunkPlacement>;
  isReceived(chunkNo: number): boolean;
  compareWithStored(chunkNo: number): Promise<ByteComparison>;
  /** Another writer's claim on the chunk that is being committed. */
  claimOf(chunkNo: number): Promise<void> | undefined;
  /** Commits the chunk; `misplaced` if it was written at the wrong place: the writer must move beside and retry. */
  receive(chunkNo: number, written: WrittenChunk, writer: PlacedWriter): Promise<'received' | 'misplaced'>;
  /** Called when the writer ends or leaves its place in the blob's file. */
  leavePlace(chunkNo: number, writer: PlacedWriter): void;
  ended(writer: PlacedWriter): void;
};

/** A chunk's writer as its assembly sees it. */
export type PlacedWriter = {
  readonly writer: ChunkWriter;
  readonly chunkNo: number;
  /** Where it writes now; undefined while it only compares. */
  target(): ChunkPlacement | undefined;
  /** Bytes written to the target. */
  acceptedBytes(): number;
  /** Moves from the blob's file to a separate one, with the bytes written so far. */
  moveBeside(): Promise<void>;
  /** Another writer's copy of the chunk was received: from now on this one only compares. */
  giveWay(): Promise<void>;
  /** The assembly is being dropped: every later call fails with the error. */
  kill(error: Error): Promise<void>;
};

type Mode =
  | { kind: 'writing'; output: SequentialWriter; target: ChunkPlacement }
  | { kind: 'comparing'; comparison: ByteComparison }
  | { kind: 'ended'; error: Error };

/** Writes a chunk to its target or compares it with one already received; may change between the two while bytes arrive. */
export function createChunkWriter(options: {
  host: ChunkHost;
  chunkNo: number;
  start: { target: ChunkPlacement } | { comparison: ByteComparison };
}): PlacedWriter {
  const { host, chunkNo, start } = options;
  let sizeBytes = 0;
  let crc = 0;
  /** Bytes written to the target in the current mode. */
  let accepted = 0;
  let ended = false;
  const turns = createModeTurns();

  const placed: PlacedWriter = {
    writer: {
      get crc32() {
        return crc;
      },
      get sizeBytes() {
        return sizeBytes;
      },
      write(bytes) {
        sizeBytes += bytes.length;
        crc = crc32(bytes, crc);
        const quick = turns.failure === undefined && !turns.isChanging && mode.kind === 'writing';
        if (!quick || exceedsPlace(bytes.length)) return writeSlowly(bytes);
        return accept(bytes)?.catch(turns.fail);
      },
      finish,
      async abort() {
        await end(new Error('The chunk was aborted'));
      },
    },
    chunkNo,
    target: () => (mode.kind === 'writing' ? mode.target : undefined),
    acceptedBytes: () => accepted,
    moveBeside: () => turns.change(moveBeside),
    giveWay: () => turns.change(startComparing),
    kill: end,
  };

  let mode: Mode =
    'target' in start
      ? { kind: 'writing', output: host.startWrite(start.target, placed), target: start.target }
      : { kind: 'comparing', comparison: start.comparison };

  function exceedsPlace(bytesMore: number): boolean {
    return mode.kind === 'writing' && mode.target.besideNo === 0 && accepted + bytesMore > host.capacityOf(chunkNo);
  }

  function accept(bytes: Uint8Array): Promise<void> | undefined {
    if (mode.kind === 'ended') return Promise.reject(mode.error);
    const work = mode.kind === 'writing' ? mode.output.write(bytes) : mode.comparison.write(bytes);
    accepted += bytes.length;
    if (work !== undefined) turns.track(work);
    return work;
  }

  async function writeSlowly(bytes: Uint8Array): Promise<void> {
    try {
      await turns.settled();
      if (exceedsPlace(bytes.length)) await turns.change(moveBeside);
      await turns.settled();
      await accept(bytes);
    } catch (error) {
      turns.fail(error);
    }
  }

  function writtenBytes(from: { target: ChunkPlacement }): Parameters<typeof forEachPiece>[0] {
    return {
      sizeBytes: accepted,
      read: (target, position) => from.target.file.read(target, from.target.position + position),
    };
  }

  async function moveBeside(): Promise<void> {
    if (mode.kind !== 'writing' || mode.target.besideNo !== 0) return;
    const from = mode;
    try {
      await from.output.end();
      const target = await host.openBeside(chunkNo);
      const output = host.startWrite(target, placed);
      mode = { kind: 'writing', output, target };
      await forEachPiece(writtenBytes(from), (bytes) => output.write(bytes));
    } finally {
      host.leavePlace(chunkNo, placed);
      await from.target.discard();
    }
  }

  async function startComparing(): Promise<void> {
    if (mode.kind !== 'writing') return;
    const from = mode;
    try {
      await from.output.end();
      const comparison = await host.compareWithStored(chunkNo);
      mode = { kind: 'comparing', comparison };
      await forEachPiece(writtenBytes(from), (bytes) => comparison.write(bytes));
    } finally {
      if (mode === from) mode = { kind: 'ended', error: new Error('The chunk could not be compared') };
      host.leavePlace(chunkNo, placed);
      await from.target.discard();
    }
  }

  function end(error: Error): Promise<void> {
    ended = true;
    return turns.change(async () => {
      const from = mode;
      if (from.kind === 'ended') return;
      mode = { kind: 'ended', error };
      try {
        if (from.kind === 'comparing') {
          await from.comparison.close();
          return;
        }
        await from.output.abandon();
        host.leavePlace(chunkNo, placed);
        await from.target.discard();
      } finally {
        host.ended(placed);
      }
    });
  }

  async function finish(): Promise<ChunkOutcome> {
    if (ended) throw turns.failure ?? (mode.kind === 'ended' ? mode.error : new Error('The chunk was ended before'));
    ended = true;
    try {
      return await decide();
    } catch (error) {
      await end(asStorageError(error)).catch(() => {});
      throw asStorageError(error);
    }
  }

  async function decide(): Promise<ChunkOutcome> {
    for (;;) {
      await turns.settled();
      const current = mode;
      if (current.kind === 'ended') throw current.error;
      if (current.kind === 'comparing') {
        const outcome = current.comparison.outcome();
        await end(new Error('The chunk was ended before'));
        return outcome;
      }
      await current.output.end();
      if (turns.isChanging || mode !== current) continue;
      if (host.isReceived(chunkNo)) {
        await turns.change(startComparing);
        continue;
      }
      const claim = host.claimOf(chunkNo);
      if (claim !== undefined) {
        await claim;
        continue;
      }
      const { target } = current;
      if ((await host.receive(chunkNo, { sizeBytes, crc32: crc, target }, placed)) === 'misplaced') {
        await turns.change(moveBeside);
        continue;
      }
      mode = { kind: 'ended', error: new Error('The chunk was ended before') };
      host.leavePlace(chunkNo, placed);
      host.ended(placed);
      await target.keep();
      return 'received';
    }
  }

  return placed;
}
