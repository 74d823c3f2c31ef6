import { createHash, randomUUID, type Hash } from 'node:crypto';
import { mkdir, open, unlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { createInflate, inflateSync } from 'node:zlib';
import { SourceError } from './connector.ts';
import { applyDelta, broken, maxWholeBytes } from './pack-delta.ts';
import { sourceSentences } from './sentences.ts';

export type GitType = 'commit' | 'tree' | 'blob' | 'tag';
export type GitHash = 'sha1' | 'sha256';

/** The objects of a pack by id; each is verified against its id. */
export type GitPack = {
  has(id: string): boolean;
  /** Throws SourceError if there is no such object. */
  sizeOf(id: string): number;
  /** The content in pieces. Throws SourceError. */
  read(id: string): AsyncIterable<Uint8Array>;
  /** The whole content of an object of this type. Throws SourceError. */
  readWhole(id: string, type: GitType): Promise<Buffer>;
  close(): Promise<void>;
};

export type PackLimits = {
  /** Folder for the pack while it is used; nothing is left there, even after a crash. */
  folder: string;
  /** Limit of the pack's size as received. */
  maxBytes: number;
  hash: GitHash;
  signal: AbortSignal;
};

type Entry = {
  type: GitType;
  /** Size of the object, or of the delta. */
  sizeBytes: number;
  /** Offset of its compressed bytes. */
  dataAt: number;
  /** The base of a delta. */
  base?: Entry;
  /** Size of the object that the delta yields. */
  wholeBytes: number;
};

const windowBytes = 1024 * 1024;
/** Objects up to this size are unpacked in one call. */
const smallBytes = 1024 * 1024;
const maxObjects = 5_000_000;
const cacheBytes = 64 * 1024 * 1024;
/** Yields to other work after this long. */
const turnMs = 10;

const types: Readonly<Record<number, GitType>> = { 1: 'commit', 2: 'tree', 3: 'blob', 4: 'tag' };
const [ofsDelta, refDelta] = [6, 7];

/** Stores and indexes a pack, in memory that depends only on the number of objects. Throws SourceError. */
export async function receivePack(bytes: AsyncIterable<Uint8Array>, limits: PackLimits): Promise<GitPack> {
  await mkdir(limits.folder, { recursive: true });
  const path = join(limits.folder, `git-${randomUUID()}.pack`);
  const file = await open(path, 'wx+', 0o600);
  try {
    // The name is not needed: without one, the file vanishes with the process.
    await unlink(path);
    const sizeBytes = await store(file, bytes, limits);
    return await openPack(file, sizeBytes, limits);
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function store(file: FileHandle, bytes: AsyncIterable<Uint8Array>, limits: PackLimits): Promise<number> {
  const digestBytes = idBytesOf(limits.hash);
  const hash = createHash(limits.hash);
  let tail = Buffer.alloc(0);
  let sizeBytes = 0;
  for await (const piece of bytes) {
    if (sizeBytes + piece.length > limits.maxBytes)
      throw new SourceError(sourceSentences.PACK_TOO_LARGE.reason({ limit: limits.maxBytes }));
    await file.write(piece, 0, piece.length, sizeBytes).catch((error: unknown) => {
      throw (error as { code?: unknown }).code === 'ENOSPC'
        ? new SourceError(sourceSentences.PACK_NO_SPACE.reason({}), { cause: error })
        : error;
    });
    sizeBytes += piece.length;
    const known = Buffer.concat([tail, piece]);
    const end = Math.max(0, known.length - digestBytes);
    hash.update(known.subarray(0, end));
    tail = known.subarray(end);
  }
  if (sizeBytes < 12 + digestBytes) throw new SourceError(sourceSentences.PACK_CUT_OFF.reason({}));
  if (!hash.digest().equals(tail)) throw broken('its checksum is another one');
  return sizeBytes;
}

async function openPack(file: FileHandle, sizeBytes: number, limits: PackLimits): Promise<GitPack> {
  const reader = createReader(file, sizeBytes - idBytesOf(limits.hash));
  const index = await indexPack(reader, limits);
  const get = (id: string): Entry => {
    const entry = index.get(id);
    if (entry === undefined) throw new SourceError(sourceSentences.OBJECT_NOT_SENT.reason({ id }));
    return entry;
  };
  return {
    has: (id) => index.has(id),
    sizeOf: (id) => get(id).wholeBytes,
    async *read(id) {
      const entry = get(id);
      if (entry.base === undefined && entry.sizeBytes > smallBytes) yield* reader.inflate(entry).pieces;
      else yield await reader.whole(entry);
    },
    async readWhole(id, type) {
      const entry = get(id);
      if (entry.type !== type) throw broken(`${id} is a ${entry.type} and no ${type}`);
      return reader.whole(entry);
    },
    close: () => file.close(),
  };
}

type Reader = ReturnType<typeof createReader>;

function createReader(file: FileHandle, end: number) {
  let window = Buffer.alloc(0);
  let windowAt = 0;
  /** Whole objects that are bases of deltas, the oldest first. */
  const cache = new Map<Entry, Buffer>();
  let cachedBytes = 0;

  /** At least `length` bytes from a position, or all up to the end. */
  async function at(position: number, length: number): Promise<Buffer> {
    const wanted = Math.min(length, end - position);
    if (wanted <= 0) throw broken('it ends within an object');
    if (position < windowAt || position + wanted > windowAt + window.length) {
      const next = Buffer.allocUnsafe(Math.min(Math.max(wanted, windowBytes), end - position));
      let filled = 0;
      while (filled < next.length) {
        const { bytesRead } = await file.read(next, filled, next.length - filled, position + filled);
        if (bytesRead === 0) throw new Error('The stored pack is shorter than what was written');
        filled += bytesRead;
      }
      [window, windowAt] = [next, position];
    }
    return window.subarray(position - windowAt);
  }

  /** Unpacks a small object; `used` is the number of compressed bytes. */
  async function inflateSmall({ dataAt, sizeBytes }: Stored): Promise<{ bytes: Buffer; used: number }> {
    const source = await at(dataAt, sizeBytes + Math.ceil(sizeBytes / 100) + 128);
    try {
      // With `info`, the result has the end of the object, which the types of Node.js omit.
      const options: object = { info: true, maxOutputLength: Math.max(sizeBytes, 1) };
      const found: unknown = inflateSync(source, options);
      const { buffer, engine } = found as { buffer: Buffer; engine: { bytesWritten: number } };
      if (buffer.length !== sizeBytes) throw broken('an object has another size than it says');
      return { bytes: buffer, used: engine.bytesWritten };
    } catch (error) {
      throw error instanceof SourceError ? error : broken('an object can not be unpacked', error);
    }
  }

  /** Unpacks an object of any size piece by piece; call `used` after the last piece. */
  function inflate({ dataAt, sizeBytes }: Stored): { pieces: AsyncGenerator<Uint8Array>; used(): number } {
    const engine = createInflate({ chunkSize: 256 * 1024 });
    const closed = new Promise<void>((resolve) => void engine.once('close', resolve));
    async function feed(): Promise<void> {
      for (let position = dataAt; position < end && !engine.readableEnded && !engine.destroyed;) {
        const piece = Buffer.allocUnsafe(Math.min(256 * 1024, end - position));
        const { bytesRead } = await file.read(piece, 0, piece.length, position);
        if (bytesRead === 0) break;
        position += bytesRead;
        const written = new Promise<void>((resolve) => {
          engine.write(piece.subarray(0, bytesRead), () => resolve());
        });
        await Promise.race([written, closed]);
      }
      if (!engine.destroyed) engine.end();
    }
    async function* pieces(): AsyncGenerator<Uint8Array> {
      const fed = feed().catch((error: unknown) => void engine.destroy(error as Error));
      let size = 0;
      try {
        for await (const piece of engine as AsyncIterable<Buffer>) {
          size += piece.length;
          if (size > sizeBytes) throw broken('an object has another size than it says');
          yield piece;
        }
        if (size !== sizeBytes) throw broken('an object has another size than it says');
      } catch (error) {
        throw error instanceof SourceError ? error : broken('an object can not be unpacked', error);
      } finally {
        engine.destroy();
        await fed;
      }
    }
    return { pieces: pieces(), used: () => engine.bytesWritten };
  }

  async function stored(entry: Stored): Promise<Buffer> {
    if (entry.sizeBytes > maxWholeBytes)
      throw new SourceError(sourceSentences.OBJECT_TOO_LARGE.reason({ size: entry.sizeBytes, limit: maxWholeBytes }));
    if (entry.sizeBytes <= smallBytes) return (await inflateSmall(entry)).bytes;
    const pieces: Uint8Array[] = [];
    for await (const piece of inflate(entry).pieces) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  /** The content of an object, rebuilt from its chain of deltas. */
  async function whole(entry: Entry): Promise<Buffer> {
    const chain: Entry[] = [];
    let from: Entry | undefined = entry;
    let content: Buffer | undefined;
    for (; from !== undefined; from = from.base) {
      content = cache.get(from);
      if (content !== undefined) break;
      chain.push(from);
    }
    for (let each = chain.pop(); each !== undefined; each = chain.pop()) {
      const bytes = await stored(each);
      content = each.base === undefined || content === undefined ? bytes : applyDelta(content, bytes);
      remember(each, content);
    }
    if (content === undefined) throw broken('an object has no content');
    return content;
  }

  function remember(entry: Entry, content: Buffer): void {
    if (content.length > cacheBytes / 4 || cache.has(entry)) return;
    cache.set(entry, content);
    cachedBytes += content.length;
    for (const [oldest, bytes] of cache) {
      if (cachedBytes <= cacheBytes) break;
      cache.delete(oldest);
      cachedBytes -= bytes.length;
    }
  }

  return { at, inflateSmall, inflate, whole };
}

type Stored = Pick<Entry, 'dataAt' | 'sizeBytes'>;
type Difference = Stored & { at: number; baseAt?: number; baseId?: string };

async function indexPack(reader: Reader, { hash, signal }: PackLimits): Promise<Map<string, Entry>> {
  const head = await reader.at(0, 12);
  if (head.toString('latin1', 0, 4) !== 'PACK') throw broken('it does not begin as one');
  const version = head.readUInt32BE(4);
  if (version !== 2 && version !== 3) throw broken(`its version ${version} is not known`);
  const count = head.readUInt32BE(8);
  if (count > maxObjects) throw new SourceError(sourceSentences.PACK_TOO_MANY.reason({ count, limit: maxObjects }));

  const index = new Map<string, Entry>();
  const byPlace = new Map<number, Entry>();
  let differences: Difference[] = [];
  let turnEndsAt = performance.now() + turnMs;
  const breathe = async (): Promise<void> => {
    if (performance.now() < turnEndsAt) return;
    await setImmediate();
    signal.throwIfAborted();
    turnEndsAt = performance.now() + turnMs;
  };

  let position = 12;
  for (let number = 0; number < count; number += 1) {
    await breathe();
    const header = parseHeader(await reader.at(position, 64), position, idBytesOf(hash));
    const { kind, sizeBytes, dataAt } = header;
    const type = types[kind];
    const digest = type === undefined ? undefined : createHash(hash).update(`${type} ${sizeBytes}\0`);
    const used = await skip(reader, header, digest);
    if (type !== undefined && digest !== undefined) {
      const entry = { type, sizeBytes, dataAt, wholeBytes: sizeBytes };
      byPlace.set(position, entry);
      index.set(digest.digest('hex'), entry);
    } else differences.push({ ...header, at: position });
    position = dataAt + used;
  }

  while (differences.length > 0) {
    const waiting: Difference[] = [];
    for (const difference of differences) {
      await breathe();
      const { at, baseAt, baseId, sizeBytes, dataAt } = difference;
      const base = baseAt === undefined ? index.get(baseId ?? '') : byPlace.get(baseAt);
      if (base === undefined) {
        waiting.push(difference);
        continue;
      }
      const entry: Entry = { type: base.type, sizeBytes, dataAt, base, wholeBytes: 0 };
      const content = await reader.whole(entry);
      entry.wholeBytes = content.length;
      byPlace.set(at, entry);
      index.set(createHash(hash).update(`${entry.type} ${content.length}\0`).update(content).digest('hex'), entry);
    }
    if (waiting.length === differences.length) throw broken('it has differences to objects that it lacks');
    differences = waiting;
  }
  return index;
}

/** Unpacks an object to hash it and to find its end. */
async function skip(reader: Reader, stored: Stored, digest: Hash | undefined): Promise<number> {
  if (stored.sizeBytes <= smallBytes) {
    const { bytes, used } = await reader.inflateSmall(stored);
    digest?.update(bytes);
    return used;
  }
  const { pieces, used } = reader.inflate(stored);
  for await (const piece of pieces) digest?.update(piece);
  return used();
}

type Header = Stored & { kind: number; baseAt?: number; baseId?: string };

function parseHeader(bytes: Buffer, position: number, idBytes: number): Header {
  let at = 0;
  const next = (): number => {
    const byte = bytes[at];
    if (byte === undefined || at > 60) throw broken('it ends within an object');
    at += 1;
    return byte;
  };
  let byte = next();
  const kind = (byte >> 4) & 7;
  let sizeBytes = byte & 15;
  for (let scale = 16; (byte & 128) !== 0; scale *= 128) {
    byte = next();
    sizeBytes += (byte & 127) * scale;
  }
  if (!Number.isSafeInteger(sizeBytes)) throw broken('an object has no possible size');
  if (kind === ofsDelta) {
    byte = next();
    let back = byte & 127;
    while ((byte & 128) !== 0) {
      byte = next();
      back = (back + 1) * 128 + (byte & 127);
    }
    if (back === 0 || back >= position) throw broken('a difference is to nothing');
    return { kind, sizeBytes, dataAt: position + at, baseAt: position - back };
  }
  if (kind === refDelta) {
    const baseId = bytes.toString('hex', at, at + idBytes);
    return { kind, sizeBytes, dataAt: position + at + idBytes, baseId };
  }
  if (types[kind] === undefined) throw broken(`it has an object of the unknown kind ${kind}`);
  return { kind, sizeBytes, dataAt: position + at };
}

export function idBytesOf(hash: GitHash): number {
  return hash === 'sha1' ? 20 : 32;
}
