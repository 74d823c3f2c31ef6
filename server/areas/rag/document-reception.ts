import { errors, invalid } from '../../kernel/errors.ts';
import { parameterProblems } from '../../kernel/parameter-problems.ts';
import { fileTypeOf, parseFilePath } from '../../kernel/file-path.ts';
import type { Page } from '../../kernel/page.ts';
import type { BlobStore, StagedBlob } from '../../storage/blobs/blob-store.ts';
import { parseField, type DocumentFields } from './document-fields.ts';
import type { NewDocuments } from './new-documents.ts';
import type { RagDocumentView } from './schemas/documents.ts';

/** Maximum number of files per call. */
export const maxFiles = 1000;

/** A form whose files become documents; a field applies to all files after it. */
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

export function createDocumentReception(
  to: { knowledgeBaseId: string; by: string },
  { blobs, documents, maxBytes }: { blobs: BlobStore; documents: NewDocuments; maxBytes: number },
): DocumentReception {
  const received: { name: string; fields: DocumentFields; staged: StagedBlob }[] = [];
  let fields: DocumentFields = { tags: [], metadata: {} };
  let open: { abort(): Promise<void> } | undefined;
  return {
    maxParts: maxFiles + 100,
    field(name, value) {
      if (name !== 'tags' && name !== 'metadata') return;
      fields = { ...fields, ...parseField(name, value) };
    },
    async file({ name, fileName: given = '' }) {
      if (received.length === 0) await documents.requireBase(to.knowledgeBaseId);
      if (name !== 'files' && name !== 'file')
        throw invalid(name, parameterProblems.IS_NO_FIELD_OF_FILES.reason({ field: 'files' }));
      const fileName = parseFilePath('files', given);
      if (received.length >= maxFiles) throw invalid('files', parameterProblems.MANY_FILES.reason({ limit: maxFiles }));
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
        if (staged.length === 0) throw invalid('files', parameterProblems.NEEDS_FILE.reason({}));
        await blobs.flush();
        const files = received.map(({ name, fields: own, staged: { id, sizeBytes, crc32 } }) => ({
          fields: own,
          file: { name, file_type: fileTypeOf(name), size_bytes: sizeBytes, crc32, blob_id: id },
        }));
        return await documents.add(to, files, (tx) => blobs.adopt(tx, staged));
      } finally {
        await blobs.settle(staged);
      }
    },
    async abort() {
      await open?.abort();
      await blobs.settle(received.map((one) => one.staged));
    },
  };
}
