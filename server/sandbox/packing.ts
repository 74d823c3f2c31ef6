/**
 * Data that crosses the sandbox boundary: a JSON head and the joined texts of a batch. ASCII texts are separate from
 * the others, because a single character beyond Latin-1 makes an engine store a whole string with two bytes per
 * character.
 */
export type PackedTexts = { readonly head: string; readonly narrow: string; readonly wide: string };

/** Header of a pack: encoding and length in bytes of each of its three strings, whose bytes follow. */
export const packHeaderBytes = 24;
export const encodings = { latin1: 0, utf16: 1 } as const;

export type PackedPart = { readonly isNarrow: boolean; readonly start: number; readonly end: number };

/** Most non-ASCII texts are recognized by their first characters, which saves counting their bytes. */
const firstLook = 16;

export function isAscii(text: string): boolean {
  const looked = Math.min(text.length, firstLook);
  for (let at = 0; at < looked; at += 1) if (text.charCodeAt(at) > 127) return false;
  return Buffer.byteLength(text) === text.length;
}

/** A Buffer with its own memory, which can be transferred to another thread. */
export function ownBuffer(length: number): Buffer {
  return Buffer.from(new ArrayBuffer(length));
}

export function packTexts(
  { head, narrow, wide }: PackedTexts,
  allocate: (length: number) => Buffer = ownBuffer,
): Buffer {
  const parts = [head, narrow, wide].map((text, index) => ({ text, isNarrow: index < 2 && isAscii(text) }));
  const lengths = parts.map(({ text, isNarrow }) => (isNarrow ? text.length : 2 * text.length));
  const pack = allocate(lengths.reduce((sum, length) => sum + length, packHeaderBytes));
  let at = packHeaderBytes;
  for (const [index, { text, isNarrow }] of parts.entries()) {
    const length = lengths[index] ?? 0;
    pack.writeUInt32LE(isNarrow ? encodings.latin1 : encodings.utf16, 8 * index);
    pack.writeUInt32LE(length, 8 * index + 4);
    if (isNarrow) pack.write(text, at, length, 'latin1');
    else pack.write(text, at, length, 'utf16le');
    at += length;
  }
  return pack;
}

/** The positions of the three strings. Throws RangeError if the bytes are not a pack. */
export function partsOfPack(pack: Buffer): readonly [PackedPart, PackedPart, PackedPart] {
  let at = packHeaderBytes;
  const partAt = (index: number): PackedPart => {
    const start = at;
    at += pack.readUInt32LE(8 * index + 4);
    return { isNarrow: pack.readUInt32LE(8 * index) === encodings.latin1, start, end: at };
  };
  const parts = [partAt(0), partAt(1), partAt(2)] as const;
  if (at !== pack.length) throw new RangeError('The parts of the pack do not fit');
  return parts;
}

/** A range of a pack's string, in UTF-16 units; undefined if it exceeds the string. */
export function textAt(
  pack: Buffer,
  { isNarrow, start, end }: PackedPart,
  from: number,
  to: number,
): string | undefined {
  const unit = isNarrow ? 1 : 2;
  if (from < 0 || to < from || start + to * unit > end) return undefined;
  return isNarrow
    ? pack.toString('latin1', start + from, start + to)
    : pack.toString('utf16le', start + 2 * from, start + 2 * to);
}

export function unpackTexts(bytes: Uint8Array): PackedTexts {
  const pack = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const [head = '', narrow = '', wide = ''] = partsOfPack(pack).map((part) =>
    part.isNarrow ? pack.toString('latin1', part.start, part.end) : pack.toString('utf16le', part.start, part.end),
  );
  return { head, narrow, wide };
}
