/** A handle and the function that releases it. */
export type SharedHandle<Handle> = { readonly handle: Handle; release(): Promise<void> };

/** Handles shared by all their users; the most recently used ones stay open. */
export type SharedHandles<Handle> = {
  acquire(key: string): Promise<SharedHandle<Handle>>;
  /** Closes the handle when its last user releases it; the next `acquire` opens another. */
  forget(key: string): Promise<void>;
  /** Closes all handles; those in use either at once or when they are released. */
  close(those: { inUse: 'at once' | 'when released' }): Promise<void>;
};

type Entry<Handle> = { key: string; opening: Promise<Handle>; users: number; forgotten: boolean };

export function createSharedHandles<Handle>({
  open,
  close,
  maxIdle,
}: {
  open(key: string): Promise<Handle>;
  /** `isForgotten`: what was written through the handle is no longer needed. */
  close(handle: Handle, key: string, isForgotten: boolean): Promise<void>;
  maxIdle: number;
}): SharedHandles<Handle> {
  /** By key, least recently used first. */
  const entries = new Map<string, Entry<Handle>>();

  async function closeEntry(entry: Entry<Handle>): Promise<void> {
    if (entries.get(entry.key) === entry) entries.delete(entry.key);
    await close(await entry.opening, entry.key, entry.forgotten);
  }

  async function release(entry: Entry<Handle>): Promise<void> {
    entry.users--;
    if (entry.users > 0) return;
    if (entry.forgotten) {
      await closeEntry(entry);
      return;
    }
    if (entries.size <= maxIdle) return;
    for (const candidate of entries.values()) {
      if (candidate.users > 0) continue;
      await closeEntry(candidate);
      return;
    }
  }

  async function forget(entry: Entry<Handle>): Promise<void> {
    entries.delete(entry.key);
    entry.forgotten = true;
    if (entry.users === 0) await closeEntry(entry);
  }

  return {
    async acquire(key) {
      let entry = entries.get(key);
      if (entry === undefined) entry = { key, opening: open(key), users: 0, forgotten: false };
      else entries.delete(key);
      entries.set(key, entry);
      entry.users++;
      const taken = entry;
      try {
        const handle = await taken.opening;
        return { handle, release: () => release(taken) };
      } catch (error) {
        if (entries.get(key) === taken) entries.delete(key);
        throw error;
      }
    },
    async forget(key) {
      const entry = entries.get(key);
      if (entry !== undefined) await forget(entry);
    },
    async close({ inUse }) {
      for (const entry of entries.values()) await (inUse === 'at once' ? closeEntry(entry) : forget(entry));
    },
  };
}
