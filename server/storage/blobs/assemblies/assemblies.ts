import { errors } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import type { AssemblyParts } from './assembly-parts.ts';
import { checkChunks } from './assembly-recovery.ts';
import type { Assembly, BlobStore } from '../blob-store.ts';
import { asStorageError } from '../errors.ts';
import { createKnownAssemblies } from './known-assemblies.ts';
import { createLiveAssembly, type LiveAssembly } from './live-assembly.ts';
import { deleteAssemblies, findAssemblyRow, listAssemblyObjects, listChunks } from '../queries/assemblies.ts';

export type Assemblies = Pick<BlobStore, 'createAssembly' | 'findAssembly' | 'dropAssemblies'> & {
  /** Forgets assemblies that were deleted from the database together with their blobs. */
  forget(ids: readonly string[]): void;
  /** Marks an assembly as suspect after a sync of its file failed. */
  suspect(assemblyId: string): void;
  close(): Promise<void>;
};

export function createAssemblies(parts: AssemblyParts, touchPack: (packId: string) => void): Assemblies {
  const { db, journal, files, eraser, bootId, folderNo } = parts;
  const known = createKnownAssemblies(parts);
  const dropping = new Set<string>();
  const loading = new Map<string, Promise<Assembly | undefined>>();

  async function load(id: string): Promise<Assembly | undefined> {
    const row = await findAssemblyRow(db.read, id);
    if (row === undefined) return undefined;
    const live = createLiveAssembly(row, await listChunks(db.scan, id));
    const trusted = bootId !== '' && row.boot_id === bootId;
    if (live.sealed === undefined && !trusted) await checkChunks(parts, live, bootId);
    return known.remember(live);
  }

  async function find(id: string): Promise<Assembly | undefined> {
    if (dropping.has(id)) return undefined;
    const view = known.find(id);
    if (view !== undefined) return view;
    let found = loading.get(id);
    if (found === undefined) {
      found = load(id).finally(() => loading.delete(id));
      loading.set(id, found);
    }
    return found;
  }

  /** Fails the active writers; afterwards no write is in flight. */
  async function stopWriting(live: LiveAssembly): Promise<void> {
    const error = droppedError();
    live.dropped = error;
    await live.sealing?.catch(() => {});
    await Promise.allSettled([...live.writers].map((writer) => writer.kill(error)));
    await Promise.allSettled(live.claims.values());
    await live.placing;
    live.hash?.ordered.drop();
    live.hash = undefined;
    await files.forget(live.id);
  }

  return {
    async createAssembly({ totalChunks, chunkSizeBytes }) {
      await parts.health.ready();
      const id = newId();
      const row = {
        id,
        total_chunks: totalChunks,
        chunk_size_bytes: chunkSizeBytes,
        boot_id: bootId,
        folder_no: folderNo ?? null,
      };
      try {
        await journal.put({ kind: 'created', row });
      } catch (error) {
        throw asStorageError(error);
      }
      const unsealed = {
        sealed_size_bytes: null,
        sealed_crc32: null,
        sealed_sha256: null,
        sealed_kind: null,
        sealed_object_id: null,
        sealed_object_offset: null,
        upload_id: null,
      };
      return known.remember(createLiveAssembly({ ...row, ...unsealed }, []));
    },
    findAssembly: find,
    async dropAssemblies(given, { onlyEmpty } = { onlyEmpty: false }) {
      // No other process receives chunks into this folder.
      const found = onlyEmpty ? await Promise.all(given.map(find)) : [];
      const ids = onlyEmpty
        ? found.flatMap((one) => (one === undefined || one.receivedChunks > 0 ? [] : one.id))
        : given;
      if (ids.length === 0) return ids;
      for (const id of ids) dropping.add(id);
      try {
        for (const id of ids) await loading.get(id)?.catch(() => undefined);
        await Promise.all(ids.flatMap((id) => known.liveOf(id) ?? []).map(stopWriting));
        const objects = await db.write(async (tx) => {
          const held = await listAssemblyObjects(tx, ids);
          await deleteAssemblies(tx, ids);
          return held;
        });
        for (const packId of objects.packs) touchPack(packId);
        await eraser.eraseNow(objects);
        return ids;
      } finally {
        for (const id of ids) {
          known.forget(id);
          dropping.delete(id);
        }
      }
    },
    forget(ids) {
      for (const id of ids) known.forget(id);
    },
    suspect(assemblyId) {
      const live = known.liveOf(assemblyId);
      if (live !== undefined) live.suspect = true;
    },
    async close() {
      for (const id of known.ids()) {
        const live = known.liveOf(id);
        if (live === undefined) continue;
        await Promise.allSettled([...live.writers].map((writer) => writer.kill(droppedError())));
        await live.placing;
      }
      await journal.close();
      await files.close();
    },
  };
}

const droppedError = (): Error => errors.NOT_FOUND({ what: 'The upload' });
