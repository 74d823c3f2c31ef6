import type { Reason } from '../../kernel/sentences/index.ts';
import { ModelCallError } from '../errors.ts';
import type { Usage } from './provider.ts';
import { modelSentences } from '../sentences.ts';

/** Reads `{results: [{index, relevance_score}]}`. */
export function readRanking(answer: Readonly<Record<string, unknown>>, count: number, host: string): number[] {
  const { results } = answer;
  if (!Array.isArray(results)) throw badAnswer(modelSentences.PROVIDER_NO_RANKING.reason({ host }));
  if (results.length !== count)
    throw badAnswer(modelSentences.PROVIDER_OTHER_RANKING.reason({ host, count: results.length, documents: count }));
  const scores: (number | undefined)[] = Array.from({ length: count });
  for (const result of results as ({ index?: unknown; relevance_score?: unknown } | null)[]) {
    const { index, relevance_score: score } = result ?? {};
    if (typeof index !== 'number' || !(index in scores) || scores[index] !== undefined)
      throw badAnswer(modelSentences.PROVIDER_NO_RANK.reason({ host }));
    if (typeof score !== 'number' || !Number.isFinite(score))
      throw badAnswer(modelSentences.PROVIDER_NO_SCORE.reason({ host }));
    scores[index] = score;
  }
  return scores.filter((score) => score !== undefined);
}

/** The usage as Jina, vLLM or Cohere report it. */
export function readRankingUsage(answer: unknown): Usage | undefined {
  const { usage, meta } = (answer ?? {}) as Record<string, unknown>;
  const { total_tokens: total, prompt_tokens: prompt } = (usage ?? {}) as Record<string, unknown>;
  const { tokens } = (meta ?? {}) as { tokens?: { input_tokens?: unknown } | null };
  for (const input of [total, prompt, tokens?.input_tokens])
    if (typeof input === 'number' && Number.isInteger(input) && input >= 0 && input <= 1_000_000_000)
      return { input, output: 0 };
  return undefined;
}

function badAnswer(reason: Reason): ModelCallError {
  return new ModelCallError('bad-answer', reason, { retryable: true, maybeBilled: true });
}
