import type { Encoding } from '../encodings/encodings.ts';

/**
 * The bytes of each UTF-16 unit, first byte highest, with their count in the top byte; 0 if the encoding lacks the
 * unit.
 */
type EncodeTable = { units: Float64Array; astral: Map<number, readonly number[]> };

const tables = new Map<Encoding, EncodeTable>();

/**
 * Encodes a text; undefined if it contains a character that the encoding lacks. The tables are built with the runtime's
 * decoder: a character that two byte sequences decode to is written as the first one.
 */
export function encodeText(text: string, encoding: Encoding): Uint8Array | undefined {
  if (encoding === 'utf-8') return text.isWellFormed() ? Buffer.from(text) : undefined;
  if (encoding === 'utf-16le' || encoding === 'utf-16be') {
    if (!text.isWellFormed()) return undefined;
    const bytes = Buffer.from(text, 'utf16le');
    return encoding === 'utf-16le' ? bytes : bytes.swap16();
  }
  let table = tables.get(encoding);
  if (table === undefined) tables.set(encoding, (table = createTable(encoding)));
  const { units, astral } = table;
  const bytes = new Uint8Array(text.length * 4);
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    const known = units[unit] ?? 0;
    if (known > 0) {
      const count = Math.floor(known / lengthUnit);
      const packed = known % lengthUnit;
      for (let index = count - 1; index >= 0; index -= 1) {
        bytes[length] = Math.floor(packed / 256 ** index) & 0xff;
        length += 1;
      }
      continue;
    }
    const point = text.codePointAt(at) ?? 0;
    const sequence = point > 0xffff ? (astral.get(point) ?? gbBeyondPlane(encoding, point)) : undefined;
    if (sequence === undefined) return undefined;
    bytes.set(sequence, length);
    length += sequence.length;
    at += 1;
  }
  return bytes.subarray(0, length);
}

/** The first character of a text that the encoding lacks. */
export function findUnencodable(text: string, encoding: Encoding): string | undefined {
  for (const character of text) if (encodeText(character, encoding) === undefined) return character;
  return undefined;
}

const lengthUnit = 2 ** 40;

function createTable(encoding: Encoding): EncodeTable {
  const table: EncodeTable = { units: new Float64Array(0x10000), astral: new Map() };
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
  const add = (...sequence: number[]): boolean => {
    const text = decodeWith(decoder, sequence);
    if (text === undefined) return false;
    const point = text.codePointAt(0) ?? 0;
    if (text.length === 1) {
      // U+FFFD stands for invalid bytes.
      if (point !== 0xfffd && table.units[point] === 0) table.units[point] = packed(sequence);
    } else if (point > 0xffff && text.length === 2 && !table.astral.has(point)) {
      table.astral.set(point, sequence);
    }
    return true;
  };
  const leads: number[] = [];
  for (let byte = 0; byte < 0x100; byte += 1) if (!add(byte)) leads.push(byte);
  if (isSingleByte(encoding)) return table;
  for (const lead of leads) for (let trail = 0x40; trail < 0xff; trail += 1) add(lead, trail);
  if (encoding === 'euc-jp') {
    for (let row = 0xa1; row < 0xff; row += 1) for (let cell = 0xa1; cell < 0xff; cell += 1) add(0x8f, row, cell);
  }
  if (encoding === 'gb18030') {
    for (let first = 0x81; first <= 0x84; first += 1) {
      for (let second = 0x30; second <= 0x39; second += 1) {
        for (let third = 0x81; third <= 0xfe; third += 1) {
          for (let fourth = 0x30; fourth <= 0x39; fourth += 1) add(first, second, third, fourth);
        }
      }
    }
  }
  return table;
}

function isSingleByte(encoding: Encoding): boolean {
  return !['gb18030', 'big5', 'shift_jis', 'euc-jp', 'euc-kr'].includes(encoding);
}

function packed(sequence: readonly number[]): number {
  return sequence.reduce((sum, byte) => sum * 256 + byte, 0) + sequence.length * lengthUnit;
}

function decodeWith(decoder: { decode(bytes: Uint8Array): string }, sequence: readonly number[]): string | undefined {
  try {
    return decoder.decode(Uint8Array.from(sequence));
  } catch {
    return undefined;
  }
}

/** GB18030 maps the planes above the first linearly to four bytes, starting with U+10000 at 90 30 81 30. */
function gbBeyondPlane(encoding: Encoding, point: number): readonly number[] | undefined {
  if (encoding !== 'gb18030') return undefined;
  const index = point - 0x10000;
  return [
    0x90 + Math.floor(index / 12600),
    0x30 + (Math.floor(index / 1260) % 10),
    0x81 + (Math.floor(index / 10) % 126),
    0x30 + (index % 10),
  ];
}
