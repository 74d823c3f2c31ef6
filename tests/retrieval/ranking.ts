// The questions of the campaign, and the evaluation of the results.
import assert from 'node:assert/strict';
import { makeClozes } from '../../server/models/builtin/cloze.ts';
import type { TestHit, TestKnowledgeBase } from '../support/knowledge-bases.ts';
import type { Api } from '../support/api.ts';
import type { CampaignDocument } from './package-documents.ts';

export const modes = ['VECTOR', 'KEYWORD', 'HYBRID'] as const;
export type Mode = (typeof modes)[number];
export type Chunk = { chunkId: string; documentId: string; text: string; headings: string[] };
/** A question about one target: the chunk it was made from, or the document with that title. */
export type Question = { question: string; of: 'chunk' | 'document'; id: string; language: 'en' | 'zh' };
export type Figures = { recall: number; mrr: number; ndcg: number };

type Data<T> = { data: T };

/** Returns all chunks that searches find, and checks that all counts agree. */
export async function reconcile(service: Api, base: TestKnowledgeBase, uploaded: number): Promise<Chunk[]> {
  const documents = await base.settled();
  assert.equal(documents.length, uploaded, 'one document for each file');
  const chunks: Chunk[] = [];
  for (const { id, name, status, cause, chunkCount, receipt } of documents) {
    assert.ok(receipt !== null, `${name} has no receipt`);
    assert.ok(['COMPLETED', 'PARTIAL', 'FAILED'].includes(status), name);
    assert.equal(cause !== null && cause !== '', status === 'FAILED', `${name}: ${cause}`);
    assert.equal(receipt.chunks, chunkCount, name);
    assert.equal(chunkCount > 0, status !== 'FAILED', name);
    if (status === 'PARTIAL') assert.ok((receipt.pagesOut ?? 0) < (receipt.pagesIn ?? 0), name);
    let listed = 0;
    for (let page = 0; listed < chunkCount; page += 1) {
      type Page = Data<{ content: Omit<Chunk, 'documentId'>[]; totalElements: number }>;
      const { body } = await service.api<Page>('GET', `${base.path}/documents/${id}/chunks?size=1000&page=${page}`);
      assert.equal(body.data.totalElements, chunkCount, name);
      assert.ok(body.data.content.length > 0, name);
      for (const { chunkId, text, headings } of body.data.content)
        chunks.push({ chunkId, documentId: id, text, headings });
      listed += body.data.content.length;
    }
  }
  type Base = Data<{ documentCount: number; chunkCount: number; documentsByStatus: Record<string, number> }>;
  const { data } = (await service.api<Base>('GET', base.path)).body;
  assert.equal(data.documentCount, uploaded);
  assert.equal(data.chunkCount, chunks.length);
  const byStatus = Map.groupBy(documents, ({ status }) => status);
  for (const [status, count] of Object.entries(data.documentsByStatus))
    assert.equal(count, byStatus.get(status as 'FAILED')?.length ?? 0, status);
  assert.equal(new Set(chunks.map(({ chunkId }) => chunkId)).size, chunks.length, 'no chunk twice');
  return chunks;
}

/** Questions made from evenly spaced chunks, each with a term left out, and titles of documents. */
export function makeQuestions(chunks: readonly Chunk[], titles: ReadonlyMap<string, string>, most: number): Question[] {
  const languageOf = (text: string): Question['language'] => (/\p{Script=Han}/u.test(text) ? 'zh' : 'en');
  const questions: Question[] = [];
  for (const [language, all] of Map.groupBy(chunks, ({ text }) => languageOf(text))) {
    const wanted = questions.length + most / 2;
    // Some chunks contain no sentence to ask about.
    for (let at = 0; at < all.length && questions.length < wanted; at += Math.max(1, all.length / (most * 2))) {
      const chunk = all[Math.floor(at)];
      const question = chunk === undefined ? undefined : makeClozes(chunk.text)[0]?.question;
      if (chunk !== undefined && question !== undefined)
        questions.push({ question, of: 'chunk', id: chunk.chunkId, language });
    }
  }
  // A title shared by several documents identifies none of them.
  const unique = Map.groupBy(titles, ([, title]) => title.toLowerCase());
  const asked = [...unique].filter(([title, all]) => title !== '' && all.length === 1);
  const stride = Math.max(1, asked.length / most);
  for (let at = 0; at < asked.length; at += stride) {
    const [id, title] = asked[Math.floor(at)]?.[1][0] ?? [];
    if (id !== undefined && title !== undefined)
      questions.push({ question: title, of: 'document', id, language: languageOf(title) });
  }
  return questions;
}

export function titlesOf(
  documents: readonly CampaignDocument[],
  added: readonly { id: string; name: string; chunkCount: number }[],
): Map<string, string> {
  const byName = new Map(documents.map(({ name, title = '' }) => [name, title]));
  return new Map(
    added.flatMap(({ id, name, chunkCount }) => {
      const title = byName.get(name) ?? '';
      return title === '' || chunkCount === 0 ? [] : [[id, title] as const];
    }),
  );
}

export const depth = 10;

/** The rank of each question's target, from 1; 0 if it is not among the first ten. */
export async function ranksOf(
  base: TestKnowledgeBase,
  questions: readonly Question[],
  settings: object,
): Promise<number[]> {
  const ranks: number[] = [];
  for (const { question, of, id } of questions) {
    const hits = await base.search({ query: question, topK: depth, ...settings });
    ranks.push(rankOf(hits, of, id));
  }
  return ranks;
}

function rankOf(hits: readonly TestHit[], of: Question['of'], id: string): number {
  const found = [...new Set(hits.map((hit) => (of === 'chunk' ? hit.chunkId : hit.documentId)))];
  return found.indexOf(id) + 1;
}

/** Recall@10, MRR@10 and nDCG@10 with one relevant result. */
export function figuresOf(ranks: readonly number[]): Figures {
  const mean = (of: (rank: number) => number): number =>
    ranks.reduce((sum, rank) => sum + (rank === 0 ? 0 : of(rank)), 0) / Math.max(1, ranks.length);
  return { recall: mean(() => 1), mrr: mean((rank) => 1 / rank), ndcg: mean((rank) => 1 / Math.log2(rank + 1)) };
}
