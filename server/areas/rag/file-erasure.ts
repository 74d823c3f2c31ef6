import type { Database } from '../../storage/database/database.ts';
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { VectorStore } from '../../storage/vectors/index.ts';
import type { ContentHolder } from '../data-management/index.ts';
import type { RagDocuments } from './documents.ts';
import type { Following } from './following.ts';
import { listBlobsOfDocuments, listDocumentsOfFiles } from './queries/documents.ts';
import { listIndexes } from './queries/indexes.ts';

/** Erases the documents made from files that are erased from all versions of their dataset. */
export function createFileErasure({
  db,
  blobs,
  documents,
  vectors,
  following,
}: {
  db: Database;
  blobs: Pick<BlobStore, 'wipe'>;
  documents: Pick<RagDocuments, 'removeMany'>;
  vectors: Pick<VectorStore, 'open'>;
  following: Pick<Following, 'tellErased'>;
}): ContentHolder {
  return {
    async eraseFiles(datasetId, fileIds) {
      const found = Map.groupBy(
        await listDocumentsOfFiles(db.read, datasetId, fileIds),
        ({ knowledgeBaseId }) => knowledgeBaseId,
      );
      const erased = [];
      for (const [id, made] of found) {
        const ids = made.map((document) => document.id);
        const blobIds = await listBlobsOfDocuments(db.read, id, ids);
        const { deleted } = await documents.removeMany(id, ids);
        blobs.wipe(blobIds);
        // The index physically keeps removed chunks until its segments are merged.
        for (const { indexId, dimensions } of await listIndexes(db.read, id))
          if (dimensions !== null) await (await vectors.open(indexId, dimensions)).join();
        following.tellErased(id);
        const [first] = made;
        if (first !== undefined && deleted > 0) erased.push({ id, name: first.name, documents: deleted });
      }
      return erased;
    },
  };
}
