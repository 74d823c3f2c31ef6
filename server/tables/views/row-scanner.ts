import { isHeld } from './held-digits.ts';
import { scalarBit, type KindNode, type KindTree } from './kind-tree.ts';

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const point = 0x2e;
const minus = 0x2d;
const zero = 0x30;
const nine = 0x39;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Texts up to this length are scanned byte by byte: a native search has a fixed cost. */
const nearBytes = 32;
/** Any number of at most this many digits fits a double exactly. */
const maxDigits = 15;
const maxDepth = 100;

/**
 * `read`: an object; the tree has the kinds of all its values. `unsure`: it must be parsed to find out. `other`: not an
 * object, or the library reads it differently.
 */
export type ScannedRow = 'read' | 'unsure' | 'other';

/** Thrown by the scan of a row at something that it can't decide. */
class Undecided extends Error {
  override readonly name = 'Undecided';
  readonly row: Exclude<ScannedRow, 'read'>;
  constructor(row: Exclude<ScannedRow, 'read'>) {
    super(row);
    this.row = row;
  }
}

const unsure = new Undecided('unsure');
const other = new Undecided('other');

/**
 * Finds the kinds of the values of rows from their bytes, which takes a fraction of the time of parsing. Checks all of
 * JSON except the inside of texts, which the library checks when it reads them.
 */
export function createRowScanner(tree: KindTree): (bytes: Buffer, start: number, end: number) => ScannedRow {
  let bytes: Buffer = Buffer.alloc(0);
  let at = 0;
  let end = 0;
  let objects = 0;

  function skipBlanks(): number {
    while (at < end) {
      const byte = bytes[at] ?? 0;
      if (byte > 0x20) return byte;
      if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) throw other;
      at += 1;
    }
    return -1;
  }

  /** Moves past the closing quote of a text whose first byte is at `at`. */
  function skipText(): void {
    for (;;) {
      for (const near = Math.min(end, at + nearBytes); at < near; at += 1) {
        const byte = bytes[at];
        if (byte === quote) {
          at += 1;
          return;
        }
        if (byte === backslash) at += 1;
      }
      const found = at < end ? bytes.indexOf(quote, at) : -1;
      if (found === -1 || found >= end) throw other;
      let before = found;
      while (before > at && bytes[before - 1] === backslash) before -= 1;
      const isEscaped = (found - before) % 2 === 1;
      at = found + 1;
      if (!isEscaped) return;
    }
  }

  function skipWord(word: string): void {
    for (let index = 0; index < word.length; index += 1, at += 1)
      if (at >= end || bytes[at] !== word.charCodeAt(index)) throw other;
  }

  function isDigit(): boolean {
    const byte = at < end ? (bytes[at] ?? 0) : 0;
    return byte >= zero && byte <= nine;
  }

  function scanNumber(node: KindNode): void {
    if (bytes[at] === minus) at += 1;
    const start = at;
    while (isDigit()) at += 1;
    const digits = at - start;
    if (digits === 0 || (digits > 1 && bytes[start] === zero)) throw other;
    if (digits > maxDigits) throw unsure;
    let isFraction = false;
    if (at < end && bytes[at] === point) {
      at += 1;
      const first = at;
      let isZero = true;
      for (; isDigit(); at += 1) {
        const digit = bytes[at] ?? zero;
        if (digit !== zero) isZero = false;
        // A double can be whole only if all fraction digits within its precision are zeros or nines.
        if (digit !== zero && digit !== nine && digits + at - first < maxDigits) isFraction = true;
      }
      if (at === first) throw other;
      if (digits + at - first > maxDigits && !isHeld(bytes, start, at)) throw unsure;
      if (!isZero && !isFraction) throw unsure;
    }
    const next = at < end ? (bytes[at] ?? 0) : 0;
    if (next === 0x65 || next === 0x45) throw unsure;
    const bit = isFraction ? scalarBit.number : scalarBit.integer;
    if ((node.bits & bit) === 0) tree.addBit(node, bit);
  }

  function scanValue(node: KindNode, depth: number): void {
    const first = skipBlanks();
    switch (first) {
      case quote:
        at += 1;
        skipText();
        if ((node.bits & scalarBit.text) === 0) tree.addBit(node, scalarBit.text);
        return;
      case openBrace:
        scanObject(node, depth + 1);
        return;
      case openBracket:
        scanList(node, depth + 1);
        return;
      case 0x74:
      case 0x66:
        skipWord(first === 0x74 ? 'true' : 'false');
        if ((node.bits & scalarBit.boolean) === 0) tree.addBit(node, scalarBit.boolean);
        return;
      case 0x6e:
        skipWord('null');
        return;
      default:
        scanNumber(node);
    }
  }

  function scanList(node: KindNode, depth: number): void {
    if (depth > maxDepth) throw unsure;
    const item = node.item ?? tree.item(node);
    at += 1;
    if (skipBlanks() === closeBracket) {
      at += 1;
      return;
    }
    for (;;) {
      scanValue(item, depth);
      const next = skipBlanks();
      at += 1;
      if (next === closeBracket) return;
      if (next !== comma) throw other;
    }
  }

  function scanObject(node: KindNode, depth: number): void {
    if (depth > maxDepth) throw unsure;
    const members = node.members ?? tree.membersOf(node);
    const serial = objects++;
    at += 1;
    if (skipBlanks() === closeBrace) {
      at += 1;
      return;
    }
    for (let expected = 0; ;) {
      if (skipBlanks() !== quote) throw other;
      at += 1;
      let member = members.list[expected];
      if (member === undefined || !isNext(member.name)) {
        const start = at;
        skipText();
        const name = bytes.subarray(start, at - 1);
        if (name.includes(backslash)) throw unsure;
        const count = members.list.length;
        member = tree.addMember(members, name);
        // JavaScript objects order names that look like array indexes differently.
        if (members.list.length > count && /^\d+$/.test(name.toString('latin1'))) throw other;
        expected = member.place;
      } else at += member.name.length + 1;
      expected += 1;
      // Of duplicate names, our parser keeps the last one, the library none.
      if (member.seenIn === serial) throw other;
      member.seenIn = serial;
      if (skipBlanks() !== colon) throw other;
      at += 1;
      scanValue(member.node, depth);
      const next = skipBlanks();
      at += 1;
      if (next === closeBrace) return;
      if (next !== comma) throw other;
    }
  }

  /** Whether this name and its closing quote come next. */
  function isNext(name: Uint8Array): boolean {
    const { length } = name;
    if (at + length >= end || bytes[at + length] !== quote) return false;
    for (let index = 0; index < length; index += 1) if (bytes[at + index] !== name[index]) return false;
    return true;
  }

  return (rowBytes, rowStart, rowEnd) => {
    bytes = rowBytes;
    at = rowStart;
    end = rowEnd;
    try {
      if (skipBlanks() !== openBrace) return 'other';
      scanObject(tree.root, 0);
      return skipBlanks() === -1 ? 'read' : 'other';
    } catch (error) {
      if (error instanceof Undecided) return error.row;
      throw error;
    }
  };
}
