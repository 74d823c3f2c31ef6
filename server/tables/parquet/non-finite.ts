import { endOfString } from '../json-spans.ts';

const quote = 0x22;
const openings = [0x7b, 0x5b];
const closings = [0x7d, 0x5d];
const numbers = ['-Infinity', 'Infinity', 'NaN'].map((name) => Buffer.from(name));
const none = Buffer.from('null');

/** Depth at which an extracted row `{"t":{…}}` has its columns. */
const columnDepth = 2;

/**
 * An extracted row with null in place of NaN and infinities, which the writer outputs although JSON lacks them;
 * `onNumber` is called with the column of each.
 */
export function withoutNonFinite(row: Uint8Array, onNumber?: (column: string) => void): Uint8Array {
  const bytes = Buffer.from(row.buffer, row.byteOffset, row.byteLength);
  if (!bytes.includes('NaN') && !bytes.includes('Infinity')) return row;
  const parts: Uint8Array[] = [];
  let copied = 0;
  let depth = 0;
  let name: [from: number, to: number] | undefined;
  for (let at = 0; at < bytes.length;) {
    const byte = bytes[at] ?? 0;
    if (byte === quote) {
      const end = endOfString(bytes, at);
      // When a number follows, the last string at this depth is its name.
      if (depth === columnDepth) name = [at, end];
      at = end;
      continue;
    }
    if (openings.includes(byte)) depth += 1;
    else if (closings.includes(byte)) depth -= 1;
    const found = numbers.find((number) => bytes.subarray(at, at + number.length).equals(number));
    if (found !== undefined) {
      parts.push(bytes.subarray(copied, at), none);
      copied = at + found.length;
      if (name !== undefined) onNumber?.(JSON.parse(bytes.toString('utf8', ...name)) as string);
    }
    at += found?.length ?? 1;
  }
  return Buffer.concat([...parts, bytes.subarray(copied)]);
}
