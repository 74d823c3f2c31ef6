import { Value } from 'typebox/value';
import { isoNow, type Clock } from '../../kernel/clock.ts';
import { errors, invalid } from '../../kernel/errors.ts';
import { fileNameOf, fileTypeOf } from '../../kernel/file-path.ts';
import { newId } from '../../kernel/ids.ts';
import { toPage, type Page } from '../../kernel/page.ts';
import { coded } from '../../kernel/sentences.ts';
import { checkText } from '../../kernel/text-fields.ts';
import type { Runs } from '../../runs/index.ts';
import type { BlobStore, StagedBlob } from '../../storage/blobs/blob-store.ts';
import type { Database, Tx } from '../../storage/database/database.ts';
import type { RagChunksTable, RagDocumentsTable } from '../../storage/database/tables/rag.ts';
import type { VectorStore } from '../../storage/vectors/index.ts';
import type { DatasetAccess, SourceFile } from '../data-management/index.ts';
import { ragErrors } from './errors.ts';
import { ingestKind } from './ingest-run.ts';
import { deleteUnit, listChunkPage, listUnitsOfDocument } from './queries/chunks.ts';
import {
  deleteDocument,
  findDocument,
  insertDocuments,
  listDocuments,
  lockDocument,
  updateDocument,
} from './queries/documents.ts';
import { findKnowledgeBase, lockKnowledgeBase } from './queries/knowledge-bases.ts';
import type { ReadReceipt } from './reading.ts';
import {
  DocumentFieldsSchema,
  type ChunksQuery,
  type DocumentsOfDataset,
  type RagChunkView,
  type RagDocumentsQuery,
  type RagDocumentView,
} from './schemas.ts';

/** Files of one call, and bytes of one file. */
const maxFiles = 1000;
const maxFileBytes = 256 << 20;
const maxNameLength = 255;

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

export type RagDocuments = {
  receive(knowledgeBaseId: string, by: string): DocumentReception;
  addFromDataset(knowledgeBaseId: string, given: DocumentsOfDataset, by: string): Promise<Page<RagDocumentView>>;
  list(knowledgeBaseId: string, query: RagDocumentsQuery): Promise<Page<RagDocumentView>>;
  get(knowledgeBaseId: string, id: string): Promise<RagDocumentView>;
  /** Processes it again: from the text if it was read, else from the file. */
  retry(knowledgeBaseId: string, id: string, by: string): Promise<RagDocumentView>;
  /** When it resolves, searches find nothing of the document any more. */
  remove(knowledgeBaseId: string, id: string): Promise<void>;
  listChunks(knowledgeBaseId: string, id: string, query: ChunksQuery): Promise<Page<RagChunkView>>;
  /** Deletes the rows of a document; the caller releases the returned blobs, and removes its chunks from the index. */
  erase(tx: Tx, document: RagDocumentsTable): Promise<string[]>;
};

type Fields = { tags: readonly string[]; metadata: Readonly<Record<string, string>> };

