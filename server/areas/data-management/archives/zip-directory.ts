import { archiveProblems, type Reason } from '../../../kernel/sentences/index.ts';
import { isAscii, isUtf8 } from 'node:buffer';
import { crc32 } from 'node:zlib';
import type { BlobReader } from '../../../storage/blobs/blob-store.ts';
import { ArchiveError } from './archive-limits.ts';
import { createBlobWindow, type BlobWindow } from './blob-window.ts';
import { collectUndeclaredNames, type UndeclaredNames } from './name-encodings.ts';

/** An entry of the central directory. */
export type CentralEntry = {
  nameRaw: Buffer;
  /** The name in the Unicode Path extra field, if it applies to this name. */
  unicodeName: string | undefined;
  /** Whether the name is declared as UTF-8. */
  isDeclaredUtf8: boolean;
  flags: number;
  method: number;
  crc32: number;
  compressedSize: number;
  uncompressedSize: number;
  /** Offset of the entry's header in the file. */
  position: number;
  /** Includes the file type; 0 where the writer's system has none. */
  unixMode: number;
};

export type CentralDirectory = {
  /** All entries in directory order; can be iterated repeatedly; throws ArchiveError where it is damaged. */
  entries(): AsyncGenerator<CentralEntry>;
  /** The names that are neither ASCII nor declared as Unicode. */
  undeclaredNames: UndeclaredNames;
  /** Where the archive contradicts itself without leaving its entries in doubt. */
  warnings: Reason[];
};

/** The end record of the central directory (APPNOTE 4.3.14 to 4.3.16): its position, and what it declares. */
type EndRecord = {
  /** Offset just after the directory. */
  position: number;
  entries: number;
  /** Whether the count has only 16 bits: old writers let it overflow. */
  isShortCount: boolean;
  directoryBytes: number;
  directoryOffset: number;
  trailingBytes: number;
};

const signatures = {
  local: 0x04034b50,
  entry: 0x02014b50,
  end: 0x06054b50,
  end64: 0x06064b50,
  locator64: 0x07064b50,
} as const;
const endBytes = 22;
const end64Bytes = 56;
const locator64Bytes = 20;
const entryBytes = 46;
const maxCommentBytes = 65_535;
const windowBytes = 128 * 1024;
const max16 = 0xffff;
const max32 = 0xffffffff;
/** An error that says why the archive is no zip, or damaged. */
function damaged(why: Reason): ArchiveError {
  return new ArchiveError(archiveProblems.ZIP_DAMAGED_BECAUSE.reason({ why }));
}

/** Whether the file ends like a zip, whatever precedes it. */
export async function endsAsZip(reader: BlobReader): Promise<boolean> {
  try {
    const window = createBlobWindow(reader, windowBytes);
    await findDirectory(window, await findEndRecord(window, reader.facts.sizeBytes));
    return true;
  } catch (error) {
    if (error instanceof ArchiveError) return false;
    throw error;
  }
}

/**
 * Finds the central directory from the end of the file. Its bounds decide what is in it, not the entry count of the end record,
 * which has 16 bits. Throws ArchiveError where the two leave the entries in doubt. `countEntry` is called for each entry and may
 * throw to stop.
 */
export async function readZipDirectory(reader: BlobReader, countEntry: () => void): Promise<CentralDirectory> {
  const window = createBlobWindow(reader, windowBytes);
  const end = await findEndRecord(window, reader.facts.sizeBytes);
  const { start, shift } = await findDirectory(window, end);
  const directoryEnd = start + end.directoryBytes;
  if ((await signatureAt(window, directoryEnd, end.position)) === signatures.entry)
    throw damaged(archiveProblems.DIRECTORY_BEHIND.reason({}));
  let count = 0;
  const undeclaredNames = collectUndeclaredNames();
  for await (const { head, tail } of walk(window, start, directoryEnd)) {
    count++;
    countEntry();
    if (isUndeclared(head, tail)) undeclaredNames.add(nameOf(head, tail));
  }
  const warnings: Reason[] = [];
  const isWrapped = end.isShortCount && (count & max16) === end.entries;
  if (count < end.entries) throw damaged(archiveProblems.DIRECTORY_COUNT.reason({ said: end.entries, listed: count }));
  if (count > end.entries && !isWrapped)
    warnings.push(archiveProblems.DIRECTORY_COUNT_READ.reason({ said: end.entries, listed: count }));
  if (end.trailingBytes > 0) warnings.push(archiveProblems.BYTES_BEHIND_END.reason({ bytes: end.trailingBytes }));
  return {
    warnings,
    undeclaredNames,
    async *entries() {
      for await (const { head, tail } of walk(window, start, directoryEnd)) yield readEntry(head, tail, shift);
    },
  };
}

