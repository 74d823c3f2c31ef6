import { createGunzip } from 'node:zlib';
import { freeBytes } from '../../../kernel/spent-bytes.ts';
import type { ArchiveIntake } from './archive-intake.ts';
import { ArchiveError, type ArchiveGauge } from './archive-limits.ts';
import { feed } from './stream-feeding.ts';
import { createTarReader } from './tar-reader.ts';

/** Bytes of an archive as they arrive; throws if they break off. */
export type ArchiveStream = AsyncIterable<Buffer>;

const inflateBytes = 256 * 1024;

/**
 * Unpacks a tar (POSIX pax, GNU, ustar), gzipped or not, as its bytes arrive. Throws ArchiveError when it is no tar, is damaged
 * or truncated, or unpacks to too much. `isOwned`: no one else reads the pieces, so their memory may be freed.
 */
export async function readTar(
  source: ArchiveStream,
  intake: ArchiveIntake,
  gauge: ArchiveGauge,
  { isOwned = false }: { isOwned?: boolean } = {},
): Promise<void> {
  const { isGzip, bytes } = await peekGzip(source);
  let archiveBytes = 0;
  const counted = countBytes(bytes, (size) => (archiveBytes += size));
  const reader = createTarReader(intake, gauge, () => archiveBytes);
  try {
    for await (const piece of isGzip ? gunzip(counted) : counted) {
      await reader.take(piece);
      // The inflater may still read its input.
      if (isOwned && !isGzip) freeBytes(piece);
    }
    reader.end();
  } catch (error) {
    await reader.abort();
    throw toArchiveError(error);
  }
}

async function* countBytes(source: AsyncIterable<Buffer>, count: (bytes: number) => void): AsyncGenerator<Buffer> {
  for await (const piece of source) {
    count(piece.length);
    yield piece;
  }
}

/** Peeks at the first two bytes. */
async function peekGzip(source: ArchiveStream): Promise<{ isGzip: boolean; bytes: AsyncIterable<Buffer> }> {
  const iterator = source[Symbol.asyncIterator]();
  let start: Buffer = Buffer.alloc(0);
  while (start.length < 2) {
    const next = await iterator.next();
    if (next.done === true) break;
    start = start.length === 0 ? next.value : Buffer.concat([start, next.value]);
  }
  const rest = { [Symbol.asyncIterator]: () => iterator };
  async function* bytes(): AsyncGenerator<Buffer> {
    try {
      if (start.length > 0) yield start;
      yield* rest;
    } finally {
      // Also after a refused start: a body with a waiting iterator can't be read by others.
      await iterator.return?.();
    }
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

/** Translates zlib's errors; passes all others on. */
function toArchiveError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ArchiveError) return error;
  const code = (error as { code?: string }).code;
  return code?.startsWith('Z_') === true
    ? new ArchiveError('The gzip data of the archive is damaged or cut off')
    : error;
}
