import assert from 'node:assert/strict';
import { test } from 'node:test';
import { intervalOf, measureRanking } from './metrics.ts';

test('recall, reciprocal rank and nDCG of known rankings', () => {
  assert.deepEqual(measureRanking(['a', 'b'], new Set(['a']), 2), { recall: 1, mrr: 1, ndcg: 1 });
  assert.deepEqual(measureRanking(['b', 'a', 'a'], new Set(['a']), 3), { recall: 1, mrr: 0.5, ndcg: 1 / Math.log2(3) });
  assert.deepEqual(measureRanking([], new Set(['a']), 10), { recall: 0, mrr: 0, ndcg: 0 });
  const two = measureRanking(['x', 'a', 'y', 'b'], new Set(['a', 'b']), 4);
  assert.deepEqual([two.recall, two.mrr], [1, 0.5]);
  assert.equal(two.ndcg, (1 / Math.log2(3) + 1 / Math.log2(5)) / (1 + 1 / Math.log2(3)));
  assert.equal(measureRanking(['a'], new Set(['a', 'b']), 1).ndcg, 1, 'of one place no more can be asked');
  const few = measureRanking(['a'], new Set(['a', 'b']), 10);
  assert.deepEqual(
    [few.recall, few.ndcg],
    [0.5, 1 / (1 + 1 / Math.log2(3))],
    'a search that finds too little is worse',
  );
});

test('an interval holds the mean, narrows with more values, and is the same each time', () => {
  const few = [0, 1, 1, 0, 1];
  const many = Array.from({ length: 40 }, () => few).flat();
  const [low, high] = intervalOf(few);
  assert.ok(low < 0.6 && high > 0.6 && high <= 1);
  const [lower, higher] = intervalOf(many);
  assert.ok(higher - lower < high - low && lower < 0.6 && higher > 0.6);
  assert.deepEqual(intervalOf(few), [low, high]);
  assert.deepEqual(intervalOf([1, 1]), [1, 1]);
});
