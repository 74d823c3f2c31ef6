import { createHash, hash } from 'node:crypto';

/** Fills `target` with the first 32-bit words of the SHA-256 of a text's UTF-8 bytes; at most 8 words. */
export function hashText(text: string, target: Uint32Array): void {
  const digest = hash('sha256', text, 'buffer');
  for (let index = 0; index < target.length; index += 1) target[index] = digest.readUInt32BE(index * 4);
}

/** The same for the concatenation of buffers. */
export function hashBytes(parts: readonly Uint8Array[], target: Uint32Array): void {
  const sum = createHash('sha256');
  for (const part of parts) sum.update(part);
  const digest = sum.digest();
  for (let index = 0; index < target.length; index += 1) target[index] = digest.readUInt32BE(index * 4);
}
