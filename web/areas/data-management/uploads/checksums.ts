type Waiting = { resolve: (hex: string) => void; reject: (error: Error) => void };

/** CRC-32 of blobs as eight hexadecimal digits, computed in a worker. */
export type Checksums = { crc32(blob: Blob): Promise<string> };

/** A file that could be chosen but can no longer be read: it was changed, moved, or its folder is gone. */
export class UnreadableFileError extends Error {}

export function createChecksums(): Checksums {
  let worker: Worker | undefined;
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  const start = (): Worker => {
    const started = new Worker(new URL('./checksum-worker.ts', import.meta.url), { type: 'module' });
    started.addEventListener('message', ({ data }: MessageEvent<{ id: number; hex?: string; error?: string }>) => {
      const asker = waiting.get(data.id);
      waiting.delete(data.id);
      if (data.hex === undefined) asker?.reject(new UnreadableFileError(data.error));
      else asker?.resolve(data.hex);
    });
    started.addEventListener('error', ({ message }) => {
      for (const { reject } of waiting.values()) reject(new Error(message));
      waiting.clear();
      worker = undefined;
    });
    return started;
  };
  return {
    crc32(blob) {
      worker ??= start();
      lastId += 1;
      const id = lastId;
      worker.postMessage({ id, blob });
      return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
    },
  };
}
