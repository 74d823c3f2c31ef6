import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { RagDocumentsTable } from '../../storage/database/tables/rag.ts';
import type { PageRange } from '../../chunking/chunking.ts';
import type { TextSyntax } from '../../chunking/structure.ts';
import { isMarkdownType } from '../../documents/index.ts';
import type { ReadReceipt, ReadText } from './reading.ts';

export type StoredText = ReadText & { syntax: TextSyntax };

/** The text of a document as it was read; undefined before that. */
export async function readStoredText(
  blobs: Pick<BlobStore, 'open'>,
  { text_blob_id: blobId, pages: storedPages, receipt, file_type: fileType }: RagDocumentsTable,
): Promise<StoredText | undefined> {
  if (blobId === null || receipt === null) return undefined;
  const reader = await blobs.open(blobId);
  try {
    const bytes = new Uint8Array(reader.facts.sizeBytes);
    await reader.read(bytes, 0);
    const pages = JSON.parse(storedPages ?? '[]') as PageRange[];
    return {
      text: new TextDecoder().decode(bytes),
      pages,
      // Only documents have pages, whatever their name.
      syntax: pages.length > 0 || isMarkdownType(fileType) ? 'MARKDOWN' : 'PLAIN',
      receipt: JSON.parse(receipt) as ReadReceipt,
    };
  } finally {
    await reader.close();
  }
}
