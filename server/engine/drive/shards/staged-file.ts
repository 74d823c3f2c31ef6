import { open } from 'node:fs/promises';
import type { BlobBytes, StagedBlob } from '../../../storage/blobs/blob-store.ts';

const blockBytes = 1 << 20;

/** Writes a local file into a blob; the caller must flush the store before it relies on the blob. */
export async function stageFile(
  blobs: BlobBytes,
  path: string,
  signal: AbortSignal,
  options?: Parameters<BlobBytes['create']>[0],
): Promise<StagedBlob> {
  const file = await open(path);
  const writer = blobs.create(options);
  try {
    const block = new Uint8Array(blockBytes);
    for (;;) {
      signal.throwIfAborted();
      const { bytesRead } = await file.read(block, 0, blockBytes, null);
      if (bytesRead === 0) return await writer.finish();
      await writer.write(block.subarray(0, bytesRead));
    }
  } catch (error) {
    await writer.abort();
    throw error;
  } finally {
    await file.close();
  }
}
