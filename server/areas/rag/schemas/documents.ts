import { type Static, Type } from 'typebox';
import {
  codeFields,
  DocumentReceiptSchema,
  IdSchema,
  namedObject,
  nullable,
  oneOf,
  pageOf,
  pageQuery,
  sentencesOf,
  sortQuery,
  TimestampSchema,
} from '../../../http/schemas.ts';
import { documentStatuses } from './document-statuses.ts';
import { recordOf } from '../../../kernel/record-schema.ts';

const rebuildStatuses = ['PENDING', 'COMPLETED', 'FAILED'] as const;

export const DocumentParams = Type.Object({ knowledgeBaseId: IdSchema, documentId: IdSchema });

const ReceiptSchema = namedObject('RagReceipt', {
  pageKind: DocumentReceiptSchema.properties.pageKind,
  pagesIn: nullable(Type.Integer({ description: 'Pages, slides or sheets; null if the format has none' })),
  pagesOut: nullable(Type.Integer()),
  characters: Type.Integer(),
  tables: Type.Integer(),
  chunks: Type.Integer(),
  warnings: Type.Array(Type.String()),
  warningSentences: sentencesOf('warnings'),
  leftOut: DocumentReceiptSchema.properties.leftOut,
  replaced: DocumentReceiptSchema.properties.replaced,
  cause: nullable(Type.String()),
});

const tags = Type.Array(Type.String({ minLength: 1, maxLength: 50 }), { maxItems: 50 });

/** Enough for a body with a thousand document ids and a query. */
export const idsBodyLimit = 256 * 1024;

const metadata = recordOf(Type.String({ maxLength: 1000 }), {
  maxProperties: 50,
});

export const RagDocumentSchema = namedObject('RagDocument', {
  id: IdSchema,
  name: Type.String(),
  fileType: Type.String(),
  fileSize: Type.Integer(),
  status: oneOf('RagDocumentStatus', documentStatuses),
  cause: nullable(Type.String({ description: 'Why it failed' })),
  ...codeFields('cause'),
  receipt: Type.Union([ReceiptSchema, Type.Null()], { description: 'Null until processing has ended' }),
  chunkCount: Type.Integer(),
  rebuild: Type.Union(
    [
      namedObject('RagDocumentRebuild', {
        status: oneOf('RagDocumentRebuildStatus', rebuildStatuses),
        chunkCount: Type.Integer(),
        cause: nullable(Type.String()),
        ...codeFields('cause'),
      }),
      Type.Null(),
    ],
    { description: 'The document in the index that is being rebuilt; null if there is no rebuild' },
  ),
  sameContentAs: Type.Union([namedObject('RagSameContent', { id: IdSchema, name: Type.String() }), Type.Null()], {
    description: 'The earliest document of the knowledge base with the same bytes, if it is earlier than this one',
  }),
  datasetId: nullable(Type.String()),
  fileId: nullable(Type.String()),
  datasetVersion: nullable(Type.Integer()),
  tags: Type.Array(Type.String()),
  metadata: recordOf(Type.String()),
  createdAt: TimestampSchema,
  createdBy: Type.String(),
  finishedAt: nullable(TimestampSchema),
});

export type RagDocumentView = Static<typeof RagDocumentSchema>;

export const RagDocumentPageSchema = pageOf(RagDocumentSchema);

export const documentSortFields = ['name', 'fileSize', 'status', 'chunkCount', 'createdAt'] as const;

export const RagDocumentsQuery = Type.Object({
  ...pageQuery,
  status: Type.Optional(oneOf('RagDocumentStatus', documentStatuses)),
  keyword: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the name' })),
  rebuild: Type.Optional(
    oneOf('RagDocumentRebuildStatus', rebuildStatuses, { description: 'Status in the index that is being rebuilt' }),
  ),
  sort: sortQuery('RagDocumentSort', documentSortFields),
});

export type RagDocumentsQuery = Static<typeof RagDocumentsQuery>;

/** The JSON form: files of a dataset. */
export const DocumentsOfDatasetBody = namedObject('RagDocumentsOfDataset', {
  datasetId: IdSchema,
  fileIds: Type.Optional(Type.Array(IdSchema, { minItems: 1, maxItems: 1000, description: 'Default: all files' })),
  version: Type.Optional(
    Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Default: the current one' }),
  ),
  tags: Type.Optional(tags),
  metadata: Type.Optional(metadata),
});

export type DocumentsOfDataset = Static<typeof DocumentsOfDatasetBody>;

export const DocumentsDeletionBody = namedObject('RagDocumentsDeletion', {
  documentIds: Type.Array(IdSchema, { minItems: 1, maxItems: 1000 }),
});

export const DocumentsDeletionResultSchema = namedObject('RagDocumentsDeletionResult', {
  deleted: Type.Integer({ description: 'Deleted documents' }),
  notFound: Type.Array(IdSchema, { description: 'IDs that match no document in the knowledge base' }),
});

export type DocumentsDeletionResult = Static<typeof DocumentsDeletionResultSchema>;

export const RagLimitsSchema = namedObject('RagLimits', {
  documents: Type.Integer({ description: 'Maximum number of documents in a knowledge base' }),
  documentBytes: Type.Integer({ description: 'Maximum bytes of a document' }),
  documentCharacters: Type.Integer({ description: 'Maximum characters in the text of a document' }),
});

export type RagLimits = Static<typeof RagLimitsSchema>;

/** The multipart form: files from the caller. */
export const DocumentFilesForm = namedObject('RagDocumentFiles', {
  tags: Type.Optional(Type.String({ description: 'JSON: list of strings; precedes the files that it applies to' })),
  metadata: Type.Optional(
    Type.String({ description: 'JSON: object with string values; precedes the files that it applies to' }),
  ),
  files: Type.Array(Type.Unsafe<string>({ type: 'string', format: 'binary' })),
});

export const DocumentFieldsSchema = Type.Object({ tags: Type.Optional(tags), metadata: Type.Optional(metadata) });
