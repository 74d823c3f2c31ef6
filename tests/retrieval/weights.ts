// Compares weightings of query words with the built-in embedding: chosen on one half of the questions, reported for the
// other.
import { createWordWeighing } from '../../server/areas/rag/search/word-weights.ts';
import { hashDimensions, hashEmbedding } from '../../server/models/builtin/hash-embedding.ts';
import { depth, figuresOf, type Chunk, type Question } from './ranking.ts';

/** Powers of the weight that searches use, the root of the inverse document frequency. */
const weightings = {
  'no weights': () => 1,
  'the root': (root: number) => root,
  'the inverse document frequency': (root: number) => root * root,
};

/** Compares all vectors for each question; prints recall@10 and MRR@10 of every weighting on both halves. */
export async function tableOfWeights(chunks: readonly Chunk[], questions: readonly Question[]): Promise<string> {
  const vectors = chunks.map((chunk) => hashEmbedding(wordsOf(chunk)));
  const weightOf = await createWordWeighing().weightsOf({
    id: 'all',
    revision: 1,
    listUnits: async () => [{ unit: 0, chunks: chunks.length }],
    findChunks: async (places) =>
      places.flatMap(({ ordinal }) => {
        const { text, headings } = chunks[ordinal] ?? { text: '', headings: [] };
        return [{ text, headings: JSON.stringify(headings) }];
      }),
  });
  const lines = Object.entries(weightings).map(([name, weigh]) => {
    const ranks = questions.map(({ question, of, id }) => {
      const query = hashEmbedding(question, (feature) => weigh(weightOf(feature)));
      const best = nearest(vectors, query).map((at) => chunks[at]);
      return [...new Set(best.map((one) => (of === 'chunk' ? one?.chunkId : one?.documentId)))].indexOf(id) + 1;
    });
    const halves = [0, 1].map((half) => {
      const { recall, mrr } = figuresOf(ranks.filter((_rank, at) => at % 2 === half));
      return `${recall.toFixed(3)} | ${mrr.toFixed(3)}`;
    });
    return `| ${name} | ${halves.join(' | ')} |`;
  });
  return `| Words of a query by | Recall@10, first half | MRR@10 | Recall@10, second half | MRR@10 |\n|---|---|---|---|---|\n${lines.join('\n')}\n`;
}

function wordsOf({ text, headings }: Chunk): string {
  return headings.length === 0 ? text : `${headings.join(' > ')}\n\n${text}`;
}

function nearest(vectors: readonly Float32Array[], query: Float32Array): number[] {
  const scores = Float32Array.from(vectors, (vector) => {
    let sum = 0;
    for (let at = 0; at < hashDimensions; at++) sum += (vector[at] ?? 0) * (query[at] ?? 0);
    return sum;
  });
  const best: number[] = [];
  for (const [at, score] of scores.entries()) {
    if (best.length === depth && score <= (scores[best[depth - 1] ?? 0] ?? 0)) continue;
    const place = best.findIndex((one) => (scores[one] ?? 0) < score);
    best.splice(place === -1 ? best.length : place, 0, at);
    best.length = Math.min(best.length, depth);
  }
  return best;
}
