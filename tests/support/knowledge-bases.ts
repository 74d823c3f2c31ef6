import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import type { Api } from './api.ts';

/** A Markdown document with two headings. */
export const soil = `# Soil

Tillage loosens the upper layer of the soil. A disc harrow cuts the roots of weeds.

## Water

Irrigation brings water to dry fields, and drains lead it away.
`;

export type TestDocument = {
  id: string;
  name: string;
  status: string;
  cause: string | null;
  chunkCount: number;
  finishedAt: string | null;
  receipt: {
    pageKind: string | null;
    pagesIn: number | null;
    pagesOut: number | null;
    chunks: number;
    warnings: string[];
  } | null;
};
export type TestHit = {
  chunkId: string;
  documentId: string;
  documentName: string;
  text: string;
  score: number;
  scores: { vector: number | null; keyword: number | null };
  ranks: { vector: number | null; keyword: number | null };
  start: number;
  end: number;
  page: number | null;
  pages: number[];
  headings: string[];
  highlights: { start: number; end: number }[];
  neighbours?: { text: string }[];
};
type Data<T> = { data: T };
type Listed<T> = Data<{ content: T[]; totalElements: number }>;

/** A knowledge base of a service, through its API. */
export type TestKnowledgeBase = {
  id: string;
  path: string;
  /** Uploads files by their names; returns the documents. */
  add(
    files: Readonly<Record<string, string | Uint8Array>>,
    fields?: Readonly<Record<string, string>>,
  ): Promise<TestDocument[]>;
  /** All documents, once none is being processed. */
  settled(): Promise<TestDocument[]>;
  /** Searches; waits while the index is being rebuilt. */
  search(request: object): Promise<TestHit[]>;
};

let made = 0;

export async function createKnowledgeBase(service: Pick<Api, 'api'>, given: object = {}): Promise<TestKnowledgeBase> {
  const name = `Base ${(made += 1)}`;
  const created = await service.api<Data<{ id: string }>>('POST', '/rag/knowledge-bases', { name, ...given });
  assert.equal(created.status, 201, JSON.stringify(created.body));
  const { id } = created.body.data;
  const path = `/rag/knowledge-bases/${id}`;
  return {
    id,
    path,
    async add(files, fields = {}) {
      const form = new FormData();
      for (const [field, value] of Object.entries(fields)) form.set(field, value);
      for (const [file, content] of Object.entries(files))
        form.append('files', new Blob([typeof content === 'string' ? content : new Uint8Array(content)]), file);
      const { status, body } = await service.api<Listed<TestDocument>>('POST', `${path}/documents`, form);
      assert.equal(status, 201, JSON.stringify(body));
      return body.data.content;
    },
    async settled() {
      for (;;) {
        const { body } = await service.api<Listed<TestDocument>>('GET', `${path}/documents?size=1000`);
        const { content } = body.data;
        if (content.every(({ status }) => status !== 'PENDING' && status !== 'PROCESSING')) return content;
        await setTimeout(20);
      }
    },
    async search(request) {
      for (const end = Date.now() + 120_000; ;) {
        const asked = await service.api<Data<{ hits: TestHit[] }> & { errorCode?: string }>(
          'POST',
          `${path}/search`,
          request,
        );
        const { status, body } = asked;
        if (body.errorCode === 'KNOWLEDGE_BASE_INDEX_REBUILDING' && Date.now() < end) {
          await setTimeout(50);
          continue;
        }
        assert.equal(status, 200, JSON.stringify(body));
        return body.data.hits;
      }
    },
  };
}
