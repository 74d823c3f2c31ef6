import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.ts';
import { addressOf } from '../../api/path-prefix.ts';
import { ragKeys } from './rag-queries.ts';

export type PageRange = { page: number; start: number; end: number };
/** A chunk without its text, which is part of the document's. */
export type ChunkRange = { chunkId: string; start: number; end: number; page: number | null; headings: string[] };
/** A document's structure; `pages` is empty if it has none. */
export type DocumentOutline = { length: number; pages: readonly PageRange[]; chunks: readonly ChunkRange[] };

const chunksPerCall = 1_000;
/** Limit of one call, in code points. */
const textPerCall = 100_000;

/** Address of the original file; supports ranges. */
export function contentUrl(knowledgeBaseId: string, documentId: string): string {
  return addressOf(
    `/api/v1/rag/knowledge-bases/${encodeURIComponent(knowledgeBaseId)}/documents/${encodeURIComponent(documentId)}/content`,
  );
}

/**
 * Where the pages and chunks of a document begin and end. `made` identifies how it was read and split, so that a change reloads
 * the outline.
 */
export const outlineQuery = (knowledgeBaseId: string, documentId: string, made: string) =>
  queryOptions({
    queryKey: [...ragKeys.base(knowledgeBaseId), 'document', documentId, 'outline', made],
    queryFn: async ({ signal }): Promise<DocumentOutline> => {
      const path = { knowledgeBaseId, documentId };
      const pages = new Map<number, PageRange>();
      let length = 0;
      let from = 0;
      do {
        const { text: _text, ...part } = await textOf(knowledgeBaseId, documentId, from, from + textPerCall, signal);
        length = part.length;
        for (const page of part.pages) pages.set(page.page, page);
        // Without pages, only the length is of interest.
        from = part.pages.length === 0 ? length : part.end;
      } while (from < length);
      const chunks: ChunkRange[] = [];
      for (let page = 0, last = false; !last; page++) {
        const { data } = await dataOf(
          api.GET('/api/v1/rag/knowledge-bases/{knowledgeBaseId}/documents/{documentId}/chunks', {
            params: { path, query: { page, size: chunksPerCall } },
            signal,
          }),
        );
        chunks.push(...data.content.map(({ text: _text, ...range }) => range));
        last = data.last;
      }
      return { length, pages: [...pages.values()].sort((one, other) => one.page - other.page), chunks };
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

/** A part of the extracted text; offsets count code points. */
export const textQuery = (
  knowledgeBaseId: string,
  documentId: string,
  made: string,
  range: { start: number; end: number },
) =>
  queryOptions({
    queryKey: [...ragKeys.base(knowledgeBaseId), 'document', documentId, 'text', made, range],
    queryFn: async ({ signal }) => {
      let text = '';
      for (let from = range.start; from < range.end; from += textPerCall) {
        const to = Math.min(range.end, from + textPerCall);
        text += (await textOf(knowledgeBaseId, documentId, from, to, signal)).text;
      }
      return text;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

async function textOf(knowledgeBaseId: string, documentId: string, start: number, end: number, signal: AbortSignal) {
  const { data } = await dataOf(
    api.GET('/api/v1/rag/knowledge-bases/{knowledgeBaseId}/documents/{documentId}/text', {
      params: { path: { knowledgeBaseId, documentId }, query: { start, end } },
      signal,
    }),
  );
  return data;
}
