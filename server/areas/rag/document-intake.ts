import { Check } from 'typebox/schema';
import { isoNow, type Clock } from '../../kernel/clock.ts';
import { errors, invalid } from '../../kernel/errors.ts';
import { parameterProblems } from '../../kernel/parameter-problems.ts';
import { fileTypeOf, parseFilePath } from '../../kernel/file-path.ts';
import { newId } from '../../kernel/ids.ts';
import { toPage, type Page } from '../../kernel/page.ts';
import { checkText } from '../../kernel/text-fields.ts';
import type { Runs } from '../../runs/index.ts';
import type { BlobStore, StagedBlob } from '../../storage/blobs/blob-store.ts';
import type { Database, Tx } from '../../storage/database/database.ts';
import type { RagDocumentsTable } from '../../storage/database/tables/rag.ts';
import { requireSource, taskErrors } from '../../tasks/index.ts';
import type { DatasetAccess, SourceFile } from '../data-management/index.ts';
import { toDocument } from './document-views.ts';
import { ragErrors } from './errors.ts';
import { ingestKind, type RagDocumentLimits } from './ingest-run.ts';
import { countDocumentsOf, insertDocuments } from './queries/documents.ts';
import { findKnowledgeBase, lockKnowledgeBase } from './queries/knowledge-bases.ts';
import { findSameContent } from './same-content.ts';
import { DocumentFieldsSchema, type DocumentsOfDataset, type RagDocumentView } from './schemas/documents.ts';

/** Files of one call. */
const maxFiles = 1000;

/** A form with files that become documents; the fields before a file belong to it and all that follow. */
export type DocumentReception = {
  readonly maxParts: number;
  field(name: string, value: string): void;
  file(part: {
    name: string;
    fileName: string | undefined;
  }): Promise<{ write(bytes: Buffer): Promise<void> | undefined; end(): Promise<void> }>;
  finish(): Promise<Page<RagDocumentView>>;
  abort(): Promise<void>;
};

/** New documents of knowledge bases: uploaded, or files of datasets. */
export type DocumentIntake = {
  receive(knowledgeBaseId: string, by: string): DocumentReception;
  addFromDataset(knowledgeBaseId: string, given: DocumentsOfDataset, by: string): Promise<Page<RagDocumentView>>;
};

const maxMetadataName = 100;

