import {
  crc32,
  createInflateRaw,
  createZstdDecompress,
  type InflateRaw,
  type ZlibOptions,
  type ZstdDecompress,
  type ZstdOptions,
} from 'node:zlib';
import { inputProblems, type Reason } from '../../kernel/sentences/index.ts';
import { createByteFeed, type ByteFeed } from './byte-feed.ts';
import { CompressedDataProblem, createUnpackGauge, type UnpackGauge, type UnpackLimits } from './unpack-gauge.ts';

/** Input bytes per decoder write: damage loses at most what these unpack to. */
const inputBytes = 64 << 10;
/** A high-water mark of one byte makes the decoder wait until its last piece is consumed. */
const decoderOptions: ZlibOptions & ZstdOptions & { readableHighWaterMark: number } = {
  chunkSize: 256 << 10,
  readableHighWaterMark: 1,
};

/**
 * Unpacks all members of a gzip file, or all frames of a Zstandard file. Throws CompressedDataProblem after the last
 * readable bytes. Each piece is valid until the next one is requested.
 */
export async function* unpack(
  source: AsyncIterable<Uint8Array>,
  compression: 'gzip' | 'zstd',
  limits: UnpackLimits,
): AsyncGenerator<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]();
  const feed = createByteFeed(iterator);
  const gauge = createUnpackGauge(limits);
  try {
    for (let parts = 0; ; parts += 1) {
      const more = compression === 'gzip' ? await beginsMember(feed, parts) : await beginsFrame(feed, parts);
      if (!more) return;
      if (compression === 'gzip') yield* readMember(feed, gauge);
      else yield* readFrame(feed, gauge);
    }
  } finally {
    await iterator.return?.();
  }
}

const endsEarly = inputProblems.COMPRESSED_CUT.reason({});

/** What was read before is intact. */
function endedAt(why: Reason): CompressedDataProblem {
  return new CompressedDataProblem(why, { keepsBefore: true });
}

/** Damage is only detected some way after it, at the latest by the checksum, so nothing of the file can be trusted. */
function damaged(why: Reason): CompressedDataProblem {
  return new CompressedDataProblem(why, { keepsBefore: false });
}

/** Why the next bytes do not begin further compressed data. */
function notBegun(parts: number, position: number): CompressedDataProblem {
  return endedAt(
    parts === 0
      ? inputProblems.COMPRESSED_OTHERWISE_NAMED.reason({})
      : inputProblems.COMPRESSED_OTHER_BYTES.reason({ start: position }),
  );
}

/** Reads a member's header (RFC 1952); false at the end. Zeros after the last member are padding. */
async function beginsMember(feed: ByteFeed, parts: number): Promise<boolean> {
  const start = feed.position;
  const head = await feed.take(10);
  if (parts > 0 && head.every((byte) => byte === 0)) {
    for (let bytes = await feed.next(inputBytes); bytes !== undefined; bytes = await feed.next(inputBytes)) {
      if (bytes.some((byte) => byte !== 0)) throw notBegun(parts, start);
    }
    return false;
  }
  const [magic1, magic2, method, flags = 0] = head;
  if (head.length < 10 || magic1 !== 0x1f || magic2 !== 0x8b || method !== 8 || (flags & 0xe0) !== 0) {
    throw head.length < 10 && parts === 0 && magic1 === 0x1f ? endedAt(endsEarly) : notBegun(parts, start);
  }
  if ((flags & 4) !== 0) {
    const [low = 0, high = 0] = await takeAll(feed, 2);
    await takeAll(feed, low + (high << 8));
  }
  for (const flag of [8, 16]) if ((flags & flag) !== 0) await skipText(feed);
  if ((flags & 2) !== 0) await takeAll(feed, 2);
  return true;
}

async function takeAll(feed: ByteFeed, length: number): Promise<Uint8Array> {
  const bytes = await feed.take(length);
  if (bytes.length < length) throw endedAt(endsEarly);
  return bytes;
}

/** Skips a zero-terminated text. */
async function skipText(feed: ByteFeed): Promise<void> {
  for (;;) {
    const bytes = await feed.next(inputBytes);
    if (bytes === undefined) throw endedAt(endsEarly);
    const end = bytes.indexOf(0);
    if (end === -1) continue;
    feed.handBack(bytes.length - end - 1);
    return;
  }
}

