import { storedReason } from '../../kernel/sentences/index.ts';
import { invalid } from '../../kernel/errors.ts';
import { parameterProblems } from '../../kernel/parameter-problems.ts';
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import { createBlobSource } from '../../storage/blobs/blob-source.ts';
import { blobErrors } from '../../storage/blobs/errors.ts';
import type { ByteSource } from '../../kernel/byte-source.ts';
import type { PageRange } from '../../chunking/chunking.ts';
import type { RagDocuments } from './documents.ts';
import { ragErrors } from './errors.ts';
import type { RagTextView, TextQuery } from './schemas/chunks.ts';

/** The extracted texts of documents, and their original bytes. */
export type DocumentTexts = {
  /** Returns a range of the extracted text. Throws RAG_TEXT_NOT_READ if it has not been extracted yet. */
  text(knowledgeBaseId: string, id: string, range: TextQuery): Promise<RagTextView>;
  /** Returns the bytes of the original file. */
  content(
    knowledgeBaseId: string,
    id: string,
  ): Promise<{ source: ByteSource; tag: string; contentType: string; fileName: string }>;
};

const maxCodePoints = 100_000;
const pieceBytes = 1 << 16;

export function createDocumentTexts({
  blobs,
  documents,
}: {
  blobs: Pick<BlobStore, 'open' | 'find'>;
  documents: Pick<RagDocuments, 'find'>;
}): DocumentTexts {
  return {
    async text(knowledgeBaseId, id, { start = 0, end = start + maxCodePoints }) {
      if (end < start) throw invalid('end', parameterProblems.MUST_BE_AT_LEAST.reason({ limit: 'start' }));
      if (end - start > maxCodePoints)
        throw invalid('end', parameterProblems.MUST_BE_AT_MOST.reason({ limit: `start + ${maxCodePoints}` }));
      const document = await documents.find(knowledgeBaseId, id);
      const { text_blob_id: blobId, pages, status } = document;
      if (blobId === null)
        throw ragErrors.RAG_TEXT_NOT_READ({
          id,
          cause:
            (status === 'FAILED' ? storedReason('cause', document) : null) ??
            (status === 'FAILED' ? 'it could not be read' : 'it was not read yet'),
        });
      return readPart(blobs, blobId, { start, end }, JSON.parse(pages ?? '[]') as PageRange[]);
    },
    async content(knowledgeBaseId, id) {
      const { blob_id: blobId, name } = await documents.find(knowledgeBaseId, id);
      const facts = await blobs.find(blobId);
      if (facts === undefined) throw blobErrors.BLOB_MISSING({ id: blobId });
      const source = createBlobSource(blobs, facts);
      return { source, tag: blobId, contentType: 'application/octet-stream', fileName: name.split('/').at(-1) ?? name };
    },
  };
}

/** Reads the stored text in pieces, counting code points, and keeps only the wanted range. */
async function readPart(
  blobs: Pick<BlobStore, 'open'>,
  blobId: string,
  wanted: { start: number; end: number },
  pages: readonly PageRange[],
): Promise<RagTextView> {
  const reader = await blobs.open(blobId);
  try {
    const kept: Buffer[] = [];
    const bounds = new Map(pages.flatMap(({ start, end }) => [start, end]).map((unit) => [unit, 0]));
    const units = [...bounds.keys()].sort((one, other) => one - other);
    let next = 0;
    let [points, codeUnits] = [0, 0];
    /** Records the code-point count at every requested code-unit offset up to the current one. */
    const reach = (): void => {
      for (; next < units.length && (units[next] ?? 0) <= codeUnits; next++) bounds.set(units[next] ?? 0, points);
    };
    for (let at = 0; at < reader.facts.sizeBytes; at += pieceBytes) {
      const piece = Buffer.alloc(Math.min(pieceBytes, reader.facts.sizeBytes - at));
      for (let filled = 0; filled < piece.length;) {
        const read = await reader.read(piece.subarray(filled), at + filled);
        if (read === 0) throw blobErrors.BLOB_DAMAGED({ id: blobId });
        filled += read;
      }
      let from: number | undefined = points > wanted.start && points <= wanted.end ? 0 : undefined;
      let to = piece.length;
      for (let index = 0; index < piece.length; index++) {
        const byte = piece[index] ?? 0;
        // Continuation bytes of UTF-8 start no code point.
        if ((byte & 0xc0) === 0x80) continue;
        reach();
        if (points === wanted.start) from = index;
        if (points === wanted.end) to = index;
        points += 1;
        codeUnits += byte >= 0xf0 ? 2 : 1;
      }
      if (from !== undefined && from < to) kept.push(piece.subarray(from, to));
    }
    reach();
    const start = Math.min(wanted.start, points);
    const end = Math.min(wanted.end, points);
    const inPoints = pages.map((page) => ({
      page: page.number,
      start: bounds.get(page.start) ?? points,
      end: bounds.get(page.end) ?? points,
    }));
    return {
      text: Buffer.concat(kept).toString(),
      start,
      end,
      length: points,
      pages: inPoints.filter((page) => page.start < end && page.end > start),
    };
  } finally {
    await reader.close();
  }
}
