// Calls of a knowledge base that benchmarks share.
import { setTimeout } from 'node:timers/promises';
import { postJson, type RunningService } from './running-service.ts';

/** Files per request. */
const filesAtOnce = 500;

type Data<T> = { data: T };
type Caller = Pick<RunningService, 'headers'>;
export type ListedChunk = { chunkId: string; text: string; headings: string[] };
export type NamedFile = { name: string; content: string | Uint8Array<ArrayBuffer> };

/** Creates a knowledge base; returns its address. */
export async function createBase({ api, headers }: Pick<RunningService, 'api' | 'headers'>): Promise<string> {
  const name = `Bench ${performance.now()}`;
  const { data } = (await postJson(`${api}/rag/knowledge-bases`, { name }, headers)) as Data<{ id: string }>;
  return `${api}/rag/knowledge-bases/${data.id}`;
}

/** Adds documents, many per request. */
export async function addDocuments({ headers }: Caller, base: string, files: readonly NamedFile[]): Promise<void> {
  for (let from = 0; from < files.length; from += filesAtOnce) {
    const form = new FormData();
    for (const { name, content } of files.slice(from, from + filesAtOnce))
      form.append('files', new Blob([content]), name);
    const response = await fetch(`${base}/documents`, { method: 'POST', headers, body: form });
    if (response.status !== 201) throw new Error(`The upload was answered with ${response.status}`);
    await response.arrayBuffer();
  }
}

type Base = Data<{ documentsByStatus: Record<string, number>; chunkCount: number }>;

/** How many documents have not begun. */
export async function countWaiting({ headers }: Caller, base: string): Promise<number> {
  const { data } = (await (await fetch(base, { headers })).json()) as Base;
  return data.documentsByStatus['PENDING'] ?? 0;
}

/** Waits until all documents are complete; returns the number of their chunks. */
export async function settle({ headers }: Caller, base: string): Promise<number> {
  for (;;) {
    const { data } = (await (await fetch(base, { headers })).json()) as Base;
    const { PENDING = 0, PROCESSING = 0, FAILED = 0, PARTIAL = 0 } = data.documentsByStatus;
    if (FAILED + PARTIAL > 0) throw new Error(`${FAILED} documents failed, ${PARTIAL} are partial`);
    if (PENDING + PROCESSING === 0) return data.chunkCount;
    await setTimeout(100);
  }
}

/** All chunks of a knowledge base, document by document. */
export async function listChunks({ headers }: Caller, base: string): Promise<ListedChunk[]> {
  const chunks: ListedChunk[] = [];
  type Page<T> = Data<{ content: T[]; last: boolean }>;
  for (let page = 0, isLast = false; !isLast; page += 1) {
    const listed = (await (await fetch(`${base}/documents?size=1000&page=${page}`, { headers })).json()) as Page<{
      id: string;
    }>;
    isLast = listed.data.last;
    for (const { id } of listed.data.content) {
      for (let part = 0, isEnd = false; !isEnd; part += 1) {
        const address = `${base}/documents/${id}/chunks?size=1000&page=${part}`;
        const own = (await (await fetch(address, { headers })).json()) as Page<ListedChunk>;
        isEnd = own.data.last;
        chunks.push(...own.data.content);
      }
    }
  }
  return chunks;
}

/** How many hits a search by words has. */
export async function findByWord({ headers }: Caller, base: string, word: string): Promise<number> {
  const { data } = (await postJson(`${base}/search`, { query: word, mode: 'KEYWORD' }, headers)) as Data<{
    hits: unknown[];
  }>;
  return data.hits.length;
}
