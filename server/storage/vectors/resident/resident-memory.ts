/** Bounds the memory of the vectors of all indexes; the least recently used ones are evicted. */
export type ResidentMemory = {
  /** Reserves memory for an index; false if it does not fit. `giveUp` is called when another index needs the memory. */
  take(id: string, bytes: number, giveUp: () => void): boolean;
  /** The same for rows that are added to an index; true for an index without reserved memory. */
  grow(id: string, bytes: number): boolean;
  touch(id: string): void;
  release(id: string): void;
};

export function createResidentMemory(maxBytes: number): ResidentMemory {
  /** Least recently used first. */
  const indexes = new Map<string, { bytes: number; giveUp: () => void }>();

  function makeRoom(): void {
    let sum = 0;
    for (const { bytes } of indexes.values()) sum += bytes;
    for (const [id, { bytes, giveUp }] of indexes) {
      if (sum <= maxBytes) return;
      sum -= bytes;
      indexes.delete(id);
      giveUp();
    }
  }

  return {
    take(id, bytes, giveUp) {
      if (bytes > maxBytes) return false;
      indexes.delete(id);
      indexes.set(id, { bytes, giveUp });
      makeRoom();
      return true;
    },
    grow(id, bytes) {
      const index = indexes.get(id);
      if (index === undefined) return true;
      index.bytes += bytes;
      if (index.bytes > maxBytes) return false;
      makeRoom();
      return true;
    },
    touch(id) {
      const index = indexes.get(id);
      if (index === undefined) return;
      indexes.delete(id);
      indexes.set(id, index);
    },
    release: (id) => void indexes.delete(id),
  };
}