type Fields = { tags: readonly string[]; metadata: Readonly<Record<string, string>> };

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
  async function requireBase(knowledgeBaseId: string): Promise<void> {
    if ((await findKnowledgeBase(db.read, knowledgeBaseId)) === undefined)
      throw ragErrors.KNOWLEDGE_BASE_NOT_FOUND({ id: knowledgeBaseId });
  }

  /** Stores rows and queues their runs, in one transaction. */
  async function add(
    knowledgeBaseId: string,
    rows: readonly RagDocumentsTable[],
    by: string,
    adopt: (tx: Tx) => Promise<void>,
  ): Promise<Page<RagDocumentView>> {
    await db.write(async (tx) => {
      if ((await lockKnowledgeBase(tx, knowledgeBaseId)) === undefined)
        throw ragErrors.KNOWLEDGE_BASE_NOT_FOUND({ id: knowledgeBaseId });
      const count = await countDocumentsOf(tx, knowledgeBaseId);
      if (count + rows.length > maxDocuments)
        throw ragErrors.RAG_TOO_MANY_DOCUMENTS({ count, more: rows.length, limit: maxDocuments });
      await adopt(tx);
      await insertDocuments(tx, rows);
      await runs.enqueueFirst(
        tx,
        rows.map(({ id }) => {
          return { area: ingestKind, taskId: id, owner: knowledgeBaseId, by, details: {}, datasets: [] };
        }),
      );
    });
    runs.wake();
    const same = await findSameContent({ db: db.read, blobs }, rows);
    return toPage(
      rows.map((row) => toDocument(row, false, same.get(row.id))),
      { page: 0, size: Math.max(1, rows.length) },
      rows.length,
    );
  }

  function rowOf(
    knowledgeBaseId: string,
    by: string,
    { tags, metadata }: Fields,
    file: Pick<RagDocumentsTable, 'name' | 'file_type' | 'size_bytes' | 'crc32' | 'blob_id'> &
      Partial<RagDocumentsTable>,
  ): RagDocumentsTable {
    return {
      id: newId(),
      knowledge_base_id: knowledgeBaseId,
      dataset_id: null,
      file_id: null,
      dataset_version: null,
      tags: JSON.stringify(tags),
      metadata: JSON.stringify(metadata),
      status: 'PENDING',
      cause: null,
      readings: 0,
      text_blob_id: null,
      pages: null,
      receipt: null,
      unit: null,
      chunks: 0,
      next_unit: null,
      next_chunks: 0,
      next_cause: null,
      found_revision: 0,
      next_found_revision: 0,
      created_at: isoNow(clock),
      created_by: by,
      finished_at: null,
      ...file,
    };
  }

  return {
    receive(knowledgeBaseId, by) {
      const received: { name: string; fields: Fields; staged: StagedBlob }[] = [];
      let fields: Fields = { tags: [], metadata: {} };
      let open: { abort(): Promise<void> } | undefined;
      return {
        maxParts: maxFiles + 100,
        field(name, value) {
          if (name !== 'tags' && name !== 'metadata') return;
          fields = { ...fields, ...parseField(name, value) };
        },
        async file({ name, fileName: given = '' }) {
          if (received.length === 0) await requireBase(knowledgeBaseId);
          if (name !== 'files' && name !== 'file')
            throw invalid(name, parameterProblems.IS_NO_FIELD_OF_FILES({ field: 'files' }));
          const fileName = parseFilePath('files', given);
          if (received.length >= maxFiles) throw invalid('files', parameterProblems.MANY_FILES({ limit: maxFiles }));
          const writer = blobs.create();
          const own = fields;
          let sizeBytes = 0;
          open = writer;
          return {
            write(bytes) {
              sizeBytes += bytes.length;
              if (sizeBytes > maxBytes) throw errors.PAYLOAD_TOO_LARGE({ what: fileName, limit: `${maxBytes} bytes` });
              return writer.write(bytes);
            },
            async end() {
              received.push({ name: fileName, fields: own, staged: await writer.finish() });
              open = undefined;
            },
          };
        },
        async finish() {
          const staged = received.map((one) => one.staged);
          try {
            if (staged.length === 0) throw invalid('files', parameterProblems.NEEDS_FILE({}));
            await blobs.flush();
            const rows = received.map(({ name, fields: own, staged: { id, sizeBytes, crc32 } }) =>
              rowOf(knowledgeBaseId, by, own, {
                name,
                file_type: fileTypeOf(name),
                size_bytes: sizeBytes,
                crc32,
                blob_id: id,
              }),
            );
            return await add(knowledgeBaseId, rows, by, (tx) => blobs.adopt(tx, staged));
          } finally {
            await blobs.settle(staged);
          }
        },
        async abort() {
          await open?.abort();
          await blobs.settle(received.map((one) => one.staged));
        },
      };
    },

    async addFromDataset(knowledgeBaseId, { datasetId, fileIds, version: given, tags = [], metadata = {} }, by) {
      await requireBase(knowledgeBaseId);
      checkNames(metadata);
      const dataset = requireSource(await datasets.find(db.read, datasetId), datasetId, given);
      const version = given ?? dataset.version;
      const wanted = fileIds === undefined ? undefined : new Set(fileIds);
      const files: SourceFile[] = [];
      for await (const slice of datasets.walkFiles(db.scan, { datasetId, version, prefix: '', fileTypes: [] })) {
        files.push(...slice.filter(({ fileId }) => wanted?.has(fileId) ?? true));
        if (files.length > maxFiles)
          throw invalid('fileIds', parameterProblems.NEEDS_FILE_IDS({ limit: maxFiles, most: maxFiles }));
      }
      const found = new Set(files.map(({ fileId }) => fileId));
      const missing = fileIds?.find((id) => !found.has(id));
      if (missing !== undefined) throw taskErrors.SOURCE_FILE_NOT_FOUND({ id: missing, version });
      const blobIds = files.flatMap(({ blobId }) => blobId ?? []);
      const checksums = new Map((await blobs.findAll(blobIds)).map(({ id, crc32 }) => [id, crc32]));
      const rows = files.flatMap(({ fileId, path, sizeBytes, blobId }) =>
        blobId === null
          ? []
          : rowOf(
              knowledgeBaseId,
              by,
              { tags, metadata },
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
            ),
      );
      return add(knowledgeBaseId, rows, by, (tx) =>
        blobs.retain(
          tx,
          rows.map(({ blob_id: id }) => id),
        ),
      );
    },
  };
}

/** Throws INVALID_PARAMETER; a JSON schema of any names does not limit their length. */
function checkNames(metadata: Fields['metadata']): void {
  if (Object.keys(metadata).some((name) => name === '' || name.length > maxMetadataName))
    throw invalid('metadata', parameterProblems.MUST_HAVE_NAMES({ limit: maxMetadataName }));
}

function parseField(name: 'tags' | 'metadata', value: string): Partial<Fields> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(value);
  } catch {
    throw invalid(name, parameterProblems.IS_NO_JSON({ where: '' }));
  }
  const fields = { [name]: parsed };
  if (!Check(DocumentFieldsSchema, fields))
    throw invalid(
      name,
      name === 'tags'
        ? parameterProblems.MUST_BE_LIST_OF_TEXTS({ limit: 50 })
        : parameterProblems.MUST_BE_OBJECT_OF_TEXTS({ limit: 50 }),
    );
  // As in JSON bodies.
  for (const text of [...(fields.tags ?? []), ...Object.entries(fields.metadata ?? {}).flat()]) checkText(name, text);
  checkNames(fields.metadata ?? {});
  if (Object.hasOwn(fields.metadata ?? {}, '__proto__'))
    throw invalid('metadata.__proto__', parameterProblems.IS_INVALID({}));
  return fields;
}
