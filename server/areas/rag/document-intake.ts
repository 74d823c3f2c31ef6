import type { Clock } from '../../kernel/clock.ts';
import { invalid } from '../../kernel/errors.ts';
import { parameterProblems } from '../../kernel/parameter-problems.ts';
import { fileTypeOf } from '../../kernel/file-path.ts';
import type { Page } from '../../kernel/page.ts';
import type { Runs } from '../../runs/index.ts';
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { Database } from '../../storage/database/database.ts';
import { requireSource, taskErrors } from '../../tasks/index.ts';
import type { DatasetAccess, SourceFile } from '../data-management/index.ts';
import { checkNames } from './document-fields.ts';
import { createDocumentReception, maxFiles, type DocumentReception } from './document-reception.ts';
import { createNewDocuments } from './new-documents.ts';
import type { DocumentsOfDataset, RagDocumentView } from './schemas/documents.ts';
import type { RagDocumentLimits } from './ingest.ts';

/** Adds documents to knowledge bases: uploads, or files of datasets. */
export type DocumentIntake = {
  receive(knowledgeBaseId: string, by: string): DocumentReception;
  addFromDataset(knowledgeBaseId: string, given: DocumentsOfDataset, by: string): Promise<Page<RagDocumentView>>;
};

export function createDocumentIntake({
  db,
  clock,
  blobs,
  runs,
  datasets,
  limits: { maxDocuments, maxBytes },
}: {
  db: Database;
  clock: Clock;
  blobs: BlobStore;
  runs: Pick<Runs, 'enqueueFirst' | 'wake'>;
  datasets: DatasetAccess;
  limits: Pick<RagDocumentLimits, 'maxDocuments' | 'maxBytes'>;
}): DocumentIntake {
  const documents = createNewDocuments({ db, clock, blobs, runs, maxDocuments });
  return {
    receive: (knowledgeBaseId, by) => createDocumentReception({ knowledgeBaseId, by }, { blobs, documents, maxBytes }),

    async addFromDataset(knowledgeBaseId, { datasetId, fileIds, version: given, tags = [], metadata = {} }, by) {
      await documents.requireBase(knowledgeBaseId);
      checkNames(metadata);
      const dataset = requireSource(await datasets.find(db.read, datasetId), datasetId, given);
      const version = given ?? dataset.version;
      const wanted = fileIds === undefined ? undefined : new Set(fileIds);
      const files: SourceFile[] = [];
      for await (const slice of datasets.walkFiles(db.scan, { datasetId, version, prefix: '', fileTypes: [] })) {
        files.push(...slice.filter(({ fileId }) => wanted?.has(fileId) ?? true));
        if (files.length > maxFiles)
          throw invalid('fileIds', parameterProblems.NEEDS_FILE_IDS.reason({ limit: maxFiles, most: maxFiles }));
      }
      const found = new Set(files.map(({ fileId }) => fileId));
      const missing = fileIds?.find((id) => !found.has(id));
      if (missing !== undefined) throw taskErrors.SOURCE_FILE_NOT_FOUND({ id: missing, version });
      const blobIds = files.flatMap(({ blobId }) => blobId ?? []);
      const checksums = new Map((await blobs.findAll(blobIds)).map(({ id, crc32 }) => [id, crc32]));
      const added = files.flatMap(({ fileId, path, sizeBytes, blobId }) =>
        blobId === null
          ? []
          : [
              {
                name: path,
                file_type: fileTypeOf(path),
                size_bytes: sizeBytes,
                crc32: checksums.get(blobId) ?? 0,
                blob_id: blobId,
                dataset_id: datasetId,
                file_id: fileId,
                dataset_version: version,
              },
            ],
      );
      return documents.add(
        { knowledgeBaseId, by },
        added.map((file) => ({ fields: { tags, metadata }, file })),
        (tx) =>
          blobs.retain(
            tx,
            added.map(({ blob_id: id }) => id),
          ),
      );
    },
  };
}
