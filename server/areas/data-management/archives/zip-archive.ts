import { archiveProblems, type Reason } from '../../../kernel/sentences/index.ts';
import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { createInflateRaw, inflateRaw, inflateRawSync } from 'node:zlib';
import type { BlobReader, BlobWriter } from '../../../storage/blobs/blob-store.ts';
import type { EntryIntake } from './archive-intake.ts';
import { ArchiveError, type ArchiveGauge } from './archive-limits.ts';
import { createBlobWindow, type BlobWindow } from './blob-window.ts';
import { decodeCp437, type NameEncoding, type NameReading } from './name-encodings.ts';
import { feed } from './stream-feeding.ts';
import { readZipDirectory, type CentralEntry } from './zip-directory.ts';

const inflateBuffer = promisify(inflateRaw) as (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const dataWindowBytes = 512 * 1024;
/** Entries up to this unpacked size are inflated in one call; even smaller ones synchronously. */
const wholeBytes = 256 * 1024;
const immediateBytes = 16 * 1024;
const localHeaderBytes = 30;
/** Encrypted content, strong encryption, and an encrypted directory, which hides the names. */
const encryptedFlags = 0x0001 | 0x0040 | 0x2000;

/** How to read names that are not declared as Unicode. */
export type NameOptions = { nameEncoding?: NameEncoding | undefined; languages?: readonly string[] | undefined };

/**
 * Unpacks a zip (also ZIP64) by its central directory, whatever entry count it declares. Throws ArchiveError when it is no zip,
 * is damaged, truncated or wrong about its sizes, or unpacks to too much; encrypted entries and unknown compression are refused
 * one by one. `nameEncoding` is the encoding of names not declared as Unicode (default: guessed, with
 * `languages` as a hint).
 */
export async function readZip(
  reader: BlobReader,
  intake: EntryIntake,
  gauge: ArchiveGauge,
  { nameEncoding, languages }: NameOptions = {},
): Promise<void> {
  const archiveBytes = reader.facts.sizeBytes;
  const data = createBlobWindow(reader, dataWindowBytes);
  let compressedBytes = 0;
  const directory = await readZipDirectory(reader, () => gauge.countEntry());
  for (const warning of directory.warnings) intake.warn(warning);
  const names = directory.undeclaredNames.reading(nameEncoding, languages);
  if (names.receipt !== undefined) intake.noteNameEncoding(names.receipt);
  for await (const entry of directory.entries()) {
    compressedBytes += entry.compressedSize;
    // Every byte of the file belongs to one entry at most; zip bombs let many entries share the same bytes.
    if (compressedBytes > archiveBytes) throw new ArchiveError(archiveProblems.ENTRIES_OVERLAP.reason({}));
    const { name, shownName } = decodeName(entry, names);
    if (name === undefined) {
      const encoding = entry.isDeclaredUtf8 ? 'UTF-8' : (nameEncoding ?? 'UTF-8');
      intake.refuse(shownName, archiveProblems.NAME_NOT_VALID.reason({ encoding }));
      continue;
    }
    const isFolder = name.endsWith('/');
    if (isFolder && entry.uncompressedSize === 0) {
      intake.addFolder(name, shownName);
      continue;
    }
    const refusal = isFolder ? archiveProblems.IS_FOLDER_WITH_CONTENT.reason({}) : refusalOf(entry);
    if (refusal !== undefined) {
      intake.refuse(shownName, refusal);
      continue;
    }
    const opened = intake.open(name, shownName);
    if (opened === undefined) continue;
    gauge.countBytes(entry.uncompressedSize, archiveBytes);
    const { path, writer } = opened;
    try {
      await unpack(entry, shownName, data, writer);
    } catch (error) {
      await writer.abort();
      throw toArchiveError(error, shownName);
    }
    const staged = await writer.finish();
    if (staged.sizeBytes !== entry.uncompressedSize || staged.crc32 !== entry.crc32)
      throw new ArchiveError(archiveProblems.ENTRY_WRONG_CHECKSUM.reason({ entry: shownName }));
    await intake.add(path, staged);
  }
}

function refusalOf(entry: CentralEntry): Reason | undefined {
  const type = entry.unixMode & 0o170000;
  if (type === 0o120000) return archiveProblems.IS_SYMBOLIC_LINK.reason({});
  // Info-ZIP marks what it read from a pipe as a pipe, but stores it as a file.
  const isPiped = type === 0o010000 && entry.uncompressedSize > 0;
  if (type !== 0 && type !== 0o100000 && !isPiped) return archiveProblems.IS_SPECIAL.reason({});
  if ((entry.flags & encryptedFlags) !== 0) return archiveProblems.IS_ENCRYPTED.reason({});
  if (entry.method !== 0 && entry.method !== 8)
    return archiveProblems.COMPRESSED_OTHERWISE.reason({ method: entry.method });
  return undefined;
}

/** The name of an entry; undefined when its bytes are invalid in the encoding that is declared or set. */
function decodeName(
  { nameRaw, unicodeName, isDeclaredUtf8 }: CentralEntry,
  names: NameReading,
): { name: string | undefined; shownName: string } {
  const name = unicodeName ?? (isDeclaredUtf8 ? decodeUtf8(nameRaw) : names.decode(nameRaw));
  return { name, shownName: name ?? decodeCp437(nameRaw) };
}

function decodeUtf8(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

async function unpack(entry: CentralEntry, shownName: string, data: BlobWindow, writer: BlobWriter): Promise<void> {
  const { compressedSize, uncompressedSize, position: offset } = entry;
  const header = await data.read(offset, localHeaderBytes);
  if (header === undefined || header.readUInt32LE(0) !== 0x04034b50)
    throw new ArchiveError(archiveProblems.ENTRY_NOT_THERE.reason({ entry: shownName }));
  const start = offset + localHeaderBytes + header.readUInt16LE(26) + header.readUInt16LE(28);
  if (entry.method === 0) {
    for await (const piece of readPieces(data, start, compressedSize, shownName)) await writer.write(piece);
  } else if (uncompressedSize <= wholeBytes && compressedSize <= wholeBytes) {
    const compressed = await data.read(start, compressedSize);
    if (compressed === undefined) throw cutOff(shownName);
    // Any output beyond the declared size is an error.
    const options = { maxOutputLength: Math.max(1, uncompressedSize) };
    await writer.write(
      uncompressedSize <= immediateBytes
        ? inflateRawSync(compressed, options)
        : await inflateBuffer(Buffer.from(compressed), options),
    );
  } else {
    await inflateTo(writer, readPieces(data, start, compressedSize, shownName), uncompressedSize, shownName);
  }
}

async function* readPieces(
  data: BlobWindow,
  start: number,
  sizeBytes: number,
  shownName: string,
): AsyncGenerator<Buffer> {
  for (let done = 0; done < sizeBytes;) {
    const piece = await data.read(start + done, Math.min(dataWindowBytes, sizeBytes - done));
    if (piece === undefined) throw cutOff(shownName);
    yield piece;
    done += piece.length;
  }
}

async function inflateTo(
  writer: BlobWriter,
  source: AsyncIterable<Buffer>,
  declaredBytes: number,
  shownName: string,
): Promise<void> {
  const inflater = createInflateRaw({ chunkSize: wholeBytes });
  const feeding = feed(copies(source), inflater).then(
    () => void inflater.end(),
    (error: Error) => void inflater.destroy(error),
  );
  let inflatedBytes = 0;
  try {
    for await (const piece of inflater) {
      inflatedBytes += (piece as Buffer).length;
      if (inflatedBytes > declaredBytes) throw lie(shownName);
      await writer.write(piece as Buffer);
    }
  } finally {
    inflater.destroy();
    await feeding;
  }
}

/** Copies the pieces: the window's buffer is reused while zlib still works on a piece in another thread. */
async function* copies(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of source) yield Buffer.from(piece);
}

function toArchiveError(error: unknown, shownName: string): unknown {
  const code = (error as { code?: string }).code;
  if (code === 'ERR_BUFFER_TOO_LARGE') return lie(shownName);
  if (code?.startsWith('Z_') === true)
    return new ArchiveError(archiveProblems.ENTRY_DAMAGED.reason({ entry: shownName }));
  return error;
}

function lie(shownName: string): ArchiveError {
  return new ArchiveError(archiveProblems.ENTRY_LARGER.reason({ entry: shownName }));
}

function cutOff(shownName: string): ArchiveError {
  return new ArchiveError(archiveProblems.CUT_OFF_IN.reason({ entry: shownName }));
}
