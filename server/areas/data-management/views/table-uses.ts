/** Who reads the files derived from a blob, so that none is deleted under a reader. */
export type TableUses = {
  /** Calls `work`, during which the files of the blob stay; waits first while they are being deleted. */
  hold<T>(blobId: string, work: () => Promise<T>): Promise<T>;
  /** Calls `remove` unless somebody reads; who wants to read meanwhile waits for its end. Returns whether it was called. */
  removeUnused(blobId: string, remove: () => Promise<void>): Promise<boolean>;
};

export function createTableUses(): TableUses {
  const readers = new Map<string, number>();
  const removals = new Map<string, Promise<void>>();

  return {
    async hold(blobId, work) {
      // Another removal may begin before this continues.
      for (let removal = removals.get(blobId); removal !== undefined; removal = removals.get(blobId)) await removal;
      readers.set(blobId, (readers.get(blobId) ?? 0) + 1);
      try {
        return await work();
      } finally {
        const left = (readers.get(blobId) ?? 1) - 1;
        if (left === 0) readers.delete(blobId);
        else readers.set(blobId, left);
      }
    },
    async removeUnused(blobId, remove) {
      if (readers.has(blobId) || removals.has(blobId)) return false;
      const removal = remove();
      const ended = removal.then(
        () => {},
        () => {},
      );
      removals.set(blobId, ended);
      try {
        await removal;
      } finally {
        removals.delete(blobId);
      }
      return true;
    },
  };
}