async function findEndRecord(window: BlobWindow, fileBytes: number): Promise<EndRecord> {
  const tailBytes = Math.min(fileBytes, endBytes + maxCommentBytes);
  const tail = Buffer.from((await window.read(fileBytes - tailBytes, tailBytes)) ?? []);
  // Take the last match: a comment may look like a record, but a record is never part of what follows it.
  for (let at = tail.length - endBytes; at >= 0; at--) {
    if (tail[at] !== 0x50 || tail.readUInt32LE(at) !== signatures.end) continue;
    const record = tail.subarray(at, at + endBytes);
    const behind = tail.length - at - endBytes - record.readUInt16LE(20);
    // A truncated comment affects no entry.
    return readEndRecord(window, record, fileBytes - tail.length + at, Math.max(0, behind));
  }
  throw new ArchiveError(archiveProblems.ZIP_NO_END.reason({}));
}

async function readEndRecord(
  window: BlobWindow,
  record: Buffer,
  position: number,
  trailingBytes: number,
): Promise<EndRecord> {
  const disk = record.readUInt16LE(4);
  if (disk !== 0 && disk !== max16) throw new ArchiveError(archiveProblems.ZIP_PART.reason({}));
  const short = {
    entries: record.readUInt16LE(10),
    directoryBytes: record.readUInt32LE(12),
    directoryOffset: record.readUInt32LE(16),
  };
  const end64 = await findEnd64(window, position);
  if (end64 === undefined) return { ...short, position, isShortCount: true, trailingBytes };
  const { bytes } = end64;
  return {
    position: end64.position,
    trailingBytes,
    isShortCount: short.entries !== max16,
    entries: short.entries === max16 ? longAt(bytes, 32) : short.entries,
    directoryBytes: short.directoryBytes === max32 ? longAt(bytes, 40) : short.directoryBytes,
    directoryOffset: short.directoryOffset === max32 ? longAt(bytes, 48) : short.directoryOffset,
  };
}

/** The ZIP64 end record, found through its locator in front of the end record; bytes in front of the archive shift it. */
async function findEnd64(
  window: BlobWindow,
  endPosition: number,
): Promise<{ bytes: Buffer; position: number } | undefined> {
  const locator = await window.read(endPosition - locator64Bytes, locator64Bytes);
  if (locator?.readUInt32LE(0) !== signatures.locator64) return undefined;
  const named = longAt(locator, 8);
  for (const position of [named, endPosition - locator64Bytes - end64Bytes]) {
    const bytes = await window.read(position, end64Bytes);
    if (bytes?.readUInt32LE(0) === signatures.end64) return { bytes: Buffer.from(bytes), position };
  }
  throw damaged(archiveProblems.ZIP64_NO_END.reason({}));
}

/**
 * The start of the directory, and the shift of all offsets in the archive: self-extracting archives start with a program, which
 * some writers leave out of the offsets.
 */
async function findDirectory(window: BlobWindow, end: EndRecord): Promise<{ start: number; shift: number }> {
  const { directoryOffset, directoryBytes, position } = end;
  const shift = position - directoryOffset - directoryBytes;
  if (shift < 0) throw damaged(archiveProblems.DIRECTORY_ELSEWHERE.reason({}));
  if (directoryBytes === 0) {
    if ((await signatureAt(window, directoryOffset, position)) === signatures.entry)
      throw damaged(archiveProblems.DIRECTORY_NOT_EMPTY.reason({}));
    return { start: position, shift: 0 };
  }
  if ((await signatureAt(window, directoryOffset, position)) === signatures.entry)
    return { start: directoryOffset, shift: 0 };
  const start = directoryOffset + shift;
  if ((await signatureAt(window, start, position)) !== signatures.entry)
    throw damaged(archiveProblems.DIRECTORY_ELSEWHERE.reason({}));
  // In a truncated archive, the end record of an inner archive would yield the inner entries instead of the outer ones.
  if ((await signatureAt(window, 0, position)) === signatures.local)
    throw new ArchiveError(archiveProblems.ZIP_TWO_ARCHIVES.reason({}));
  return { start, shift };
}

async function signatureAt(window: BlobWindow, position: number, end: number): Promise<number | undefined> {
  if (position + 4 > end) return undefined;
  return (await window.read(position, 4))?.readUInt32LE(0);
}

