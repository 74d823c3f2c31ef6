import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { RagDocumentsTable } from '../../storage/database/tables/rag.ts';
import type { PageRange } from '../../chunking/chunking.ts';
import type { TextSyntax } from '../../chunking/structure.ts';
import { isMarkdownType } from '../../documents/index.ts';
import type { ReadReceipt, ReadText } from './reading.ts';

export type StoredText = ReadText & { syntax: TextSyntax };

/** The extracted text of a document; undefined if it has not been extracted yet. */
export async function readStoredText(
  blobs: Pick<BlobStore, 'open'>,
  document: RagDocumentsTable,
): Promise<StoredText | undefined> {
  if (document.text_blob_id === null || document.receipt === null) return undefined;
  const reader = await blobs.open(document.text_blob_id);
  try {
    const bytes = new Uint8Array(reader.facts.sizeBytes);
    await reader.read(bytes, 0);
    return storedTextOf(document, new TextDecoder().decode(bytes));
  } finally {
    await reader.close();
  }
}

/** A text with what is stored about it. */
export function storedTextOf(
  { pages: storedPages, receipt, file_type: fileType }: RagDocumentsTable,
  text: string,
): StoredText | undefined {
  if (receipt === null) return undefined;
  const pages = JSON.parse(storedPages ?? '[]') as PageRange[];
  return {
    text,
    pages,
    // Only documents (as opposed to plain text) have pages, and their text is Markdown whatever the file type.
    syntax: pages.length > 0 || isMarkdownType(fileType) ? 'MARKDOWN' : 'PLAIN',
    receipt: JSON.parse(receipt) as ReadReceipt,
  };
}
