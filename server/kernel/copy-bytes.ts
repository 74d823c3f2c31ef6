/**
 * Copies bytes into shared memory at memory speed. `set` copies byte by byte unless source and target are equally
 * aligned, which parts of a multipart form never are: 0.5 s of CPU per GiB instead of 0.1 s.
 */
export function copyBytes(source: Buffer, target: Buffer, position: number): void {
  const last = source.length - 1;
  if (last < 0) return;
  // `copy` of a partial range is native; for a whole buffer it calls `set`.
  source.copy(target, position, 0, last);
  target[position + last] = source[last] ?? 0;
}

/** The same memory as a Buffer. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
