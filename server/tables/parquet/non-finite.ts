import { endOfString } from '../json-values.ts';

const quote = 0x22;
const numbers = ['-Infinity', 'Infinity', 'NaN'].map((name) => Buffer.from(name));
const none = Buffer.from('null');

/** A row with null for NaN and infinities, which JSON lacks and the writer writes as these words. */
export function withoutNonFinite(row: Uint8Array): Uint8Array {
  const bytes = Buffer.from(row.buffer, row.byteOffset, row.byteLength);
  if (!bytes.includes('NaN') && !bytes.includes('Infinity')) return row;
  const parts: Uint8Array[] = [];
  let copied = 0;
  for (let at = 0; at < bytes.length;) {
    if (bytes[at] === quote) {
      at = endOfString(bytes, at);
      continue;
    }
    const found = numbers.find((name) => bytes.subarray(at, at + name.length).equals(name));
    if (found !== undefined) {
      parts.push(bytes.subarray(copied, at), none);
      copied = at + found.length;
    }
    at += found?.length ?? 1;
  }
  return Buffer.concat([...parts, bytes.subarray(copied)]);
}
