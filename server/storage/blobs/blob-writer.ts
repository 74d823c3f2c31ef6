import { hash as hashOnce } from 'node:crypto';
import { newId } from '../../kernel/ids.ts';
import type { BlobWriter, StagedBlob } from './blob-store.ts';
import { crc32 } from '../../kernel/crc32.ts';
import { asStorageError } from './errors.ts';
import type { OrderedHash } from './ordered-hash.ts';
import { createSequentialWriter, type SequentialWriter } from './files/sequential-writer.ts';
import type { WriterParts } from './store-parts.ts';
import type { WritableFile } from './files/writable-file.ts';

const nothing = new Uint8Array(0);
const emptySha256 = hashOnce('sha256', '');
/** Not null, because null makes the background work compute it. */
const noSha256 = '';

/** Memory in which all writers gather small blobs; beyond it, they write to a file first. */
export type GatherBudget = { usedBytes: number; readonly maxBytes: number };

type OwnFile = { file: WritableFile; folder: string; output: SequentialWriter; hash: OrderedHash | undefined };

/** Writes a small, complete blob without waiting: see `BlobStore.writeWhole`. */
export function writeWholeBlob(
  { packs, health, packThresholdBytes }: WriterParts,
  bytes: Uint8Array,
  crc: number,
): StagedBlob | undefined {
  if (bytes.length === 0 || bytes.length >= packThresholdBytes) return undefined;
  if (!health.trusted || packs.room() !== undefined) return undefined;
  const id = newId();
  const place = packs.append({ id, crc32: crc, bytes });
  return { id, sizeBytes: bytes.length, crc32: crc, sha256: hashOnce('sha256', bytes), place };
}

/** Writes one blob: gathers it in memory for a pack up to the threshold, and writes it to its own file beyond. */
export function createBlobWriter(
  parts: WriterParts,
  budget: GatherBudget,
  { isTemporary = false }: { isTemporary?: boolean } = {},
): BlobWriter {
  const {
    operations,
    folders,
    packs,
    flushes,
    health,
    hasher,
    lateDigests,
    holds,
    openFile,
    pool,
    staged,
    packThresholdBytes,
  } = parts;
  const id = newId();
  let sizeBytes = 0;
  let crc = 0;
  let gathered: Uint8Array = nothing;
  let gatheredLength = 0;
  let own: OwnFile | undefined;
  let ended = false;
  let failure: Error | undefined;

  function gather(bytes: Uint8Array): void {
    const needed = gatheredLength + bytes.length;
    if (needed > gathered.length) {
      // Most small blobs arrive in one piece and need no spare capacity; uncleared memory is faster to allocate.
      const capacity = Math.max(needed, Math.min(gathered.length * 2, packThresholdBytes));
      const larger = Buffer.allocUnsafe(capacity);
      larger.set(gathered.subarray(0, gatheredLength));
      budget.usedBytes += capacity - gathered.length;
      gathered = larger;
    }
    gathered.set(bytes, gatheredLength);
    gatheredLength = needed;
  }

  function dropGathered(): void {
    budget.usedBytes -= gathered.length;
    gathered = nothing;
    gatheredLength = 0;
  }

  async function moveToFile(bytes: Uint8Array): Promise<void> {
    await health.ready();
    holds.hold(id);
    try {
      const folder = await folders.ensureFolderOf(id);
      const file = await openFile(folders.filePath(id));
      const hash = isTemporary ? undefined : hasher.startOrdered();
      own = { file, folder, hash, output: createSequentialWriter({ file, position: 0, pool, hash }) };
      await own.output.write(gathered.subarray(0, gatheredLength));
      dropGathered();
      await own.output.write(bytes);
    } catch (error) {
      if (own === undefined) holds.release(id);
      failure = asStorageError(error);
      throw failure;
    }
  }

  async function discardFile(from: OwnFile): Promise<void> {
    own = undefined;
    await from.output.abandon();
    from.hash?.drop();
    await from.file.close();
    await operations.unlink(from.file.path);
    holds.release(id);
  }

  async function finishFile(from: OwnFile): Promise<StagedBlob> {
    await from.output.end();
    if (sizeBytes < packThresholdBytes) {
      const bytes = await readBack(from.file);
      await discardFile(from);
      return finishPacked(bytes);
    }
    if (from.hash !== undefined) lateDigests.keep(id, from.hash.digest());
    staged.add(id, id, false);
    holds.release(id);
    own = undefined;
    flushes.addFile({ blobId: id, file: from.file, folder: from.folder });
    const sha256 = from.hash === undefined ? noSha256 : null;
    return { id, sizeBytes, crc32: crc, sha256, place: { kind: 'file', objectId: id } };
  }

  async function readBack(file: WritableFile): Promise<Uint8Array> {
    const bytes = new Uint8Array(sizeBytes);
    let length = 0;
    while (length < sizeBytes) {
      const count = await file.read(bytes.subarray(length), length);
      if (count === 0) throw new Error('The file is shorter than what was written to it');
      length += count;
    }
    return bytes;
  }

  async function finishPacked(bytes: Uint8Array): Promise<StagedBlob> {
    for (let room = packs.room(); room !== undefined; room = packs.room()) await room;
    const place = packs.append({ id, crc32: crc, bytes });
    return { id, sizeBytes, crc32: crc, sha256: isTemporary ? noSha256 : hashOnce('sha256', bytes), place };
  }

  return {
    write(bytes) {
      if (failure !== undefined) return Promise.reject(failure);
      sizeBytes += bytes.length;
      crc = crc32(bytes, crc);
      if (own !== undefined) {
        return own.output.write(bytes)?.catch((error: unknown) => Promise.reject(asStorageError(error)));
      }
      if (sizeBytes < packThresholdBytes && budget.usedBytes + bytes.length <= budget.maxBytes) {
        gather(bytes);
        return undefined;
      }
      return moveToFile(bytes);
    },
    async finish() {
      if (ended) throw new Error('The blob was ended before');
      await health.ready();
      ended = true;
      try {
        if (failure !== undefined) throw failure;
        if (own !== undefined) return await finishFile(own);
        if (sizeBytes === 0) {
          staged.add(id, '', true);
          return { id, sizeBytes, crc32: 0, sha256: emptySha256, place: { kind: 'empty' } };
        }
        const blob = await finishPacked(gathered.subarray(0, gatheredLength));
        dropGathered();
        return blob;
      } catch (error) {
        if (own !== undefined) await discardFile(own);
        dropGathered();
        throw asStorageError(error);
      }
    },
    async abort() {
      if (ended) return;
      ended = true;
      dropGathered();
      if (own !== undefined) await discardFile(own);
    },
  };
}
