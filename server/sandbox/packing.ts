/**
 * What crosses into a sandbox and back: a head in JSON and the texts of a batch, joined. Texts of ASCII are kept apart from the
 * others, because one character beyond Latin-1 makes an engine hold a whole string in two bytes a character.
 */
export type PackedTexts = { readonly head: string; readonly narrow: string; readonly wide: string };

/** The bytes of a pack: for each of its three strings its encoding and its length in bytes, then their bytes. */
export const packHeaderBytes = 24;
export const encodings = { latin1: 0, utf16: 1 } as const;

export type PackedPart = { readonly isNarrow: boolean; readonly start: number; readonly end: number };

/** Most texts beyond ASCII show it soon, which saves counting their bytes. */
const firstLook = 16;

export function isAscii(text: string): boolean {
  const looked = Math.min(text.length, firstLook);
  for (let at = 0; at < looked; at += 1) if (text.charCodeAt(at) > 127) return false;
  return Buffer.byteLength(text) === text.length;
}

/** A Buffer with memory of its own, which can be given to another thread. */
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

/** Where the three strings are. Throws RangeError for bytes that are no pack. */
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

/** A range of a string of a pack, in UTF-16 units; undefined if it leaves the string. */
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
