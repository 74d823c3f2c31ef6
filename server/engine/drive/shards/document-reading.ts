import { open } from 'node:fs/promises';
import { findSignature, isDocumentType, signatureBytes, type Documents } from '../../../documents/index.ts';
import { fileTypeOf } from '../../../kernel/file-path.ts';
import { formatOf } from '../../../tables/formats.ts';
import { formatPathOf, type PlacedPiece } from '../../orders/shard.ts';

/**
 * Reads the documents among the pieces, several concurrently: a worker receives their text and never their bytes.
 * Documents after the first `maxDocuments` are not read. `owner` is the run that they are read for.
 */
export async function readDocuments(
  documents: Documents,
  pieces: readonly PlacedPiece[],
  { signal, owner, maxDocuments = Infinity }: { signal: AbortSignal; owner: string; maxDocuments?: number },
): Promise<PlacedPiece[]> {
  const failed = new AbortController();
  const anySignal = AbortSignal.any([signal, failed.signal]);
  let begun = 0;
  const readings = pieces.map(async (piece): Promise<PlacedPiece> => {
    const { place, sizeBytes } = piece;
    if (place === null || piece.range !== undefined || begun >= maxDocuments) return piece;
    const fileType = fileTypeOf(formatPathOf(piece));
    if (!isDocumentType(fileType)) {
      if (formatOf(fileType) !== 'unknown' || !(await looksLikeDocument(place))) return piece;
    }
    begun += 1;
    return {
      ...piece,
      document: await documents.read({ ...place, sizeBytes, ...crc32Of(piece) }, fileType, anySignal, owner),
    };
  });
  try {
    return await Promise.all(readings);
  } catch (error) {
    // The other documents are no longer needed: aborting frees the readers for other runs.
    failed.abort(error);
    await Promise.allSettled(readings);
    throw error;
  }
}

function crc32Of({ check }: PlacedPiece): { crc32?: number } {
  return check === undefined ? {} : { crc32: check.crc32 };
}

/**
 * Detects a document by its first bytes if its extension says nothing; damage is found later, when the whole file is
 * read.
 */
async function looksLikeDocument({ path, offset }: { path: string; offset: number }): Promise<boolean> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return false;
  try {
    const head = new Uint8Array(signatureBytes);
    const { bytesRead } = await file.read(head, 0, head.length, offset);
    const signature = findSignature(head.subarray(0, bytesRead));
    // HTML is also text: templates and source code with HTML stay as they are.
    return signature !== undefined && signature !== 'html';
  } finally {
    await file.close();
  }
}
