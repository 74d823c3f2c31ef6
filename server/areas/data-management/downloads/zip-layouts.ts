import type { ZipBatchKey, ZipEntries } from './zip-entries.ts';
import { measureZip, type ZipLayout } from './zip-layout.ts';

export type MeasuredZip = { layout: ZipLayout<ZipBatchKey>; skippedFiles: number };

/** A cache of the most recently used layouts; the latest one keeps its entries too if they are few. */
export type ZipLayouts = {
  /** Measures an archive, or returns the cached layout; concurrent calls share one pass. */
  get(key: string, entries: ZipEntries): Promise<MeasuredZip>;
};

/** A download that is resumed, or fetched in several ranges at once, needs its layout repeatedly. */
const maxLayouts = 16;
const maxSlices = 4_096;

export function createZipLayouts(): ZipLayouts {
  const measuring = new Map<string, Promise<MeasuredZip>>();
  const known = new Map<string, MeasuredZip>();
  let knownSlices = 0;
  let newest: { key: string; measured: MeasuredZip } | undefined;

  async function measure(key: string, entries: ZipEntries): Promise<MeasuredZip> {
    const layout = await measureZip(entries.batches());
    const measured = { layout, skippedFiles: entries.skippedFiles };
    newest = { key, measured };
    known.set(key, { ...measured, layout: withoutEntries(layout) });
    knownSlices += layout.slices.length;
    for (const [oldest, { layout }] of known) {
      if (known.size <= maxLayouts && knownSlices <= maxSlices) break;
      known.delete(oldest);
      knownSlices -= layout.slices.length;
    }
    return measured;
  }

  return {
    async get(key, entries) {
      if (newest?.key === key) return newest.measured;
      const found = known.get(key);
      if (found !== undefined) {
        // Least recently used entries are evicted first.
        known.delete(key);
        known.set(key, found);
        return found;
      }
      const running = measuring.get(key) ?? measure(key, entries).finally(() => measuring.delete(key));
      measuring.set(key, running);
      return running;
    },
  };
}

function withoutEntries(layout: ZipLayout<ZipBatchKey>): ZipLayout<ZipBatchKey> {
  return { ...layout, slices: layout.slices.map((slice) => ({ ...slice, kept: undefined })) };
}
