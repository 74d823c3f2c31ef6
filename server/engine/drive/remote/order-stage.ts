import type { BlobBytes, StagedBlob } from '../../../storage/blobs/blob-store.ts';
import { stage } from '../shards/shard-outcome.ts';

/** Stages data that many orders need and that no database row references, as blobs that remote workers can read. */
export type OrderStage = {
  /** The blobs of some bytes, which are read and written once per key. */
  put(key: unknown, read: () => Promise<readonly Uint8Array[]>): Promise<readonly StagedBlob[]>;
  /** Reports that the objects of these blobs are missing: blobs of this stage are written again. Returns the others. */
  forget(ids: readonly string[]): Promise<string[]>;
  /** Erases the blobs of this stage. */
  close(): Promise<void>;
};

/** Blobs without a row are erased as leftovers after a day, so they are renewed before that. */
const renewMs = 6 * 3_600_000;

export function createOrderStage(blobs: Pick<BlobBytes, 'create' | 'flush' | 'settle'>): OrderStage {
  const known = new Map<unknown, { since: number; staged: Promise<readonly StagedBlob[]> }>();
  const all = new Set<Promise<readonly StagedBlob[]>>();

  async function write(read: () => Promise<readonly Uint8Array[]>): Promise<readonly StagedBlob[]> {
    const staged: StagedBlob[] = [];
    try {
      for (const bytes of await read()) staged.push(await stage(blobs, bytes, { isTemporary: true }));
      await blobs.flush();
      return staged;
    } catch (error) {
      await blobs.settle(staged);
      throw error;
    }
  }

  return {
    put(key, read) {
      const held = known.get(key);
      if (held !== undefined && performance.now() - held.since < renewMs) return held.staged;
      const staged = write(read);
      known.set(key, { since: performance.now(), staged });
      all.add(staged);
      staged.catch(() => {
        all.delete(staged);
        if (known.get(key)?.staged === staged) known.delete(key);
      });
      return staged;
    },
    async forget(ids) {
      const others = new Set(ids);
      for (const staged of all) {
        const own = (await staged).filter(({ id }) => others.delete(id));
        if (own.length === 0) continue;
        for (const [key, held] of known) if (held.staged === staged) known.delete(key);
      }
      return [...others];
    },
    async close() {
      for (const written of await Promise.allSettled(all)) {
        if (written.status === 'fulfilled') await blobs.settle(written.value);
      }
    },
  };
}
