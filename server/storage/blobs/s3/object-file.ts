import type { WritableFile } from '../files/writable-file.ts';
import type { MemoryBudget } from './memory-budget.ts';
import type { ObjectStore } from './object-store.ts';
import { createObjectUpload } from './object-upload.ts';

/** An object as a file for the blob writer: written sequentially, complete and durable after `sync`. */
export function openObjectFile(options: { store: ObjectStore; path: string; budget: MemoryBudget }): WritableFile {
  const { path } = options;
  const upload = createObjectUpload({ ...options, key: path });
  let completing: Promise<void> | undefined;
  let isClosed = false;

  async function append(bytes: Uint8Array, position: number): Promise<void> {
    if (position !== upload.sizeBytes) throw new Error(`Objects are written in order: ${position} of ${path}`);
    await upload.write(bytes);
  }

  return {
    path,
    writeBuffered: append,
    writeBlocks: append,
    async read(target, position) {
      const bytes = upload.gathered().subarray(position, position + target.length);
      target.set(bytes);
      return bytes.length;
    },
    sync: () => (completing ??= upload.complete()),
    async fit(length) {
      if (length !== upload.sizeBytes)
        throw new Error(`The object ${path} has ${upload.sizeBytes} bytes, not ${length}`);
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      const isComplete = await completing?.then(
        () => true,
        () => false,
      );
      if (isComplete !== true) await upload.discard();
    },
  };
}
