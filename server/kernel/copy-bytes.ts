/**
 * Copies bytes into shared memory at the speed of memory. `set` copies there byte by byte where source and target are not
 * aligned alike, as the pieces of a form never are: 0.5 s of CPU for a GiB, where this takes 0.1.
 */
export function copyBytes(source: Buffer, target: Buffer, position: number): void {
  const last = source.length - 1;
  if (last < 0) return;
  // Of a part `copy` takes the native way, of a whole the one of `set`.
  source.copy(target, position, 0, last);
  target[position + last] = source[last] ?? 0;
}

/** The same memory as a Buffer. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
