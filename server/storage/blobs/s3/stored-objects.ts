import type { ReadOnlyDatabase } from '../../database/read-only-database.ts';
import { findAssemblyRow } from '../queries/assemblies.ts';
import type { ReceivedChunk } from '../queries/verification.ts';
import type { RangeProblem } from '../verification/range-check.ts';
import type { StoredObjects } from '../verification/stored-objects.ts';
import { slotsPerChunk } from './chunk-lanes.ts';
import { createObjectOperations } from './object-operations.ts';
import { NoSuchUploadError, type ObjectStore, type StoredPart } from './object-store.ts';
import { sumParts } from './object-upload.ts';
import { requireObjectStore } from './store-identity.ts';

/** Opens stored objects for a check; throws if the bucket's folder belongs to another database. */
export async function openObjects(
  db: ReadOnlyDatabase,
  store: ObjectStore,
  url: string,
): Promise<StoredObjects & { close(): void }> {
  await requireObjectStore(db, store, url);
  let known: { assemblyId: string; slots: number; parts: readonly StoredPart[] } | undefined;

  async function partsOf(assemblyId: string): Promise<{ slots: number; parts: readonly StoredPart[] }> {
    if (known?.assemblyId === assemblyId) return known;
    const row = await findAssemblyRow(db.scan, assemblyId);
    const uploadId = row?.upload_id ?? undefined;
    const key = `files/${assemblyId.slice(-2)}/${assemblyId}`;
    const parts = uploadId === undefined ? [] : await listParts({ key, uploadId });
    known = { assemblyId, slots: slotsPerChunk(row?.total_chunks ?? 1), parts };
    return known;
  }

  async function listParts(upload: { key: string; uploadId: string }): Promise<StoredPart[]> {
    try {
      return await store.listParts(upload);
    } catch (error) {
      if (error instanceof NoSuchUploadError) return [];
      throw error;
    }
  }

  return {
    operations: createObjectOperations(store),
    async checkParts(chunk: ReceivedChunk): Promise<RangeProblem | undefined> {
      if (chunk.size_bytes === 0) return undefined;
      const { slots, parts } = await partsOf(chunk.assembly_id);
      const first = (chunk.chunk_no - 1) * slots + 1;
      const own = parts.filter(({ partNo }) => partNo >= first && partNo < first + slots);
      const sum = sumParts(own);
      if (own.length === 0) return 'missing';
      if (sum.sizeBytes < chunk.size_bytes) return 'truncated';
      return sum.sizeBytes === chunk.size_bytes && (sum.crc32 ?? chunk.crc32) === chunk.crc32 ? undefined : 'damaged';
    },
    close: () => store.close(),
  };
}
