/** For fewer bytes the garbage collector is faster. */
const smallBytes = 16 * 1024;

/**
 * Frees memory that is no longer read at once, if the bytes span the whole buffer. Left to the garbage collector, the
 * 64 KiB of each socket read cost a collection of the whole heap every 32 MiB: half the CPU time of an upload.
 */
export function freeBytes(bytes: Uint8Array): void {
  const { buffer } = bytes;
  if (bytes.byteLength < smallBytes || bytes.byteLength !== buffer.byteLength) return;
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
