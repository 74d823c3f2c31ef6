import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fusionParts, isWithoutWords, requestOf, vectorShare } from './search-request.ts';

test('what stands in the address becomes a search, and what is not given stays out of it', () => {
  assert.deepEqual(requestOf({ q: ' soil ' }), { query: 'soil', mode: 'HYBRID', topK: 10 });
  assert.deepEqual(
    requestOf({
      q: 'soil',
      mode: 'HYBRID',
      topK: 5,
      minScore: 0.4,
      vector: 80,
      types: 'pdf, md',
      tags: 'farm',
      dataset: 'a',
      after: '2026-01-02',
      before: '2026-01-03',
    }),
    {
      query: 'soil',
      mode: 'HYBRID',
      topK: 5,
      minScore: 0.4,
      weights: { vector: 80, keyword: 20 },
      filter: {
        fileTypes: ['pdf', 'md'],
        tags: ['farm'],
        datasetIds: ['a'],
        createdAfter: '2026-01-02T00:00:00.000Z',
        createdBefore: '2026-01-04T00:00:00.000Z',
      },
    },
  );
  assert.equal(
    requestOf({ q: 'soil', mode: 'VECTOR', vector: 80 }).weights,
    undefined,
    'one list alone has no weights',
  );
});

test('the parts of a hybrid score add up to it', () => {
  const { vector, keyword } = fusionParts({ vector: 2, keyword: null }, { vector: 3, keyword: 1 });
  assert.equal(keyword, 0);
  assert.ok(Math.abs(vector - (3 * 61) / 62 / 4) < 1e-12);
  const even = { vector: 1, keyword: 1 };
  assert.deepEqual(fusionParts({ vector: 1, keyword: 1 }, even), { vector: 0.5, keyword: 0.5 });
  assert.deepEqual([vectorShare(even), vectorShare({ vector: 1, keyword: 3 })], [50, 25]);
});

test('documents, metadata, neighbours and a reranker are asked for as the address says', () => {
  const search = { q: 'soil', documents: 'a,b', metadata: 'author=Miller, place=a=b, nothing', expand: 2, rerank: 'r' };
  assert.deepEqual(requestOf(search), {
    query: 'soil',
    mode: 'HYBRID',
    topK: 10,
    expand: 2,
    rerank: { model: 'r' },
    filter: { documentIds: ['a', 'b'], metadata: { author: 'Miller', place: 'a=b' } },
  });
});

test('a hit is without words only if hybrid search found none of the query in it', () => {
  const scores = { vector: 0.1, keyword: null, rerank: null };
  assert.ok(isWithoutWords({ scores, highlights: [] }, {}));
  assert.ok(!isWithoutWords({ scores, highlights: [] }, { mode: 'VECTOR' }));
  assert.ok(!isWithoutWords({ scores: { ...scores, keyword: 2 }, highlights: [] }, {}));
  assert.ok(!isWithoutWords({ scores, highlights: [{ start: 0, end: 4 }] }, {}), 'beyond the candidates by words');
});
