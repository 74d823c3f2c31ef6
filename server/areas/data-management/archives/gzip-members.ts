import { archiveProblems } from '../../../kernel/sentences/index.ts';
import { crc32, createInflateRaw, type InflateRaw } from 'node:zlib';
import { ArchiveError } from './archive-limits.ts';
import { room } from './stream-feeding.ts';

/** Output buffers: a large one for the first member, which is usually the only one. */
const inflateBytes = 256 * 1024;
const laterInflateBytes = 64 * 1024;
const trailerBytes = 8;
const damaged = archiveProblems.GZIP_DAMAGED.reason({});

/** Flags of a member's header (RFC 1952, 2.3.1). */
const flags = { headerCrc: 2, extra: 4, name: 8, comment: 16, reserved: 0xe0 } as const;

/**
 * Inflates a gzip of one or more members. Ignores bytes after the last member, as GNU gzip does, and reports their number to
 * `onTrailing` unless all are zeros. Throws ArchiveError when a member is damaged or cut off.
 */
export async function* readGzip(
  source: AsyncIterable<Buffer>,
  onTrailing: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  const input = createInput(source);
  try {
    await skipHeader(input);
    yield* inflateMember(input, inflateBytes);
    while (await isMember(input)) {
      await skipHeader(input);
      yield* inflateMember(input, laterInflateBytes);
    }
    const trailing = await countRest(input);
    if (!trailing.isZero) onTrailing(trailing.bytes);
  } finally {
    await input.close();
  }
}

/** Sequential reader with push-back. */
type Input = {
  /** The next bytes; undefined at the end. */
  next(): Promise<Buffer | undefined>;
  putBack(bytes: Buffer): void;
  close(): Promise<void>;
};

function createInput(source: AsyncIterable<Buffer>): Input {
  const iterator = source[Symbol.asyncIterator]();
  const waiting: Buffer[] = [];
  return {
    async next() {
      const known = waiting.shift();
      if (known !== undefined) return known;
      const { done, value } = await iterator.next();
      return done === true ? undefined : value;
    },
    putBack(bytes) {
      if (bytes.length > 0) waiting.unshift(bytes);
    },
    async close() {
      await iterator.return?.();
    },
  };
}

/** Reads exactly `wantedBytes`, or fewer at the end. */
async function readUpTo(input: Input, wantedBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let missing = wantedBytes; missing > 0;) {
    const piece = await input.next();
    if (piece === undefined) break;
    input.putBack(piece.subarray(missing));
    pieces.push(piece.subarray(0, missing));
    missing -= Math.min(missing, piece.length);
  }
  return pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
}

async function readExactly(input: Input, wantedBytes: number): Promise<Buffer> {
  const bytes = await readUpTo(input, wantedBytes);
  if (bytes.length < wantedBytes) throw new ArchiveError(damaged);
  return bytes;
}

/** Whether another member follows; its bytes are put back. */
async function isMember(input: Input): Promise<boolean> {
  const start = await readUpTo(input, 2);
  input.putBack(start);
  return start[0] === 0x1f && start[1] === 0x8b;
}

async function skipHeader(input: Input): Promise<void> {
  const fixed = await readExactly(input, 10);
  const flag = fixed[3] ?? 0;
  if (fixed[0] !== 0x1f || fixed[1] !== 0x8b || fixed[2] !== 8 || (flag & flags.reserved) !== 0)
    throw new ArchiveError(damaged);
  let crc = crc32(fixed);
  const add = (bytes: Buffer): Buffer => {
    crc = crc32(bytes, crc);
    return bytes;
  };
  if ((flag & flags.extra) !== 0) {
    const extraBytes = add(await readExactly(input, 2)).readUInt16LE(0);
    add(await readExactly(input, extraBytes));
  }
  for (const text of [flags.name, flags.comment]) if ((flag & text) !== 0) await skipText(input, add);
  if ((flag & flags.headerCrc) !== 0 && (await readExactly(input, 2)).readUInt16LE(0) !== (crc & 0xffff))
    throw new ArchiveError(damaged);
}

/** Skips a zero-terminated text. */
async function skipText(input: Input, add: (bytes: Buffer) => void): Promise<void> {
  for (;;) {
    const piece = await input.next();
    if (piece === undefined) throw new ArchiveError(damaged);
    const end = piece.indexOf(0);
    add(end === -1 ? piece : piece.subarray(0, end + 1));
    if (end === -1) continue;
    input.putBack(piece.subarray(end + 1));
    return;
  }
}

/** Inflates the member after its header, and checks its length and checksum against its trailer. */
async function* inflateMember(input: Input, chunkSize: number): AsyncGenerator<Buffer> {
  const inflater = createInflateRaw({ chunkSize });
  /** The last pieces fed to the inflater, which may not have consumed them. */
  const fed: Buffer[] = [];
  let fedBytes = 0;
  let usedBytes = 0;
  const feeding = feedMember(input, inflater, (piece) => {
    fedBytes += piece.length;
    fed.push(piece);
    for (let first = fed[0]; first !== undefined && usedBytes + first.length <= inflater.bytesWritten; first = fed[0]) {
      usedBytes += first.length;
      fed.shift();
    }
  });
  let crc = 0;
  let sizeBytes = 0;
  try {
    for await (const piece of inflater as AsyncIterable<Buffer>) {
      crc = crc32(piece, crc);
      sizeBytes += piece.length;
      yield piece;
    }
  } finally {
    inflater.destroy();
    await feeding;
  }
  // Put back the bytes fed beyond the end of the member.
  let behind = fedBytes - inflater.bytesWritten;
  while (behind > 0) {
    const piece = fed.pop() ?? Buffer.alloc(0);
    input.putBack(piece.subarray(Math.max(0, piece.length - behind)));
    behind -= piece.length;
  }
  const trailer = await readExactly(input, trailerBytes);
  if (trailer.readUInt32LE(0) !== crc || trailer.readUInt32LE(4) !== sizeBytes % 2 ** 32)
    throw new ArchiveError(damaged);
}

/** Feeds the inflater until the member ends; `onFed` receives each piece. */
async function feedMember(input: Input, inflater: InflateRaw, onFed: (piece: Buffer) => void): Promise<void> {
  try {
    for (;;) {
      const piece = await input.next();
      if (piece === undefined) {
        inflater.end();
        return;
      }
      onFed(piece);
      if (inflater.destroyed || inflater.readableEnded) return;
      if (!inflater.write(piece)) await room(inflater);
    }
  } catch (error) {
    inflater.destroy(error as Error);
  }
}

async function countRest(input: Input): Promise<{ bytes: number; isZero: boolean }> {
  let bytes = 0;
  let isZero = true;
  for (let piece = await input.next(); piece !== undefined; piece = await input.next()) {
    bytes += piece.length;
    isZero &&= piece.every((byte) => byte === 0);
  }
  return { bytes, isZero };
}