/** Iterates the directory's records; yields to the event loop now and then. */
async function* walk(window: BlobWindow, start: number, end: number): AsyncGenerator<{ head: Buffer; tail: Buffer }> {
  let count = 0;
  for (let at = start; at < end;) {
    const head = at + entryBytes > end ? undefined : await window.read(at, entryBytes);
    if (head?.readUInt32LE(0) !== signatures.entry)
      throw damaged(archiveProblems.DIRECTORY_NO_ENTRY.reason({ entry: count + 1 }));
    const tailBytes = head.readUInt16LE(28) + head.readUInt16LE(30) + head.readUInt16LE(32);
    const next = at + entryBytes + tailBytes;
    const whole = next > end ? undefined : await window.read(at, entryBytes + tailBytes);
    if (whole === undefined) throw damaged(archiveProblems.DIRECTORY_CUT.reason({ entry: count + 1 }));
    yield { head: whole.subarray(0, entryBytes), tail: whole.subarray(entryBytes) };
    at = next;
    if (++count % 64 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

/** General purpose bit 11: the name is UTF-8 (APPNOTE 4.4.4). */
const utf8Flag = 0x0800;

function nameOf(head: Buffer, tail: Buffer): Buffer {
  return tail.subarray(0, head.readUInt16LE(28));
}

function extrasOf(head: Buffer, tail: Buffer): Map<number, Buffer> {
  const nameBytes = head.readUInt16LE(28);
  return readExtras(tail.subarray(nameBytes, nameBytes + head.readUInt16LE(30)));
}

/** Whether a name is neither ASCII nor declared as Unicode. */
function isUndeclared(head: Buffer, tail: Buffer): boolean {
  const name = nameOf(head, tail);
  if ((head.readUInt16LE(8) & utf8Flag) !== 0 || isAscii(name)) return false;
  return unicodeNameOf(extrasOf(head, tail).get(0x7075), name) === undefined;
}

function readEntry(head: Buffer, tail: Buffer, shift: number): CentralEntry {
  // The window is reused for the next entry.
  const nameRaw = Buffer.from(nameOf(head, tail));
  const extras = extrasOf(head, tail);
  const sizes = {
    uncompressedSize: head.readUInt32LE(24),
    compressedSize: head.readUInt32LE(20),
    position: head.readUInt32LE(42),
  };
  const long = extras.get(1);
  let at = 0;
  for (const key of ['uncompressedSize', 'compressedSize', 'position'] as const) {
    if (sizes[key] !== max32 || long === undefined) continue;
    if (at + 8 > long.length) throw damaged(archiveProblems.ZIP64_NO_SIZES.reason({}));
    sizes[key] = longAt(long, at);
    at += 8;
  }
  // "Version made by": systems 3 and 19 store a Unix mode in the attributes.
  const system = head.readUInt16LE(4) >>> 8;
  return {
    nameRaw,
    unicodeName: unicodeNameOf(extras.get(0x7075), nameRaw),
    isDeclaredUtf8: (head.readUInt16LE(8) & utf8Flag) !== 0,
    flags: head.readUInt16LE(8),
    method: head.readUInt16LE(10),
    crc32: head.readUInt32LE(16),
    ...sizes,
    position: sizes.position + shift,
    unixMode: system === 3 || system === 19 ? head.readUInt16LE(40) : 0,
  };
}

/** Extra fields by id; stops at a malformed one. */
function readExtras(bytes: Buffer): Map<number, Buffer> {
  const fields = new Map<number, Buffer>();
  for (let at = 0; at + 4 <= bytes.length;) {
    const next = at + 4 + bytes.readUInt16LE(at + 2);
    if (next > bytes.length) break;
    fields.set(bytes.readUInt16LE(at), bytes.subarray(at + 4, next));
    at = next;
  }
  return fields;
}

/** Info-ZIP's Unicode Path (APPNOTE 4.6.9): version 1, the CRC-32 of the original name, and the name in UTF-8. */
function unicodeNameOf(field: Buffer | undefined, nameRaw: Buffer): string | undefined {
  if (field === undefined || field.length < 5 || field[0] !== 1) return undefined;
  if (field.readUInt32LE(1) !== crc32(nameRaw) || !isUtf8(field.subarray(5))) return undefined;
  return field.toString('utf8', 5);
}

function longAt(bytes: Buffer, at: number): number {
  const value = bytes.readBigUInt64LE(at);
  if (value > Number.MAX_SAFE_INTEGER) throw damaged(archiveProblems.SIZE_IMPOSSIBLE.reason({}));
  return Number(value);
}