export function createRagDocuments({
  db,
  clock,
  blobs,
  runs,
  vectors,
  datasets,
}: {
  db: Database;
  clock: Clock;
  blobs: BlobStore;
  runs: Runs;
  vectors: VectorStore;
  datasets: DatasetAccess;
}): RagDocuments {
  async function queue(tx: Tx, documentId: string, by: string): Promise<void> {
    await runs.enqueue(tx, { area: ingestKind, taskId: documentId, by, details: {}, datasets: [] });
  }

  async function requireBase(knowledgeBaseId: string): Promise<void> {
    if ((await findKnowledgeBase(db.read, knowledgeBaseId)) === undefined)
      throw ragErrors.KNOWLEDGE_BASE_NOT_FOUND({ id: knowledgeBaseId });
  }

  async function find(knowledgeBaseId: string, id: string): Promise<RagDocumentsTable> {
    const row = await findDocument(db.read, id);
    if (row === undefined || row.knowledge_base_id !== knowledgeBaseId) {
      await requireBase(knowledgeBaseId);
      throw ragErrors.RAG_DOCUMENT_NOT_FOUND({ id });
    }
    return row;
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
      await adopt(tx);
      await insertDocuments(tx, rows);
      for (const { id } of rows) await queue(tx, id, by);
    });
    runs.wake();
    return toPage(rows.map(viewOf), { page: 0, size: Math.max(1, rows.length) }, rows.length);
  }

  function rowOf(
    knowledgeBaseId: string,
    by: string,
    { tags, metadata }: Fields,
    file: Pick<RagDocumentsTable, 'name' | 'file_type' | 'size_bytes' | 'blob_id'> & Partial<RagDocumentsTable>,
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
      text_blob_id: null,
      pages: null,
      receipt: null,
      unit: null,
      chunks: 0,
      created_at: isoNow(clock),
      created_by: by,
      finished_at: null,
      ...file,
    };
  }

  async function erase(tx: Tx, document: RagDocumentsTable): Promise<string[]> {
    const blobIds = [document.blob_id, ...(document.text_blob_id === null ? [] : [document.text_blob_id])];
    for (const { knowledge_base_id: knowledgeBaseId, unit } of await listUnitsOfDocument(tx, document.id))
      blobIds.push(...(await deleteUnit(tx, { knowledgeBaseId, unit })));
    await deleteDocument(tx, document.id);
    await runs.deleteRuns(tx, ingestKind, document.id);
    return blobIds;
  }

  return {
    erase,

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
            throw invalid(name, 'is no field of this call; send each file in the field files');
          const fileName = parseFileName(given);
          if (received.length >= maxFiles) throw invalid('files', `may be given at most ${maxFiles} times in one call`);
          const writer = blobs.create();
          const own = fields;
          let sizeBytes = 0;
          open = writer;
          return {
            write(bytes) {
              sizeBytes += bytes.length;
              if (sizeBytes > maxFileBytes)
                throw errors.PAYLOAD_TOO_LARGE({ what: fileName, limit: `${maxFileBytes} bytes` });
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
            if (staged.length === 0) throw invalid('files', 'is required: at least one file');
            await blobs.flush();
            const rows = received.map(({ name, fields: own, staged: { id, sizeBytes } }) =>
              rowOf(knowledgeBaseId, by, own, {
                name,
                file_type: fileTypeOf(name),
                size_bytes: sizeBytes,
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
      const dataset = await datasets.find(db.read, datasetId);
      if (dataset === undefined) throw ragErrors.RAG_SOURCE_NOT_FOUND({ id: datasetId });
      const version = given ?? dataset.version;
      if (version > dataset.version) throw invalid('version', `must be at most ${dataset.version}`);
      const wanted = fileIds === undefined ? undefined : new Set(fileIds);
      const files: SourceFile[] = [];
      for await (const slice of datasets.walkFiles(db.scan, { datasetId, version, prefix: '', fileTypes: [] })) {
        files.push(...slice.filter(({ fileId }) => wanted?.has(fileId) ?? true));
        if (files.length > maxFiles)
          throw invalid(
            'fileIds',
            `is required for a version with more than ${maxFiles} files; name at most ${maxFiles}`,
          );
      }
      const found = new Set(files.map(({ fileId }) => fileId));
      const missing = fileIds?.find((id) => !found.has(id));
      if (missing !== undefined) throw ragErrors.RAG_SOURCE_FILE_NOT_FOUND({ id: missing, version });
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

    async list(knowledgeBaseId, { page, size, status, keyword }) {
      await requireBase(knowledgeBaseId);
      const filter = { knowledgeBaseId, status, keyword: keyword?.toLowerCase() };
      const { rows, total } = await listDocuments(db.read, filter, { page, size });
      return toPage(rows.map(viewOf), { page, size }, total);
    },

    get: async (knowledgeBaseId, id) => viewOf(await find(knowledgeBaseId, id)),

    async retry(knowledgeBaseId, id, by) {
      await find(knowledgeBaseId, id);
      const row = await db.write(async (tx) => {
        const document = await lockDocument(tx, id);
        if (document === undefined) throw ragErrors.RAG_DOCUMENT_NOT_FOUND({ id });
        if (document.status === 'PENDING' || document.status === 'PROCESSING')
          throw ragErrors.RAG_DOCUMENT_BUSY({ id });
        // A document that was read once is read again only after its reading has failed.
        const values = { status: 'PENDING' as const, cause: null, finished_at: null };
        await updateDocument(tx, id, values);
        await queue(tx, id, by);
        return { ...document, ...values };
      });
      runs.wake();
      return viewOf(row);
    },

    async remove(knowledgeBaseId, id) {
      const document = await find(knowledgeBaseId, id);
      const dimensions = (await findKnowledgeBase(db.read, knowledgeBaseId))?.dimensions ?? null;
      const units = await db.write(async (tx) => {
        const locked = await lockDocument(tx, id);
        if (locked === undefined) throw ragErrors.RAG_DOCUMENT_NOT_FOUND({ id });
        const made = await listUnitsOfDocument(tx, id);
        await blobs.release(tx, await erase(tx, locked));
        return made.map(({ unit }) => unit);
      });
      if (dimensions === null || units.length === 0) return;
      await (await vectors.open(document.knowledge_base_id, dimensions)).remove(units);
    },

    async listChunks(knowledgeBaseId, id, { page, size }) {
      const { unit, chunks } = await find(knowledgeBaseId, id);
      const rows = unit === null ? [] : await listChunkPage(db.read, { knowledgeBaseId, unit }, { page, size });
      return toPage(rows.map(chunkOf), { page, size }, unit === null ? 0 : chunks);
    },
  };
}

export function chunkOf(row: RagChunksTable): RagChunkView {
  return {
    chunkId: chunkIdOf({ unit: row.unit, ordinal: row.chunk_no }),
    text: row.text,
    start: row.start_at,
    end: row.end_at,
    page: row.page,
    headings: JSON.parse(row.headings) as string[],
  };
}

/** Names a chunk within its knowledge base; never used again for another one. */
export function chunkIdOf({ unit, ordinal }: { unit: number; ordinal: number }): string {
  return `${unit}-${ordinal}`;
}

function viewOf(row: RagDocumentsTable): RagDocumentView {
  const hasEnded = row.status !== 'PENDING' && row.status !== 'PROCESSING';
  const read = row.receipt === null ? undefined : (JSON.parse(row.receipt) as ReadReceipt);
  return {
    id: row.id,
    name: row.name,
    fileType: row.file_type,
    fileSize: row.size_bytes,
    status: row.status,
    ...coded('cause', row.cause),
    receipt: hasEnded
      ? {
          pagesIn: read?.pagesIn ?? null,
          pagesOut: read?.pagesOut ?? null,
          characters: read?.characters ?? 0,
          tables: read?.tables ?? 0,
          chunks: row.chunks,
          warnings: read?.warnings ?? [],
          cause: row.cause,
        }
      : null,
    chunkCount: row.chunks,
    datasetId: row.dataset_id,
    fileId: row.file_id,
    datasetVersion: row.dataset_version,
    tags: JSON.parse(row.tags) as string[],
    metadata: JSON.parse(row.metadata) as Record<string, string>,
    createdAt: row.created_at,
    createdBy: row.created_by,
    finishedAt: row.finished_at,
  };
}

/** The name of an uploaded file without the folders that a client may send. */
function parseFileName(given: string): string {
  const name = fileNameOf(given.replaceAll('\\', '/'));
  checkText('files', name);
  if (name === '' || name.length > maxNameLength)
    throw invalid('files', `must have names of 1 to ${maxNameLength} characters`);
  if (name === '.' || name === '..') throw invalid('files', 'must not contain . or .. segments');
  if (/\p{Cc}/u.test(name)) throw invalid('files', 'must not contain control characters');
  return name;
}

function parseField(name: 'tags' | 'metadata', value: string): Partial<Fields> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(value);
  } catch {
    throw invalid(name, 'is not valid JSON');
  }
  const fields = { [name]: parsed };
  if (!Value.Check(DocumentFieldsSchema, fields))
    throw invalid(
      name,
      name === 'tags' ? 'must be a list of at most 50 texts' : 'must be an object of at most 50 texts',
    );
  // As in JSON bodies.
  for (const text of [...(fields.tags ?? []), ...Object.entries(fields.metadata ?? {}).flat()]) checkText(name, text);
  if (Object.hasOwn(fields.metadata ?? {}, '__proto__')) throw invalid('metadata.__proto__', 'is invalid');
  return fields;
}
