const mebibyte = 1024 * 1024;
const usualChunkBytes = 8 * mebibyte;
const mostChunkBytes = 64 * mebibyte;
const mostChunks = 100_000;

/** Chunk size of an upload: 8 MiB, more if a file would need too many chunks. */
export function chunkBytesFor(sizesBytes: readonly number[]): number {
  const largest = sizesBytes.reduce((most, size) => Math.max(most, size), 0);
  return Math.min(mostChunkBytes, Math.max(usualChunkBytes, Math.ceil(largest / mostChunks / mebibyte) * mebibyte));
}

/** An empty file is one empty chunk. */
export function chunkCount(sizeBytes: number, chunkBytes: number): number {
  return Math.max(1, Math.ceil(sizeBytes / chunkBytes));
}

/** Byte range of a chunk in its file. Chunks count from 1; `to` is exclusive. */
export function chunkRange(chunkNo: number, sizeBytes: number, chunkBytes: number): { from: number; to: number } {
  const from = (chunkNo - 1) * chunkBytes;
  return { from, to: Math.min(sizeBytes, from + chunkBytes) };
}

/** Chunks of a file that remain to be sent, in order. */
export function* chunksOf(ranges: readonly { from: number; to: number }[]): Generator<number> {
  for (const { from, to } of ranges) for (let chunkNo = from; chunkNo <= to; chunkNo += 1) yield chunkNo;
}
