import { hash as hashOnce } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { newId } from '../../../kernel/ids.ts';
import { besideName } from '../beside-names.ts';
import { storageUnavailable } from '../errors.ts';
import { createCrc32Combiner } from '../../../kernel/crc32.ts';
import { findAssemblyRow, sealAssemblies, type SealedAssembly } from '../queries/assemblies.ts';
import { deleteChunks } from '../queries/object-assemblies.ts';
import { slotsPerChunk } from './chunk-lanes.ts';
import { composeObject, readSources, type ObjectRange } from './object-compose.ts';
import { rereadState, type ObjectAssemblyState, type ObjectChunk, type ObjectParts } from './object-assembly-state.ts';
import { NoSuchUploadError, WrongPartsError, type StoredPart } from './object-store.ts';
import { sumParts } from './object-upload.ts';
import { minPartBytes } from './part-cutter.ts';

const maxCopyBytes = 5 * 1024 ** 3;

type Whole = { sizeBytes: number; crc32: number };
type SealedPlace = Pick<SealedAssembly, 'sealed_sha256' | 'sealed_kind' | 'sealed_object_id' | 'sealed_object_offset'>;
type NumberedChunk = ObjectChunk & { chunkNo: number };

/** Composes all chunks into one object, which the object store checks against the CRC-32 of the whole, and records it. */
export async function sealObject(parts: ObjectParts, state: ObjectAssemblyState): Promise<SealedAssembly> {
  const { db, eraser } = parts;
  await refresh(parts, state);
  if (state.sealed !== undefined) return state.sealed;
  const chunks = listInOrder(state);
  const whole = sumChunks(chunks);
  let place: SealedPlace;
  try {
    place = await makeObject(parts, state, chunks, whole);
  } catch (error) {
    if (!(error instanceof WrongPartsError || error instanceof NoSuchUploadError)) throw error;
    await forgetWrongChunks(parts, state, chunks);
    throw storageUnavailable(error);
  }
  const row = { id: state.id, sealed_size_bytes: whole.sizeBytes, sealed_crc32: whole.crc32, ...place };
  const sealed = await db.write(async (tx) => {
    const now = await findAssemblyRow(tx, state.id);
    if (now !== undefined && now.sealed_kind === null) await sealAssemblies(tx, [row]);
    return findAssemblyRow(tx, state.id);
  });
  if (sealed === undefined) throw state.dropped ?? new Error(`Assembly ${state.id} was dropped`);
  await rereadState(parts, state);
  // If another process sealed at the same time, its result counts; the remains of both are erased.
  const remains = [state.id, row.sealed_kind === 'file' ? row.sealed_object_id : state.id];
  await eraser.eraseNow({
    files: [...new Set(remains)].filter((id) => id !== sealed.sealed_object_id),
    beside: chunks.filter(isBeside).map((chunk) => besideName(state.id, chunk.chunkNo, chunk.besideNo)),
  });
  if (state.sealed === undefined) throw new Error(`Assembly ${state.id} was not sealed`);
  return state.sealed;
}

async function refresh(parts: ObjectParts, state: ObjectAssemblyState): Promise<void> {
  if (!(await rereadState(parts, state))) throw state.dropped ?? new Error(`Assembly ${state.id} was dropped`);
}

const isBeside = ({ besideNo }: ObjectChunk): boolean => besideNo > 0;

function listInOrder(state: ObjectAssemblyState): NumberedChunk[] {
  const chunks: NumberedChunk[] = [];
  for (let chunkNo = 1; chunkNo <= state.totalChunks; chunkNo++) {
    const chunk = state.chunks.get(chunkNo);
    if (chunk === undefined) throw new Error(`Chunk ${chunkNo} of ${state.totalChunks} is missing`);
    if (chunk.sizeBytes > 0) chunks.push({ ...chunk, chunkNo });
  }
  return chunks;
}

function sumChunks(chunks: readonly ObjectChunk[]): Whole {
  const combine = createCrc32Combiner();
  const whole = { sizeBytes: 0, crc32: 0 };
  for (const chunk of chunks) {
    whole.crc32 = combine(whole.crc32, chunk.crc32, chunk.sizeBytes);
    whole.sizeBytes += chunk.sizeBytes;
  }
  return whole;
}

