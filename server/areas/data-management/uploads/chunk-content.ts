import type { BlobStore, BlobWriter } from '../../../storage/blobs/blob-store.ts';
import { createDigests, digestKinds, type Checksum, type DigestKind, type Digests } from './checksums.ts';
import type { Spools } from '../archives/spools.ts';

/** A target of bytes. */
export type ByteTaker = { write(bytes: Uint8Array): Promise<void> | undefined };

/**
 * Passes the bytes of a chunk from the connection to their target. A small chunk waits in memory until all fields are known; a
 * large one is written as it arrives: to its target, or to a temporary blob when the fields that name the target follow the file.
 */
export type ChunkContent = {
  readonly sizeBytes: number;
  /** Whether bytes are passed on rather than held in memory. */
  readonly isUnderWay: boolean;
  write(bytes: Buffer): Promise<void> | undefined;
  /** From now on bytes go to `target`, waiting ones first. `digests` are computed on the way. */
  direct(target: ByteTaker, digests: readonly DigestKind[]): Promise<void>;
  /** From now on bytes go to a temporary blob. */
  divert(): Promise<void>;
  /**
   * After the last byte: writes the remaining bytes to `target`; returns the digest that `checksum` needs, if it could be
   * computed.
   */
  deliver(target: ByteTaker, checksum: Checksum | undefined): Promise<string | undefined>;
  /** Discards bytes in the temporary blob. */
  discard(): Promise<void>;
};

const copyBytes = 256 * 1024;

export function createChunkContent(services: { blobs: BlobStore; spools: Spools }): ChunkContent {
  let sizeBytes = 0;
  let pieces: Buffer[] = [];
  let target: ByteTaker | undefined;
  let beside: BlobWriter | undefined;
  let digests: Digests | undefined;

  async function flushTo(taker: ByteTaker): Promise<void> {
    const waiting = pieces;
    pieces = [];
    for (const piece of waiting) {
      digests?.update(piece);
      await taker.write(piece);
    }
  }

  async function copyFromBeside(writer: BlobWriter, taker: ByteTaker): Promise<void> {
    beside = undefined;
    const spool = await services.spools.open(await writer.finish());
    try {
      const buffer = Buffer.allocUnsafe(Math.min(copyBytes, Math.max(1, sizeBytes)));
      for (let position = 0; position < sizeBytes;) {
        const read = await spool.reader.read(buffer, position);
        if (read === 0) throw new Error('Bytes that were put beside are gone');
        const piece = buffer.subarray(0, read);
        digests?.update(piece);
        await taker.write(piece);
        position += read;
      }
    } finally {
      await spool.release();
    }
  }

  return {
    get sizeBytes() {
      return sizeBytes;
    },
    get isUnderWay() {
      return target !== undefined || beside !== undefined;
    },

    write(bytes) {
      sizeBytes += bytes.length;
      const taker = target ?? beside;
      if (taker === undefined) {
        pieces.push(bytes);
        return undefined;
      }
      if (target !== undefined) digests?.update(bytes);
      return taker.write(bytes);
    },

    async direct(taker, kinds) {
      target = taker;
      if (kinds.length > 0) digests = createDigests(kinds);
      await flushTo(taker);
    },

    async divert() {
      beside = services.blobs.create();
      await flushTo(beside);
    },

    async deliver(taker, checksum) {
      const kind = digestKinds.find((known) => known === checksum?.kind);
      if (target === undefined) {
        if (kind !== undefined) digests = createDigests([kind]);
        if (beside === undefined) await flushTo(taker);
        else await copyFromBeside(beside, taker);
      }
      return kind === undefined ? undefined : digests?.hex(kind);
    },

    async discard() {
      pieces = [];
      const writer = beside;
      beside = undefined;
      await writer?.abort();
    },
  };
}
