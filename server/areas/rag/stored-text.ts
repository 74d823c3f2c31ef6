import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { RagDocumentsTable } from '../../storage/database/tables/rag.ts';
import type { PageRange } from '../../chunking/chunking.ts';
import type { ReadReceipt, ReadText } from './reading.ts';

/** The text of a document as it was read; undefined before that. */
export async function readStoredText(
  blobs: Pick<BlobStore, 'open'>,
  { text_blob_id: blobId, pages, receipt }: RagDocumentsTable,
): Promise<ReadText | undefined> {
  if (blobId === null || receipt === null) return undefined;
  const reader = await blobs.open(blobId);
  try {
    const bytes = new Uint8Array(reader.facts.sizeBytes);
    await reader.read(bytes, 0);
    return {
      text: new TextDecoder().decode(bytes),
      pages: JSON.parse(pages ?? '[]') as PageRange[],
      receipt: JSON.parse(receipt) as ReadReceipt,
    };
  } finally {
    await reader.close();
  }
}
