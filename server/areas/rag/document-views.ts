import type { ChunkPage } from '../../chunking/chunking.ts';
import { sentencesOf } from '../../documents/index.ts';
import { codedReason, storedReason } from '../../kernel/sentences/index.ts';
import type { RagChunksTable, RagDocumentsTable } from '../../storage/database/tables/rag.ts';
import type { ReadReceipt } from './reading.ts';
import type { SameContent } from './same-content.ts';
import type { RagChunkView } from './schemas/chunks.ts';
import type { RagDocumentView } from './schemas/documents.ts';

export function toChunk(row: RagChunksTable): RagChunkView {
  return {
    chunkId: chunkIdOf({ unit: row.unit, ordinal: row.chunk_no }),
    text: row.text,
    start: row.start_at,
    end: row.end_at,
    page: row.page,
    pages: pagesOf(row).map(({ page }) => page),
    headings: JSON.parse(row.headings) as string[],
  };
}

/** Where the pages of a chunk start in it. */
export function pagesOf({ page, pages }: Pick<RagChunksTable, 'page' | 'pages'>): ChunkPage[] {
  if (pages !== null) return JSON.parse(pages) as ChunkPage[];
  return page === null ? [] : [{ page, start: 0 }];
}

/** Id of a chunk within its knowledge base; never reused. */
export function chunkIdOf({ unit, ordinal }: { unit: number; ordinal: number }): string {
  return `${unit}-${ordinal}`;
}

/**
 * The API's view of a document; `isRebuilt`: its knowledge base is being rebuilt, `same`: an earlier identical
 * document.
 */
export function toDocument(row: RagDocumentsTable, isRebuilt: boolean, same: SameContent | undefined): RagDocumentView {
  const hasEnded = row.status !== 'PENDING' && row.status !== 'PROCESSING';
  const read = row.receipt === null ? undefined : (JSON.parse(row.receipt) as ReadReceipt);
  return {
    id: row.id,
    name: row.name,
    fileType: row.file_type,
    fileSize: row.size_bytes,
    status: row.status,
    ...codedReason('cause', storedReason('cause', row)),
    receipt: hasEnded
      ? {
          pageKind: read?.pageKind ?? null,
          pagesIn: read?.pagesIn ?? null,
          pagesOut: read?.pagesOut ?? null,
          characters: read?.characters ?? 0,
          tables: read?.tables ?? 0,
          chunks: row.chunks,
          warnings: read?.warnings ?? [],
          ...sentencesOf(read ?? { warnings: [] }),
          cause: row.cause,
        }
      : null,
    chunkCount: row.chunks,
    sameContentAs: same ?? null,
    rebuild: isRebuilt && row.unit !== null ? toDocumentRebuild(row) : null,
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

function toDocumentRebuild(row: RagDocumentsTable) {
  const cause = storedReason('next_cause', row);
  const status = row.next_unit !== null ? 'COMPLETED' : cause !== null ? 'FAILED' : 'PENDING';
  return { status, chunkCount: row.next_chunks, ...codedReason('cause', cause) } as const;
}