async function makeObject(
  parts: ObjectParts,
  state: ObjectAssemblyState,
  chunks: readonly NumberedChunk[],
  whole: Whole,
): Promise<SealedPlace> {
  const { packThresholdBytes, staged } = parts;
  if (whole.sizeBytes === 0)
    return {
      sealed_sha256: hashOnce('sha256', ''),
      sealed_kind: 'empty',
      sealed_object_id: '',
      sealed_object_offset: 0,
    };
  const isLarge = whole.sizeBytes >= packThresholdBytes;
  if (isLarge && chunks.some((chunk) => !isBeside(chunk)) && chunks.every((chunk) => fitsPart(chunk, chunks))) {
    await completeInPlace(parts, state, chunks, whole);
    startDigest(parts, state);
    staged.add(state.id, state.id, true);
    return objectPlace(parts, state.id, state.id);
  }
  const sources = await listSources(parts, state, chunks);
  if (!isLarge) return packAll(parts, state, sources, whole);
  const objectId = newId();
  parts.holds.hold(objectId);
  try {
    await composeObject(parts, parts.folders.filePath(objectId), sources, whole);
    startDigest(parts, state);
    staged.forget(state.id);
    staged.add(state.id, objectId, true);
    return objectPlace(parts, state.id, objectId);
  } finally {
    parts.holds.release(objectId);
  }
}

const objectPlace = ({ lateDigests }: ObjectParts, blobId: string, objectId: string): SealedPlace => ({
  sealed_sha256: lateDigests.takeReady(blobId),
  sealed_kind: 'file',
  sealed_object_id: objectId,
  sealed_object_offset: 0,
});

/** Whether a chunk can be used as parts of the whole unchanged: all parts but the last have a minimum size. */
function fitsPart(chunk: NumberedChunk, chunks: readonly NumberedChunk[]): boolean {
  const isLast = chunk === chunks.at(-1);
  return (isLast || chunk.sizeBytes >= minPartBytes) && (!isBeside(chunk) || chunk.sizeBytes <= maxCopyBytes);
}

/** Completes the upload: most chunks already are its parts, and the service copies the others into their places. */
async function completeInPlace(
  { store, folders }: ObjectParts,
  state: ObjectAssemblyState,
  chunks: readonly NumberedChunk[],
  whole: Whole,
): Promise<void> {
  const { upload } = state;
  if (upload === undefined) throw new Error(`Assembly ${state.id} has parts but no upload`);
  const slots = slotsPerChunk(state.totalChunks);
  try {
    for (const { chunkNo, besideNo, sizeBytes } of chunks) {
      if (besideNo === 0) continue;
      const key = folders.besidePath(besideName(state.id, chunkNo, besideNo));
      await store.copyPart(upload, (chunkNo - 1) * slots + 1, { key, from: 0, to: sizeBytes });
    }
    const stored = await store.listParts(upload);
    await store.complete(
      upload,
      chunks.flatMap((chunk) => partsOf(stored, slots, chunk)),
      whole,
    );
  } catch (error) {
    // Completed by another process, or by this one before its row was written; the object may appear a moment later.
    if (!(error instanceof NoSuchUploadError) || !(await comes(store, upload.key, whole))) throw error;
  }
}

async function comes(store: ObjectParts['store'], key: string, whole: Whole): Promise<boolean> {
  for (let attempt = 1; attempt <= 5; attempt++) {
    if (await isThere(store, key, whole)) return true;
    await pause(100 * 2 ** attempt);
  }
  return false;
}

async function isThere(store: ObjectParts['store'], key: string, whole: Whole): Promise<boolean> {
  const found = await store.find(key);
  return found?.sizeBytes === whole.sizeBytes && (found.crc32 ?? whole.crc32) === whole.crc32;
}

