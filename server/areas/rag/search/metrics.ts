/** Quality metrics of a ranking for one question. */
export type QuestionMetrics = { recall: number; mrr: number; ndcg: number };

/**
 * Recall, reciprocal rank and nDCG of a ranking at `k` with binary relevance (Järvelin and Kekäläinen 2002), from 0 to
 * 1. Equal to trec_eval, also if the search found fewer than `k`. Each relevant item counts once, at its first rank.
 * `relevant` must not be empty.
 */
export function measureRanking(ranking: readonly string[], relevant: ReadonlySet<string>, k: number): QuestionMetrics {
  const seen = new Set<string>();
  let [gain, first] = [0, 0];
  // Several chunks of one document count as one hit, and the later hits move up.
  const places = [...new Set(ranking)];
  places.forEach((one, rank) => {
    if (!relevant.has(one)) return;
    seen.add(one);
    if (first === 0) first = rank + 1;
    gain += 1 / Math.log2(rank + 2);
  });
  let ideal = 0;
  for (let rank = 0; rank < Math.min(relevant.size, k); rank++) ideal += 1 / Math.log2(rank + 2);
  return { recall: seen.size / relevant.size, mrr: first === 0 ? 0 : 1 / first, ndcg: gain / ideal };
}

const resamples = 1_000;

/** The 95 % bootstrap interval of a mean (Efron 1979), deterministic for the same number of values. */
export function intervalOf(values: readonly number[]): [number, number] {
  if (values.length === 0) return [0, 0];
  const random = generatorOf(values.length);
  const means = Float64Array.from({ length: resamples }, () => {
    let sum = 0;
    for (let drawn = 0; drawn < values.length; drawn++) sum += values[Math.floor(random() * values.length)] ?? 0;
    return sum / values.length;
  }).sort();
  return [means[Math.floor(resamples * 0.025)] ?? 0, means[Math.ceil(resamples * 0.975) - 1] ?? 0];
}

/** A generator of numbers from 0 to 1 (mulberry32). */
function generatorOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
