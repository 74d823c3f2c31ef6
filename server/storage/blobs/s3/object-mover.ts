import { createMemoryBudget } from './memory-budget.ts';
import { openObjectFile } from './object-file.ts';
import type { ObjectStore } from './object-store.ts';
import { readMarker, requireNoneAround, StorageMismatchError, writeMarker } from './store-identity.ts';

/** Writes objects with the bytes of another store before a blob store is opened over them. */
export type ObjectMover = Pick<ObjectStore, 'find' | 'remove'> & {
  /** Claims the bucket's folder. Throws StorageMismatchError if it is not empty, another installation's, or inside another's folder. */
  claim(marker: string): Promise<void>;
  /** Writes an object sequentially; afterwards it is complete and durable, or absent. */
  write(key: string, blocks: AsyncIterable<Uint8Array>): Promise<void>;
  close(): void;
};

const memoryBytes = 64 * 1024 * 1024;

export function createObjectMover(store: ObjectStore, url: string): ObjectMover {
  const budget = createMemoryBudget(memoryBytes);
  return {
    find: (key) => store.find(key),
    remove: (key) => store.remove(key),
    async claim(marker) {
      const owner = await readMarker(store);
      if (owner === marker) return;
      if (owner !== undefined) throw new StorageMismatchError(`${url} belongs to another installation`);
      await requireNoneAround(store, url);
      for await (const page of store.list(''))
        if (page.length > 0)
          throw new StorageMismatchError(`${url} is not empty (${page[0]?.key}); name a folder of the bucket that is`);
      await writeMarker(store, marker, url);
    },
    async write(key, blocks) {
      const file = openObjectFile({ store, path: key, budget });
      try {
        let position = 0;
        for await (const block of blocks) {
          await file.writeBuffered(block, position);
          position += block.length;
        }
        await file.sync();
      } finally {
        await file.close();
      }
    },
    close: () => store.close(),
  };
}
