import { constants, createGzip, createZstdCompress } from 'node:zlib';
import type { BlobWriter } from '../../storage/blobs/blob-store.ts';

const blockBytes = 1 << 20;

/**
 * Compresses what is written to it into `target`: one gzip member or Zstandard frame, which every reader understands.
 * Works in blocks of a fixed size, so the same content gives the same bytes however it is split into writes.
 */
export function createPacker(target: BlobWriter, compression: 'gzip' | 'zstd'): BlobWriter {
  const encoder =
    compression === 'gzip'
      ? createGzip({ chunkSize: blockBytes })
      : createZstdCompress({ chunkSize: blockBytes, params: { [constants.ZSTD_c_checksumFlag]: 1 } });
  let block = Buffer.allocUnsafe(blockBytes);
  let length = 0;
  const emptying = (async () => {
    for await (const bytes of encoder as AsyncIterable<Uint8Array>) await target.write(bytes);
  })();
  // The next write, or the end, throws its error.
  emptying.catch(() => {});

  async function flush(): Promise<void> {
    const full = block.subarray(0, length);
    block = Buffer.allocUnsafe(blockBytes);
    length = 0;
    const written = new Promise<void>((resolve, reject) => {
      encoder.write(full, (error) => {
        if (error === null || error === undefined) resolve();
        else reject(error);
      });
    });
    await Promise.race([written, emptying.then(() => written)]);
  }

  async function writeAll(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      const part = bytes.subarray(at, at + blockBytes - length);
      block.set(part, length);
      length += part.length;
      at += part.length;
      if (length === blockBytes) await flush();
    }
  }

  return {
    write(bytes) {
      if (length + bytes.length < blockBytes) {
        block.set(bytes, length);
        length += bytes.length;
        return undefined;
      }
      return writeAll(bytes);
    },
    async finish() {
      if (length > 0) await flush();
      encoder.end();
      await emptying;
      return target.finish();
    },
    async abort() {
      encoder.destroy();
      await emptying.catch(() => {});
      await target.abort();
    },
  };
}
