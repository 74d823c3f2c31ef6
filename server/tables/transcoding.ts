import { decodeStrictly, type Encoding } from '../encodings/encodings.ts';

/** Whole lines of a table in UTF-8. */
export type TranscodedLines = {
  bytes: Uint8Array;
  /** Starts of the lines in `bytes` with invalid bytes, which appear as U+FFFD. */
  damaged: readonly number[];
  /** Where the line at `start` of `bytes` begins in the source bytes. */
  sourceOf(start: number): number;
  /** The reverse of `sourceOf`. */
  targetOf(start: number): number;
};

/**
 * Converts whole lines of another encoding to UTF-8; a line that can't be decoded affects no other line. `lineEnds`:
 * each byte that ends a line.
 */
export function transcodeLines(source: Uint8Array, encoding: Encoding, lineEnds: readonly number[]): TranscodedLines {
  let starts: { source: number[]; target: number[] } | undefined;
  const whole = decodeStrictly(encoding, source, false);
  const damaged: number[] = [];
  const bytes = whole === undefined ? decodeByLines(source, encoding, lineEnds, damaged) : Buffer.from(whole);
  const startsOf = (): { source: number[]; target: number[] } =>
    (starts ??= { source: lineStarts(source, encoding, lineEnds), target: lineStarts(bytes, 'utf-8', lineEnds) });
  return {
    bytes,
    damaged,
    sourceOf(start) {
      const { source: known, target } = startsOf();
      return start >= bytes.length ? source.length : (known[indexOfStart(target, start)] ?? source.length);
    },
    targetOf(start) {
      const { source: known, target } = startsOf();
      return start >= source.length ? bytes.length : (target[indexOfStart(known, start)] ?? bytes.length);
    },
  };
}

function decodeByLines(
  source: Uint8Array,
  encoding: Encoding,
  lineEnds: readonly number[],
  damaged: number[],
): Uint8Array {
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  const lines: Uint8Array[] = [];
  const starts = lineStarts(source, encoding, lineEnds);
  let length = 0;
  for (const [index, start] of starts.entries()) {
    const line = source.subarray(start, starts[index + 1] ?? source.length);
    let text = decodeStrictly(encoding, line, false);
    if (text === undefined) {
      damaged.push(length);
      text = decoder.decode(line);
    }
    const bytes = Buffer.from(text);
    lines.push(bytes);
    length += bytes.length;
  }
  return Buffer.concat(lines, length);
}

/** Start of each line. */
function lineStarts(bytes: Uint8Array, encoding: Encoding, lineEnds: readonly number[]): number[] {
  if (bytes.length === 0) return [];
  const starts = [0, ...lineEnds.flatMap((lineEnd) => startsBehind(bytes, encoding, lineEnd))];
  return lineEnds.length === 1 ? starts : starts.toSorted((one, other) => one - other);
}

function startsBehind(bytes: Uint8Array, encoding: Encoding, lineEnd: number): number[] {
  const starts: number[] = [];
  if (encoding === 'utf-16le' || encoding === 'utf-16be') {
    const low = encoding === 'utf-16le' ? 0 : 1;
    for (let at = 0; at + 2 < bytes.length; at += 2) {
      if (bytes[at + low] === lineEnd && bytes[at + 1 - low] === 0) starts.push(at + 2);
    }
    return starts;
  }
  for (let at = bytes.indexOf(lineEnd); at !== -1 && at + 1 < bytes.length; at = bytes.indexOf(lineEnd, at + 1)) {
    starts.push(at + 1);
  }
  return starts;
}

/** Index of the last start at or before `position`. */
function indexOfStart(starts: readonly number[], position: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}
