import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { createInflateRaw, inflateRaw, inflateRawSync } from 'node:zlib';
import { fromRandomAccessReaderPromise, getFileNameLowLevel, RandomAccessReader, type Entry } from 'yauzl';
import type { BlobReader, BlobWriter } from '../../../storage/blobs/blob-store.ts';
import type { ArchiveIntake } from './archive-intake.ts';
import { ArchiveError, type ArchiveGauge } from './archive-limits.ts';
import { createBlobWindow, type BlobWindow } from './blob-window.ts';
import { feed } from './stream-feeding.ts';

const inflateBuffer = promisify(inflateRaw) as (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const directoryWindowBytes = 128 * 1024;
const dataWindowBytes = 512 * 1024;
/** Entries that unpack to no more are inflated at once, smaller ones yet without leaving the event loop. */
const wholeBytes = 256 * 1024;
const immediateBytes = 16 * 1024;
const localHeaderBytes = 30;

/**
 * Unpacks a zip (also ZIP64) by its central directory. Throws ArchiveError when it is no zip, is damaged, cut off, lies
 * about its sizes, or unpacks to too much; encrypted entries and unknown compression are refused one by one.
 */
export async function readZip(reader: BlobReader, intake: ArchiveIntake, gauge: ArchiveGauge): Promise<void> {
  const archiveBytes = reader.facts.sizeBytes;
  const data = createBlobWindow(reader, dataWindowBytes);
  let compressedBytes = 0;
  for await (const entry of listEntries(reader)) {
    gauge.countEntry();
    compressedBytes += entry.compressedSize;
    // Every byte of the file belongs to one entry at most; bombs make many entries share the same bytes.
    if (compressedBytes > archiveBytes) throw new ArchiveError('The entries of the archive overlap each other');
    const { name, shownName } = decodeName(entry);
    if (isDirectory(entry, shownName)) continue;
    const refusal = refusalOf(entry);
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
      throw new ArchiveError(`${shownName} in the archive is damaged: its checksum or size is wrong`);
    await intake.add(path, staged);
  }
}

async function* listEntries(reader: BlobReader): AsyncGenerator<Entry> {
  const window = createBlobWindow(reader, directoryWindowBytes);
  const source = new WindowReader(window);
  try {
    const zip = await fromRandomAccessReaderPromise(source, reader.facts.sizeBytes, {
      lazyEntries: true,
      decodeStrings: false,
      // Sizes are checked where an entry is unpacked, so that one which is refused anyway doesn't spoil the others.
      validateEntrySizes: false,
    });
    for await (const entry of zip.eachEntry()) {
      yield entry;
      // yauzl goes on within the same turn when its bytes are at hand: let others have theirs.
      if (zip.entriesRead % 64 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  } catch (error) {
    if (source.failure !== undefined) throw source.failure;
    throw error instanceof ArchiveError ? error : new ArchiveError(describe(error));
  }
}

/** What yauzl reads through: few large reads instead of many small ones. */
class WindowReader extends RandomAccessReader {
  /** An error of the storage, which is none of the archive. */
  failure: Error | undefined;
  readonly #window: BlobWindow;

  constructor(window: BlobWindow) {
    super();
    this.#window = window;
  }

  override read(
    target: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    this.#window.read(position, length).then(
      (bytes) => {
        if (bytes === undefined) {
          callback(new Error('unexpected end of file'));
          return;
        }
        bytes.copy(target, offset);
        callback(null);
      },
      (error: Error) => {
        this.failure = error;
        callback(error);
      },
    );
  }
}

function refusalOf(entry: Entry): string | undefined {
  // Version made by: 3 and 19 are the systems whose attributes hold a Unix mode.
  const system = entry.versionMadeBy >>> 8;
  const mode = system === 3 || system === 19 ? (entry.externalFileAttributes >>> 16) & 0o170000 : 0;
  if (mode === 0o120000) return 'A symbolic link';
  if (mode !== 0 && mode !== 0o100000) return 'A device, pipe or socket';
  if ((entry.generalPurposeBitFlag & 1) !== 0) return 'An encrypted entry';
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8)
    return `Compressed by method ${entry.compressionMethod}; only stored and deflated entries can be unpacked`;
  return undefined;
}

function isDirectory(entry: Entry, shownName: string): boolean {
  return shownName.endsWith('/') && entry.uncompressedSize === 0;
}

/** The name as UTF-8 where it says so or is so, else in code page 437; undefined when it says so and isn't. */
function decodeName(entry: Entry): { name: string | undefined; shownName: string } {
  const raw = entry.fileNameRaw;
  const saysUtf8 = (entry.generalPurposeBitFlag & 0x800) !== 0;
  const isText = isUtf8(raw);
  // Many tools write UTF-8 without saying so; code page 437 hardly ever makes valid UTF-8 by chance.
  const flags = isText ? entry.generalPurposeBitFlag | 0x800 : entry.generalPurposeBitFlag;
  const name = getFileNameLowLevel(flags, raw, entry.extraFields, true);
  return saysUtf8 && !isText ? { name: undefined, shownName: name } : { name, shownName: name };
}

async function unpack(entry: Entry, shownName: string, data: BlobWindow, writer: BlobWriter): Promise<void> {
  const { compressedSize, uncompressedSize, relativeOffsetOfLocalHeader: offset } = entry;
  const header = await data.read(offset, localHeaderBytes);
  if (header === undefined || header.readUInt32LE(0) !== 0x04034b50)
    throw new ArchiveError(`The archive has no entry where ${shownName} should be`);
  const start = offset + localHeaderBytes + header.readUInt16LE(26) + header.readUInt16LE(28);
  if (entry.compressionMethod === 0) {
    for await (const piece of readPieces(data, start, compressedSize, shownName)) await writer.write(piece);
  } else if (uncompressedSize <= wholeBytes && compressedSize <= wholeBytes) {
    const compressed = await data.read(start, compressedSize);
    if (compressed === undefined) throw cutOff(shownName);
    // One byte more than declared is room enough to notice a lie.
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

/** The window behind a piece is used again, and zlib works on it in another thread. */
async function* copies(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of source) yield Buffer.from(piece);
}

function toArchiveError(error: unknown, shownName: string): unknown {
  const code = (error as { code?: string }).code;
  if (code === 'ERR_BUFFER_TOO_LARGE') return lie(shownName);
  if (code?.startsWith('Z_') === true) return new ArchiveError(`${shownName} in the archive is damaged`);
  return error;
}

function lie(shownName: string): ArchiveError {
  return new ArchiveError(`${shownName} in the archive is larger than the archive says`);
}

function cutOff(shownName: string): ArchiveError {
  return new ArchiveError(`The archive is cut off in ${shownName}`);
}

function describe(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return `The archive is no zip, or it is damaged: ${message.slice(0, 200)}`;
}
