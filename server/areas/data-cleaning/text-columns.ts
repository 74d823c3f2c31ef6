import { invalid } from '../../kernel/errors.ts';
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import { firstRows, guessTextField, headBytes } from '../../tables/jsonl.ts';
import type { SourceFile } from './queries.ts';

/**
 * Whether the column that holds the text can be told in each of the tables, from their first rows; throws
 * INVALID_PARAMETER for the first one where it can't. A table that can't be read says nothing.
 */
export async function checkTextColumns(blobs: Pick<BlobStore, 'open'>, tables: readonly SourceFile[]): Promise<void> {
  for (const { path, blob_id, size_bytes } of tables) {
    if (blob_id === null) continue;
    const head = await readHead(blobs, blob_id, Math.min(size_bytes, headBytes));
    const guess = guessTextField(firstRows(head, head.length === size_bytes, 100));
    if (guess === undefined || guess.ok) continue;
    const found =
      guess.candidates.length === 0 ? 'has no string column' : `has the string columns ${guess.candidates.join(', ')}`;
    throw invalid('input.textField', `is needed: ${path} ${found} and none named text`);
  }
}

async function readHead(blobs: Pick<BlobStore, 'open'>, blobId: string, length: number): Promise<Uint8Array> {
  const reader = await blobs.open(blobId);
  try {
    const head = new Uint8Array(length);
    return head.subarray(0, await reader.read(head, 0));
  } finally {
    await reader.close();
  }
}