async function* readMember(feed: ByteFeed, gauge: UnpackGauge): AsyncGenerator<Uint8Array> {
  let crc = 0;
  let length = 0;
  for await (const bytes of decode(feed, createInflateRaw(decoderOptions))) {
    gauge.add(bytes.length, feed.position);
    crc = crc32(bytes, crc);
    length += bytes.length;
    yield bytes;
  }
  const trailer = Buffer.from(await takeAll(feed, 8));
  if (trailer.readUInt32LE(0) !== crc || trailer.readUInt32LE(4) !== length % 2 ** 32) {
    throw damaged(inputProblems.COMPRESSED_CHECKSUM.reason({}));
  }
}

/** Whether a Zstandard frame or a skippable frame begins here (RFC 8878); false at the end. */
async function beginsFrame(feed: ByteFeed, parts: number): Promise<boolean> {
  const start = feed.position;
  const magic = await feed.take(4);
  if (magic.length === 0 && parts > 0) return false;
  const [first = 0, ...rest] = magic;
  const isFrame = first === 0x28 && rest.join() === '181,47,253';
  const isSkipped = (first & 0xf0) === 0x50 && rest.join() === '42,77,24';
  if (isSkipped) {
    const length = Buffer.from(await takeAll(feed, 4)).readUInt32LE(0);
    for (let left = length; left > 0;) {
      const bytes = await feed.next(Math.min(left, inputBytes));
      if (bytes === undefined) throw endedAt(endsEarly);
      left -= bytes.length;
    }
    return beginsFrame(feed, parts + 1);
  }
  if (!isFrame) throw magic.length < 4 && parts === 0 && first === 0x28 ? endedAt(endsEarly) : notBegun(parts, start);
  return true;
}

const frameMagic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

async function* readFrame(feed: ByteFeed, gauge: UnpackGauge): AsyncGenerator<Uint8Array> {
  const decoder = createZstdDecompress(decoderOptions);
  for await (const bytes of decode(feed, decoder, frameMagic)) {
    gauge.add(bytes.length, feed.position);
    yield bytes;
  }
}

/**
 * Feeds a decoder until its data ends; `head` has already been taken from the feed. The decoder produces a piece only
 * after the previous one was consumed, so that no piece is lost when it fails.
 */
async function* decode(
  feed: ByteFeed,
  decoder: InflateRaw | ZstdDecompress,
  head?: Uint8Array,
): AsyncGenerator<Uint8Array> {
  const closed = new Promise<void>((resolve) => {
    decoder.once('close', resolve);
  });
  let isOver = false;
  let fed = 0;
  const failures: unknown[] = [];
  const write = async (bytes: Uint8Array): Promise<void> => {
    fed += bytes.length;
    // A decoder at the end of its data never calls back.
    const written = new Promise<void>((resolve) => {
      decoder.write(bytes, () => {
        resolve();
      });
    });
    await Promise.race([written, closed]);
  };
  const feeding = (async () => {
    try {
      if (head !== undefined) await write(head);
      for (;;) {
        const bytes = await feed.next(inputBytes);
        if (bytes === undefined) break;
        await write(bytes);
        // Bytes that the decoder did not consume come after its data.
        if (isOver || decoder.bytesWritten < fed) return;
      }
      decoder.end();
    } catch (error) {
      failures.push(error);
      decoder.destroy();
    }
  })();
  try {
    for await (const bytes of decoder as AsyncIterable<Uint8Array>) yield bytes;
  } catch (error) {
    throw failures.length > 0 ? failures[0] : problemOf(error);
  } finally {
    isOver = true;
    decoder.destroy();
    await feeding;
  }
  if (failures.length > 0) throw failures[0];
  feed.handBack(fed - decoder.bytesWritten);
}

function problemOf(error: unknown): CompressedDataProblem {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'Z_BUF_ERROR') return endedAt(endsEarly);
  if (code === 'ZSTD_error_frameParameter_windowTooLarge') {
    return damaged(inputProblems.COMPRESSED_WINDOW.reason({}));
  }
  if (code === 'ZSTD_error_checksum_wrong') return damaged(inputProblems.COMPRESSED_CHECKSUM.reason({}));
  return damaged(inputProblems.COMPRESSED_DAMAGED.reason({ why: message }));
}
