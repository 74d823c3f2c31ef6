import { invalid } from '../../../kernel/errors.ts';
import { parameterProblems } from '../../../kernel/parameter-problems.ts';
import { newId } from '../../../kernel/ids.ts';
import { stageSealed } from '../assemblies/assembly.ts';
import type { Assembly, BlobStore } from '../blob-store.ts';
import { asStorageError } from '../errors.ts';
import {
  deleteAssemblies,
  findAssemblyRow,
  insertAssemblies,
  listAssemblyObjects,
  listChunks,
} from '../queries/assemblies.ts';
import { listUploadIds, lockEmptyAssemblies, sumChunks } from '../queries/object-assemblies.ts';
import { openLane } from './chunk-lanes.ts';
import { createChunkComparison, createObjectChunkWriter, droppedError } from './object-chunk-writer.ts';
import {
  createAssemblyState,
  rereadState,
  type ObjectAssemblyState,
  type ObjectParts,
} from './object-assembly-state.ts';
import { sealObject } from './object-seal.ts';

export type ObjectAssemblies = Pick<BlobStore, 'createAssembly' | 'findAssembly' | 'dropAssemblies'> & {
  /** Forgets assemblies that were deleted from the database together with their blobs. */
  forget(ids: readonly string[]): void;
  close(): Promise<void>;
};

/** Maximum assemblies in memory; others are read from the database when needed. */
const maxKnown = 1000;

type Known = { state: ObjectAssemblyState; view: Assembly };

/** Files that arrive as chunks, in any number of processes at once: each chunk is sent to the object store as it arrives. */
export function createObjectAssemblies(parts: ObjectParts, touchPack: (packId: string) => void): ObjectAssemblies {
  const { db, store, eraser, folders, logger } = parts;
  /** By id, least recently used first. */
  const known = new Map<string, Known>();

  function remember(state: ObjectAssemblyState): Assembly {
    const view = createView(parts, state);
    known.set(state.id, { state, view });
    for (const [id, { state: other }] of known) {
      if (known.size <= maxKnown) break;
      if (other.writers.size === 0 && other.sealing === undefined) known.delete(id);
    }
    return view;
  }

  async function find(id: string): Promise<Assembly | undefined> {
    const row = await findAssemblyRow(db.read, id);
    if (row === undefined) return undefined;
    const entry = known.get(id);
    if (entry === undefined) return remember(createAssemblyState(parts, row, await listChunks(db.scan, id)));
    const { state, view } = entry;
    known.delete(id);
    known.set(id, entry);
    const { chunks, bytes } = await sumChunks(db.read, id);
    if (chunks === state.chunks.size && bytes === state.receivedBytes) return view;
    return (await rereadState(parts, state)) ? view : undefined;
  }

  async function stop(state: ObjectAssemblyState): Promise<void> {
    const error = droppedError();
    state.dropped = error;
    await state.sealing?.catch(() => {});
    await Promise.allSettled([...state.writers].map((writer) => writer.kill(error)));
  }

  return {
    async createAssembly({ totalChunks, chunkSizeBytes }) {
      const id = newId();
      const row = { id, total_chunks: totalChunks, chunk_size_bytes: chunkSizeBytes, boot_id: '', folder_no: null };
      await db.write((tx) => insertAssemblies(tx, [row]));
      const unsealed = {
        sealed_size_bytes: null,
        sealed_crc32: null,
        sealed_sha256: null,
        sealed_kind: null,
        sealed_object_id: null,
        sealed_object_offset: null,
        upload_id: null,
      };
      return remember(createAssemblyState(parts, { ...row, ...unsealed }, []));
    },
    findAssembly: find,
    async dropAssemblies(given, { onlyEmpty } = { onlyEmpty: false }) {
      if (given.length === 0) return given;
      if (!onlyEmpty) await Promise.all(given.flatMap((id) => known.get(id)?.state ?? []).map(stop));
      const { ids, objects, uploads } = await db.write(async (tx) => {
        const ids = onlyEmpty ? await lockEmptyAssemblies(tx, given) : given;
        const held = { objects: await listAssemblyObjects(tx, ids), uploads: await listUploadIds(tx, ids) };
        await deleteAssemblies(tx, ids);
        return { ...held, ids };
      });
      for (const id of ids) known.delete(id);
      for (const packId of objects.packs) touchPack(packId);
      for (const { id, upload_id: uploadId } of uploads) {
        await store
          .abort({ key: folders.filePath(id), uploadId })
          .catch((error: unknown) =>
            logger.warn({ err: error, assemblyId: id }, 'An upload could not be aborted yet; the sweep tries again'),
          );
      }
      await eraser.eraseNow(objects);
      return ids;
    },
    forget(ids) {
      for (const id of ids) known.delete(id);
    },
    async close() {
      for (const { state } of known.values()) {
        await state.sealing?.catch(() => {});
        await Promise.allSettled([...state.writers].map((writer) => writer.kill(droppedError())));
      }
    },
  };
}

function createView(parts: ObjectParts, state: ObjectAssemblyState): Assembly {
  async function sealOnce(): Promise<void> {
    try {
      await sealObject(parts, state);
    } catch (error) {
      throw asStorageError(error);
    }
  }

  return {
    id: state.id,
    totalChunks: state.totalChunks,
    get chunkSizeBytes() {
      return state.chunkSizeBytes;
    },
    get receivedChunks() {
      return state.chunks.size;
    },
    get receivedBytes() {
      return state.receivedBytes;
    },
    missingChunks(limit) {
      const missing: number[] = [];
      for (let number = state.firstMissing; number <= state.totalChunks && missing.length < limit; number++) {
        if (!state.chunks.has(number)) missing.push(number);
      }
      return missing;
    },
    async openChunk(chunkNo, expectedBytes) {
      if (!Number.isInteger(chunkNo) || chunkNo < 1 || chunkNo > state.totalChunks)
        throw invalid('chunkNo', parameterProblems.MUST_BE_BETWEEN.reason({ from: 1, to: state.totalChunks }));
      if (state.dropped !== undefined) throw state.dropped;
      const known = state.chunks.get(chunkNo);
      if (known !== undefined) return createChunkComparison(known);
      return createObjectChunkWriter(parts, state, chunkNo, await openLane(parts, state, chunkNo, expectedBytes));
    },
    async seal() {
      if (state.dropped !== undefined) throw state.dropped;
      if (state.sealed === undefined) {
        state.sealing ??= sealOnce().finally(() => {
          state.sealing = undefined;
        });
        await state.sealing;
      }
      return stageSealed(parts, state);
    },
  };
}
