import { randomInt } from 'node:crypto';
import { besideName } from '../beside-names.ts';
import { storageUnavailable } from '../errors.ts';
import { claimChunk, setUploadId } from '../queries/object-assemblies.ts';
import type { ObjectAssemblyState, ObjectParts } from './object-assembly-state.ts';
import { NoSuchUploadError, type Multipart } from './object-store.ts';
import { createObjectUpload } from './object-upload.ts';
import { createPartCutter, minPartBytes, partBytes, type PartCutter } from './part-cutter.ts';

/** Maximum parts of an object. */
export const maxParts = 10_000;
/** Maximum memory of one part; chunks that would need larger parts become objects of their own. */
const maxPartBytes = 32 * 1024 * 1024;

/** Number of part numbers reserved for each chunk of an assembly; 0 if there are more chunks than parts. */
export const slotsPerChunk = (totalChunks: number): number => Math.floor(maxParts / totalChunks);

/** Destination of a chunk's bytes. */
export type ChunkLane = {
  /** Number of the chunk's own object; 0 if it is sent as parts of the assembly's upload. */
  readonly besideNo: number;
  readonly sizeBytes: number;
  readonly crc32: number;
  write(bytes: Uint8Array): Promise<void> | undefined;
  /** Resolves when the object store has all bytes. */
  end(): Promise<void>;
  discard(): Promise<void>;
};

/**
 * Opens the lane of a chunk of expected length. A large enough chunk is sent directly as parts of the whole, but only by its
 * first writer: if parts are never overwritten, they are the ones that were received. Every other chunk becomes an object.
 */
export async function openLane(
  parts: ObjectParts,
  state: ObjectAssemblyState,
  chunkNo: number,
  expectedBytes: number | undefined,
): Promise<ChunkLane> {
  const expected = expectedBytes ?? state.chunkSizeBytes ?? 0;
  const isTail = chunkNo === state.totalChunks && state.totalChunks > 1 && (state.chunkSizeBytes ?? 0) >= minPartBytes;
  const slots = slotsPerChunk(state.totalChunks);
  const bytesPerPart = Math.max(partBytes, Math.ceil(expected / Math.max(slots, 1)));
  const mayBeParts = slots > 0 && bytesPerPart <= maxPartBytes && !state.isUploadLost;
  const isDirect = mayBeParts && (expected >= minPartBytes || isTail);
  if (!isDirect || !(await parts.db.write((tx) => claimChunk(tx, state.id, chunkNo))))
    return openObject(parts, state, chunkNo);
  return openParts(parts, state, chunkNo, { slots, bytesPerPart });
}

function openParts(
  parts: ObjectParts,
  state: ObjectAssemblyState,
  chunkNo: number,
  { slots, bytesPerPart }: { slots: number; bytesPerPart: number },
): ChunkLane {
  const { store, budget } = parts;
  const firstPart = (chunkNo - 1) * slots + 1;
  const isLast = chunkNo === state.totalChunks;
  /** Set if the chunk turns out to be too short for a part. */
  let own: ChunkLane | undefined;

  const cutter: PartCutter = createPartCutter({
    budget,
    minTailBytes: isLast ? 0 : minPartBytes,
    sizeOf: () => bytesPerPart,
    async send(index, bytes, crc32) {
      if (index >= slots) throw new Error(`Chunk ${chunkNo} is longer than its request said`);
      const upload = await ensureUpload(parts, state);
      try {
        await store.putPart(upload, firstPart + index, bytes, crc32);
      } catch (error) {
        if (!(error instanceof NoSuchUploadError)) throw error;
        state.isUploadLost = true;
        throw storageUnavailable(error);
      }
    },
  });

  return {
    get besideNo() {
      return own?.besideNo ?? 0;
    },
    get sizeBytes() {
      return cutter.sizeBytes;
    },
    get crc32() {
      return cutter.crc32;
    },
    write: (bytes) => cutter.write(bytes),
    async end() {
      if (isLast || cutter.hasSent || cutter.sizeBytes >= minPartBytes) return cutter.end();
      const bytes = cutter.gathered();
      own = openObject(parts, state, chunkNo);
      await own.write(bytes);
      await own.end();
      await cutter.abandon();
    },
    async discard() {
      await cutter.abandon();
      await own?.discard();
    },
  };
}

/** Writes the chunk to an object of its own, from which the whole is composed once all chunks are received. */
function openObject(parts: ObjectParts, state: ObjectAssemblyState, chunkNo: number): ChunkLane {
  const { store, budget, folders, holds } = parts;
  // Random, so that it is unique across processes.
  const besideNo = randomInt(1, 2 ** 48 - 1);
  const name = besideName(state.id, chunkNo, besideNo);
  holds.hold(name);
  const upload = createObjectUpload({ store, budget, key: folders.besidePath(name) });
  return {
    besideNo,
    get sizeBytes() {
      return upload.sizeBytes;
    },
    get crc32() {
      return upload.crc32;
    },
    write: (bytes) => upload.write(bytes),
    async end() {
      if (upload.sizeBytes > 0) await upload.complete();
      holds.release(name);
    },
    async discard() {
      try {
        await upload.discard();
      } finally {
        holds.release(name);
      }
    },
  };
}

const starting = new WeakMap<ObjectAssemblyState, Promise<Multipart>>();

/** The multipart upload of an assembly, started on first use. */
async function ensureUpload(parts: ObjectParts, state: ObjectAssemblyState): Promise<Multipart> {
  if (state.upload !== undefined) return state.upload;
  let start = starting.get(state);
  if (start === undefined) {
    start = startUpload(parts, state).finally(() => starting.delete(state));
    starting.set(state, start);
  }
  state.upload = await start;
  return state.upload;
}

async function startUpload({ store, folders, db }: ObjectParts, state: ObjectAssemblyState): Promise<Multipart> {
  const key = folders.filePath(state.id);
  const own = { key, uploadId: await store.startMultipart(key) };
  const uploadId = await db.write((tx) => setUploadId(tx, state.id, own.uploadId));
  if (uploadId === own.uploadId) return own;
  await store.abort(own);
  if (uploadId === undefined) throw state.dropped ?? new Error(`Assembly ${state.id} was dropped`);
  return { key, uploadId };
}
