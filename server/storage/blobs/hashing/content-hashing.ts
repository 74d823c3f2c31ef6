import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../../database/database.ts';
import { isDatabaseUnavailable } from '../../database/unavailable.ts';
import type { Logger } from '../blob-store-options.ts';
import type { Eraser } from '../files/eraser.ts';
import type { FileChecksums, Hasher } from './hasher.ts';
import type { LateDigests } from './late-digests.ts';
import { findBlob, listUnhashedBlobs, setBlobSha256, type BlobRow } from '../queries/blobs.ts';
import type { ObjectHolds } from '../staged-blobs.ts';

/** Completes missing SHA-256 values in the background: waits for hashes still being computed, reads all other content. */
export type ContentHashing = {
  add(blobIds: readonly string[]): void;
  /** Starts, and resumes the work that an earlier process left. */
  start(): void;
  close(): Promise<void>;
};

const pageSize = 500;
/** Retry interval while the database is unavailable. */
const retryMs = 2_000;

export function createContentHashing(options: {
  db: Database;
  hasher: Pick<Hasher, 'close'>;
  lateDigests: LateDigests;
  /** Reads and hashes the bytes of a row; undefined if any are missing. */
  hashStored(row: BlobRow): Promise<FileChecksums | undefined>;
  eraser: Eraser;
  holds: ObjectHolds;
  logger: Logger;
}): ContentHashing {
  const { db, hasher, lateDigests, hashStored, eraser, holds, logger } = options;
  const queue: string[] = [];
  let running: Promise<void> | undefined;
  const ending = new AbortController();

  async function hashBlob(blobId: string): Promise<void> {
    const late = await lateDigests.take(blobId);
    if (ending.signal.aborted) return;
    if (late !== undefined && late !== null) {
      await db.write((tx) => setBlobSha256(tx, blobId, late));
      return;
    }
    const row = await findBlob(db.read, blobId);
    if (row === undefined || row.sha256 !== null || row.kind === 'empty') return;
    holds.hold(row.object_id);
    try {
      const checksums = await hashStored(row);
      if (checksums === undefined || ending.signal.aborted) return;
      if (checksums.crc32 !== row.crc32) {
        logger.warn({ blobId }, 'The stored bytes of a blob are damaged');
        return;
      }
      await db.write((tx) => setBlobSha256(tx, blobId, checksums.sha256));
    } finally {
      holds.release(row.object_id);
    }
  }

  async function run(): Promise<void> {
    for (let blobId = queue.shift(); blobId !== undefined && !ending.signal.aborted; blobId = queue.shift()) {
      try {
        await hashBlob(blobId);
      } catch (error) {
        if (ending.signal.aborted) return;
        logger.warn({ err: error, blobId }, 'The checksum of a blob could not be computed');
        if (!isDatabaseUnavailable(error)) continue;
        queue.unshift(blobId);
        await rest();
      }
    }
    // After the holds are released.
    if (!ending.signal.aborted) await eraser.run();
  }

  async function rest(): Promise<void> {
    await pause(retryMs, undefined, { signal: ending.signal, ref: false }).catch(() => undefined);
  }

  function wake(): void {
    if (ending.signal.aborted || running !== undefined || queue.length === 0) return;
    running = run()
      .catch((error: unknown) => logger.warn({ err: error }, 'The files of shared content could not be erased yet'))
      .finally(() => {
        running = undefined;
        wake();
      });
  }

  async function addEarlier(): Promise<void> {
    for (let afterId: string | undefined = ''; afterId !== undefined && !ending.signal.aborted;) {
      try {
        afterId = await addPage(afterId);
      } catch (error) {
        if (ending.signal.aborted) return;
        logger.warn({ err: error }, 'Blobs without a checksum could not be listed yet');
        await rest();
      }
    }
  }

  /** Queues one page; returns its last blob, undefined when none is left. */
  async function addPage(afterId: string): Promise<string | undefined> {
    const rows = await listUnhashedBlobs(db.scan, afterId, pageSize);
    queue.push(...rows.map(({ id }) => id));
    wake();
    await running;
    return rows.at(-1)?.id;
  }

  let starting: Promise<void> | undefined;

  return {
    add(blobIds) {
      queue.push(...blobIds);
      wake();
    },
    start() {
      starting = addEarlier();
    },
    async close() {
      ending.abort();
      await hasher.close();
      await running;
      await starting;
    },
  };
}
