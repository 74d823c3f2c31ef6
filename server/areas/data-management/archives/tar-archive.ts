import { isUtf8 } from 'node:buffer';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import type { ArchiveIntake } from './archive-intake.ts';
import { ArchiveError, type ArchiveGauge } from './archive-limits.ts';
import { feed, type WritableStream } from './stream-feeding.ts';

/** Bytes of an archive as they come; broken off, it throws. */
export type ByteSource = AsyncIterable<Buffer>;

/** What the library knows of an entry; its own types leave some of it out. */
type TarHeader = { name: string; size: number; type: string | null; pax: Record<string, string> | null };
type TarEntry = AsyncIterable<Buffer> & { header: TarHeader };
type TarOptions = { filenameEncoding: 'latin1'; allowUnknownFormat: boolean };

const blockBytes = 512;
const inflateBytes = 256 * 1024;

/**
 * Unpacks a tar (POSIX pax, GNU, ustar), compressed by gzip or not, as its bytes come. Throws ArchiveError when it is no
 * tar, is damaged, cut off, or unpacks to too much.
 */
export async function readTar(source: ByteSource, intake: ArchiveIntake, gauge: ArchiveGauge): Promise<void> {
  const { isGzip, bytes } = await peekGzip(source);
  let archiveBytes = 0;
  const counted = countBytes(bytes, (size) => (archiveBytes += size));
  const unpacked = isGzip ? gunzip(counted) : counted;
  const options: TarOptions = { filenameEncoding: 'latin1', allowUnknownFormat: true };
  const reader = extract(options as object);
  let failure: unknown;
  const feeding = feed(checkEnd(unpacked), reader as unknown as WritableStream).then(
    () => reader.end(null),
    (error: Error) => {
      failure ??= error;
      reader.destroy(error);
    },
  );
  try {
    for await (const entry of reader as unknown as AsyncIterable<TarEntry>)
      await takeEntry(entry, intake, gauge, () => archiveBytes);
  } catch (error) {
    failure ??= error;
  } finally {
    reader.destroy(null);
    await feeding;
  }
  if (failure !== undefined) throw toArchiveError(failure);
}

/** Passes the bytes of a tar on; throws at the end where the end mark is missing. */
async function* checkEnd(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let tail: Buffer = Buffer.alloc(0);
  for await (const piece of source) {
    tail =
      piece.length >= blockBytes ? piece.subarray(-blockBytes) : Buffer.concat([tail, piece]).subarray(-blockBytes);
    yield piece;
  }
  if (tail.length < blockBytes || tail.some((byte) => byte !== 0))
    throw new ArchiveError('The archive has no end mark: it is no tar, or it is cut off');
}

async function takeEntry(
  entry: TarEntry,
  intake: ArchiveIntake,
  gauge: ArchiveGauge,
  archiveBytes: () => number,
): Promise<void> {
  const { header } = entry;
  gauge.countEntry();
  const name = decodeName(header);
  const shownName = name ?? header.name;
  const refusal = refusalOf(header);
  if (header.type === 'directory' && name !== undefined) {
    await skip(entry);
    return;
  }
  if (refusal !== undefined) {
    intake.refuse(shownName, refusal);
    await skip(entry);
    return;
  }
  const opened = intake.open(name, shownName);
  if (opened === undefined) {
    await skip(entry);
    return;
  }
  const { path, writer } = opened;
  try {
    for await (const piece of entry) {
      gauge.countBytes(piece.length, archiveBytes());
      await writer.write(piece);
    }
  } catch (error) {
    await writer.abort();
    throw error;
  }
  const staged = await writer.finish();
  if (staged.sizeBytes !== header.size) throw new ArchiveError(`The archive is cut off in ${shownName}`);
  await intake.add(path, staged);
}

/** Why an entry can't come in by its kind. */
function refusalOf(header: TarHeader): string | undefined {
  const isSparse = Object.keys(header.pax ?? {}).some((key) => key.startsWith('GNU.sparse.'));
  if (isSparse) return 'A sparse file';
  switch (header.type) {
    case 'file':
    case 'contiguous-file':
    case 'directory':
      return undefined;
    case 'link':
      return 'A hard link';
    case 'symlink':
      return 'A symbolic link';
    case 'character-device':
    case 'block-device':
      return 'A device';
    case 'fifo':
      return 'A named pipe';
    default:
      return 'An entry of unknown kind';
  }
}

/** Names are read byte for byte as Latin-1 and must be UTF-8; a pax path was decoded already. */
function decodeName(header: TarHeader): string | undefined {
  if (header.pax?.['path'] === header.name) return header.name.includes('�') ? undefined : header.name;
  const bytes = Buffer.from(header.name, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

async function skip(entry: TarEntry): Promise<void> {
  for await (const _ of entry);
}

async function* countBytes(source: AsyncIterable<Buffer>, count: (bytes: number) => void): AsyncGenerator<Buffer> {
  for await (const piece of source) {
    count(piece.length);
    yield piece;
  }
}

/** Looks at the first two bytes without taking them away. */
async function peekGzip(source: ByteSource): Promise<{ isGzip: boolean; bytes: AsyncIterable<Buffer> }> {
  const iterator = source[Symbol.asyncIterator]();
  let start: Buffer = Buffer.alloc(0);
  while (start.length < 2) {
    const next = await iterator.next();
    if (next.done === true) break;
    start = start.length === 0 ? next.value : Buffer.concat([start, next.value]);
  }
  const rest = { [Symbol.asyncIterator]: () => iterator };
  async function* bytes(): AsyncGenerator<Buffer> {
    if (start.length > 0) yield start;
    yield* rest;
  }
  return { isGzip: start[0] === 0x1f && start[1] === 0x8b, bytes: bytes() };
}

async function* gunzip(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const inflater = createGunzip({ chunkSize: inflateBytes });
  const feeding = feed(source, inflater).then(
    () => void inflater.end(),
    (error: Error) => void inflater.destroy(error),
  );
  try {
    for await (const piece of inflater) yield piece as Buffer;
  } finally {
    inflater.destroy();
    await feeding;
  }
}

/** Errors of the libraries say what is wrong with the archive; everything else is passed on. */
function toArchiveError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ArchiveError) return error;
  const code = (error as { code?: string }).code;
  if (code?.startsWith('Z_') === true) return new ArchiveError('The gzip data of the archive is damaged or cut off');
  if (/invalid tar header|unexpected end of data|invalid header|max size/i.test(error.message))
    return new ArchiveError(
      /unexpected end/i.test(error.message) ? 'The archive is cut off' : 'The archive is no tar, or it is damaged',
    );
  return error;
}
