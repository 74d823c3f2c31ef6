import type { ReadAt } from '../../tables/lines.ts';

/** Reads bytes in memory like a file. */
export function readerOf(bytes: Uint8Array): ReadAt {
  return (target, position) => {
    const part = bytes.subarray(position, position + target.length);
    target.set(part);
    return part.length;
  };
}
