import { hash } from 'node:crypto';

/** Writes the first words of the SHA-256 of a text's UTF-8 bytes into `target`, at most 8. */
export function hashText(text: string, target: Uint32Array): void {
  const digest = hash('sha256', text, 'buffer');
  for (let index = 0; index < target.length; index += 1) target[index] = digest.readUInt32BE(index * 4);
}
