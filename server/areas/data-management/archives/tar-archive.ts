import { archiveProblems } from '../../../kernel/sentences/index.ts';
import { freeBytes } from '../../../kernel/spent-bytes.ts';
import type { EntryIntake } from './archive-intake.ts';
import { ArchiveError, type ArchiveGauge } from './archive-limits.ts';
import { readGzip } from './gzip-members.ts';
import type { NameEncoding } from './name-encodings.ts';
import { createTarReader } from './tar-reader.ts';

/** Bytes of an archive as they arrive; throws if they break off. */
export type ArchiveStream = AsyncIterable<Buffer>;

/**
 * Unpacks a tar (POSIX pax, GNU, ustar), gzipped or not, as its bytes arrive. Throws ArchiveError when it is no tar, is damaged
 * or truncated, or unpacks to too much. `isOwned`: no one else reads the pieces, so their memory may be freed; `nameEncoding`:
 * the encoding of names not declared as Unicode (default UTF-8).
 */
export async function readTar(
  source: ArchiveStream,
  intake: EntryIntake,
  gauge: ArchiveGauge,
  { isOwned = false, nameEncoding }: { isOwned?: boolean; nameEncoding?: NameEncoding | undefined } = {},
): Promise<void> {
  const { isGzip, bytes } = await peekGzip(source);
  let archiveBytes = 0;
  const counted = countBytes(bytes, (size) => (archiveBytes += size));
  const reader = createTarReader(intake, gauge, () => archiveBytes, nameEncoding);
  let trailingBytes = 0;
  try {
    const pieces = isGzip ? readGzip(counted, (bytes) => (trailingBytes = bytes)) : counted;
    for await (const piece of pieces) {
      await reader.take(piece);
      // The inflater may still read its input.
      if (isOwned && !isGzip) freeBytes(piece);
    }
    reader.end();
    if (trailingBytes > 0) intake.warn(archiveProblems.GZIP_BYTES_BEHIND.reason({ bytes: trailingBytes }));
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
      // Also after a refused start: nobody else can read a body with an open iterator.
      await iterator.return?.();
    }
  }
  return { isGzip: start[0] === 0x1f && start[1] === 0x8b, bytes: bytes() };
}

/** Translates zlib's errors; passes all others on. */
function toArchiveError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ArchiveError) return error;
  const code = (error as { code?: string }).code;
  return code?.startsWith('Z_') === true ? new ArchiveError(archiveProblems.GZIP_DAMAGED.reason({})) : error;
}
