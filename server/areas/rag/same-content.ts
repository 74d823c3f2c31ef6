import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { Db } from '../../storage/database/database.ts';
import type { RagDocumentsTable } from '../../storage/database/tables/rag.ts';
import { findDocuments, listSameContent } from './queries/documents.ts';

export type SameContent = { id: string; name: string };

/**
 * Finds, for documents whose bytes their knowledge base already has, the earliest document with these bytes. Documents
 * whose SHA-256 is not computed yet are left out.
 */
export async function findSameContent(
  { db, blobs }: { db: Db; blobs: Pick<BlobStore, 'findAll'> },
  rows: readonly Pick<RagDocumentsTable, 'id' | 'blob_id'>[],
): Promise<Map<string, SameContent>> {
  const candidates = await listSameContent(
    db,
    rows.map(({ id }) => id),
  );
  if (candidates.length === 0) return new Map();
  const others = new Map((await findDocuments(db, [...new Set(candidates.map(({ other }) => other))])).map(byId));
  const own = new Map(rows.map(byId));
  const blobIds = [...own.values(), ...others.values()].map((row) => row.blob_id);
  const digests = new Map((await blobs.findAll([...new Set(blobIds)])).map(({ id, sha256 }) => [id, sha256]));
  return new Map(
    candidates.flatMap(({ id, other }) => {
      const found = others.get(other);
      const digest = digests.get(own.get(id)?.blob_id ?? '') ?? '';
      // Different bytes may share size and CRC-32.
      if (found === undefined || digest === '' || digests.get(found.blob_id) !== digest) return [];
      return [[id, { id: found.id, name: found.name }]];
    }),
  );
}

function byId<Row extends { id: string }>(row: Row): [string, Row] {
  return [row.id, row];
}
