import { readFully, type ReadAt } from './lines.ts';

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** An element of a JSON array: `[lead, start)` is the comma before it with white space, `[start, end)` the element. */
export type ArrayElement = { lead: number; start: number; end: number };

/**
 * How the array ends: position of its closing bracket, if any, and from which byte on it is not an array any more. If
 * both are undefined, it continues beyond the bytes read.
 */
export type ArrayEnd = { closedAt: number | undefined; broken: { from: number; problem: string } | undefined };

/** Finds the elements of an array without parsing them; its bytes come in pieces of any length. */
export type ArrayScanner = {
  push(bytes: Uint8Array, onElement: (element: ArrayElement) => void): void;
  /** `isFileEnd`: no further bytes follow. */
  end(isFileEnd: boolean): ArrayEnd;
};

type Phase = 'open' | 'first' | 'value' | 'inside' | 'behind' | 'closed' | 'broken';

/** Scans from byte `from`, which must be the beginning of the file or the end of an element. */
export function createArrayScanner(from: number, markBytes = 0): ArrayScanner {
  let phase: Phase = from === 0 ? 'open' : 'behind';
  let base = from;
  let lead = from;
  let start = from;
  let depth = 0;
  let inString = false;
  let isEscaped = false;
  let closedAt: number | undefined;
  let problem = '';
  let brokenFrom = from;

  function breakOff(why: string, at: number): void {
    phase = 'broken';
    problem = why;
    brokenFrom = at;
  }

  /** Position after a string that continues at `at`; the length of the bytes if it continues beyond them. */
  function skipString(bytes: Uint8Array, at: number): number {
    for (let from = at; ;) {
      const found = bytes.indexOf(quote, from);
      const end = found === -1 ? bytes.length : found;
      let slashes = 0;
      while (end - 1 - slashes >= from && bytes[end - 1 - slashes] === backslash) slashes += 1;
      const isOdd = (slashes + (isEscaped && end - slashes === from ? 1 : 0)) % 2 === 1;
      isEscaped = found === -1 && isOdd;
      if (found === -1) return bytes.length;
      if (!isOdd) {
        inString = false;
        return found + 1;
      }
      from = found + 1;
    }
  }

  function push(bytes: Uint8Array, onElement: (element: ArrayElement) => void): void {
    let at = base === 0 ? Math.min(markBytes, bytes.length) : 0;
    const close = (end: number): void => {
      onElement({ lead, start, end: base + end });
      lead = base + end;
      phase = 'behind';
    };
    while (at < bytes.length && phase !== 'broken') {
      if (phase === 'inside') {
        if (inString) {
          at = skipString(bytes, at);
          if (!inString && depth === 0) close(at);
          continue;
        }
        const byte = bytes[at];
        if (byte === quote) inString = true;
        else if (byte === openBrace || byte === openBracket) depth += 1;
        else if (depth > 0) {
          if (byte === closeBrace || byte === closeBracket) depth -= 1;
          if (depth === 0) close(at + 1);
        } else if (byte === comma || byte === closeBracket || isBlank(byte)) {
          close(at);
          continue;
        }
        at += 1;
        continue;
      }
      const byte = bytes[at];
      if (isBlank(byte)) {
        at += 1;
        continue;
      }
      switch (phase) {
        case 'open':
          if (byte !== openBracket) breakOff('it does not begin with a bracket', base + at);
          else {
            phase = 'first';
            lead = base + at + 1;
          }
          break;
        case 'behind':
          if (byte === comma) phase = 'value';
          else if (byte === closeBracket) {
            phase = 'closed';
            closedAt = base + at;
          } else breakOff('a comma is missing between two elements', lead);
          break;
        case 'closed':
          breakOff('other bytes follow the array', (closedAt ?? 0) + 1);
          break;
        case 'first':
        case 'value':
          if (byte === closeBracket && phase === 'first') {
            phase = 'closed';
            closedAt = base + at;
          } else if (byte === comma || byte === closeBracket || byte === closeBrace) {
            breakOff('an element is missing', lead);
          } else {
            // Nothing separates the first element from anything before it.
            if (phase === 'first') lead = base + at;
            phase = 'inside';
            start = base + at;
            depth = 0;
            continue;
          }
          break;
      }
      at += 1;
    }
    base += bytes.length;
  }

  return {
    push,
    end(isFileEnd) {
      if (phase === 'broken') return { closedAt, broken: { from: brokenFrom, problem } };
      if (phase === 'closed' || !isFileEnd) return { closedAt, broken: undefined };
      return { closedAt, broken: { from: lead, problem: 'the array is not closed' } };
    },
  };
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

const blockBytes = 1 << 20;

/** Scans the bytes `[from, to)` of a file in bounded memory; `visit` may throw to stop it. */
export function scanArray(
  read: ReadAt,
  { from, to, sizeBytes, markBytes }: { from: number; to: number; sizeBytes: number; markBytes: number },
  onElement: (element: ArrayElement) => void,
  visit?: (at: number) => void,
): ArrayEnd {
  const scanner = createArrayScanner(from, markBytes);
  const block = Buffer.alloc(Math.min(blockBytes, to - from));
  for (let at = from; at < to; at += block.length) {
    visit?.(at);
    const bytes = block.subarray(0, Math.min(block.length, to - at));
    readFully(read, bytes, at);
    scanner.push(bytes, onElement);
  }
  return scanner.end(to === sizeBytes);
}

/**
 * Where to cut an array: after elements, at each multiple of `stepBytes` or after the element that crosses it. An
 * element over `maxRowBytes` is a part of its own; so is everything from where the array becomes invalid.
 */
export function findElementCuts(
  read: ReadAt,
  scan: { sizeBytes: number; markBytes: number; maxRowBytes: number },
  stepBytes: number,
  visit?: (at: number) => void,
): { cuts: number[]; end: ArrayEnd } {
  const { sizeBytes, markBytes, maxRowBytes } = scan;
  const step = Math.max(1, Math.min(stepBytes, maxRowBytes));
  const cuts: number[] = [];
  let next = step;
  const add = (at: number): void => {
    if (at > (cuts.at(-1) ?? 0) && at < sizeBytes) cuts.push(at);
    next = at - (at % step) + step;
  };
  const end = scanArray(
    read,
    { from: 0, to: sizeBytes, sizeBytes, markBytes },
    ({ lead, start, end: behind }) => {
      const isLong = behind - start > maxRowBytes;
      // What precedes the first element stays with it.
      if (isLong && lead < start) add(lead);
      if (isLong || behind >= next) add(behind);
    },
    visit,
  );
  if (end.broken !== undefined) add(end.broken.from);
  return { cuts, end };
}

class Enough extends Error {}

/** The range of the elements that begin in `[from, to)`, found by scanning from the beginning of the file. */
export function findElementRange(
  read: ReadAt,
  { from, to }: { from: number; to: number },
  { sizeBytes, markBytes }: { sizeBytes: number; markBytes: number },
): { from: number; to: number } {
  let first = from === 0 ? 0 : sizeBytes;
  let last = sizeBytes;
  try {
    scanArray(read, { from: 0, to: sizeBytes, sizeBytes, markBytes }, ({ lead, start }) => {
      if (start >= from) first = Math.min(first, from === 0 ? 0 : lead);
      if (start < to) return;
      last = lead;
      throw new Enough();
    });
  } catch (error) {
    if (!(error instanceof Enough)) throw error;
  }
  return { from: Math.min(first, last), to: last };
}

/** Whether a file begins with an array of objects, or an empty array. */
export function beginsArray(head: Uint8Array): boolean {
  let at = 0;
  while (isBlank(head[at])) at += 1;
  if (head[at] !== openBracket) return false;
  at += 1;
  while (isBlank(head[at])) at += 1;
  return head[at] === openBrace || head[at] === closeBracket;
}

/** The complete elements in the first bytes of a file, at most `limit`, and where it stops being a valid array. */
export function firstElements(
  head: Uint8Array,
  limit: number,
  isWholeFile = false,
): { elements: Uint8Array[]; isAll: boolean; broken: ArrayEnd['broken'] } {
  const elements: Uint8Array[] = [];
  const scanner = createArrayScanner(0);
  try {
    scanner.push(head, ({ start, end }) => {
      if (elements.length === limit) throw new Enough();
      elements.push(head.subarray(start, end));
    });
  } catch (error) {
    if (!(error instanceof Enough)) throw error;
    return { elements, isAll: false, broken: undefined };
  }
  const { broken } = scanner.end(isWholeFile);
  return { elements, isAll: isWholeFile && broken === undefined, broken };
}
