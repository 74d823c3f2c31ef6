/** Below this the garbage collector is quicker. */
const smallBytes = 16 * 1024;

/**
 * Gives memory back at once that nobody reads any more, where the bytes are all of it. Left to the garbage collector, the
 * 64 KiB that each read of a socket brings cost a collection of the whole heap every 32 MiB: half of an upload's work.
 */
export function freeBytes(bytes: Uint8Array): void {
  const { buffer } = bytes;
  if (bytes.byteLength < smallBytes || bytes.byteLength !== buffer.byteLength) return;
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