/** The parts of a chunk, after comparing them with what was received. A copied chunk occupies only its first part number. */
function partsOf(stored: readonly StoredPart[], slots: number, chunk: NumberedChunk): StoredPart[] {
  const first = (chunk.chunkNo - 1) * slots + 1;
  const end = isBeside(chunk) ? first + 1 : first + slots;
  const own = stored.filter(({ partNo }) => partNo >= first && partNo < end);
  const sum = sumParts(own);
  if (sum.sizeBytes !== chunk.sizeBytes || (sum.crc32 ?? chunk.crc32) !== chunk.crc32)
    throw new WrongPartsError(`Chunk ${chunk.chunkNo} is not what was received`);
  return own;
}

/** Locations of the chunks' bytes. Chunks sent as parts are first completed into one object, because parts can't be read. */
async function listSources(
  parts: ObjectParts,
  state: ObjectAssemblyState,
  chunks: readonly NumberedChunk[],
): Promise<ObjectRange[]> {
  const { store, folders } = parts;
  const direct = chunks.filter((chunk) => !isBeside(chunk));
  const key = folders.filePath(state.id);
  if (direct.length > 0) {
    const { upload } = state;
    if (upload === undefined) throw new Error(`Assembly ${state.id} has parts but no upload`);
    const sum = sumChunks(direct);
    const slots = slotsPerChunk(state.totalChunks);
    if (!(await isThere(store, key, sum))) {
      const stored = await store.listParts(upload);
      await store.complete(
        upload,
        direct.flatMap((chunk) => partsOf(stored, slots, chunk)),
        sum,
      );
    }
  }
  let offset = 0;
  return chunks.map((chunk) => {
    if (isBeside(chunk))
      return {
        key: folders.besidePath(besideName(state.id, chunk.chunkNo, chunk.besideNo)),
        from: 0,
        to: chunk.sizeBytes,
        isWhole: true,
      };
    const from = offset;
    offset += chunk.sizeBytes;
    return { key, from, to: offset, isWhole: false };
  });
}

async function packAll(
  { store, packs, flushes, staged }: ObjectParts,
  state: ObjectAssemblyState,
  sources: readonly ObjectRange[],
  whole: Whole,
): Promise<SealedPlace> {
  const bytes = await readSources(store, sources);
  for (let room = packs.room(); room !== undefined; room = packs.room()) await room;
  staged.forget(state.id);
  const place = packs.append({ id: state.id, crc32: whole.crc32, bytes });
  await flushes.flush();
  staged.check(state.id);
  return {
    sealed_sha256: hashOnce('sha256', bytes),
    sealed_kind: 'pack',
    sealed_object_id: place.objectId,
    sealed_object_offset: place.offset,
  };
}

/** If all chunks arrived in order and were hashed on arrival, their SHA-256 is nearly ready. */
function startDigest({ lateDigests }: ObjectParts, state: ObjectAssemblyState): void {
  const { hash } = state;
  if (hash === undefined || hash.next !== state.totalChunks + 1) return;
  state.hash = undefined;
  lateDigests.keep(state.id, hash.ordered.digest());
}

/** Marks chunks as missing whose stored bytes differ from those acknowledged; if none is found, marks all. */
async function forgetWrongChunks(
  parts: ObjectParts,
  state: ObjectAssemblyState,
  chunks: readonly NumberedChunk[],
): Promise<void> {
  const { store, db, folders, logger } = parts;
  const stored = state.upload === undefined ? [] : await store.listParts(state.upload).catch(() => []);
  const slots = slotsPerChunk(state.totalChunks);
  const wrong: number[] = [];
  for (const chunk of chunks) {
    try {
      if (!isBeside(chunk)) partsOf(stored, slots, chunk);
      else if (!(await isThere(store, folders.besidePath(besideName(state.id, chunk.chunkNo, chunk.besideNo)), chunk)))
        wrong.push(chunk.chunkNo);
    } catch {
      wrong.push(chunk.chunkNo);
    }
  }
  const missing = wrong.length > 0 ? wrong : chunks.map(({ chunkNo }) => chunkNo);
  logger.warn(
    { assemblyId: state.id, chunks: missing.length },
    'The object store has other bytes of chunks than were sent',
  );
  await db.write((tx) => deleteChunks(tx, state.id, missing));
  await refresh(parts, state);
}
