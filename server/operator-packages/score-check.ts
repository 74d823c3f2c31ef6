import type { Reason } from '../kernel/sentences/index.ts';
import type { SandboxAnswer } from '../sandbox/index.ts';
import type { OperatorManifest } from './manifest.ts';
import { packageProblems } from './sentences.ts';

/**
 * Why a threshold filter's answer could not be re-evaluated with other thresholds: it has no score, or its score
 * contradicts the verdict. The web app moves thresholds over the scores of finished runs and relies on this.
 */
export function findScoreProblem(
  { thresholds = [] }: OperatorManifest,
  params: Readonly<Record<string, unknown>>,
  text: string,
  answer: SandboxAnswer,
): Reason | undefined {
  if (thresholds.length === 0 || answer.kind === 'failed') return undefined;
  const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  const { score, isKept } = scoreOf(answer);
  if (score === undefined) return packageProblems.SCORE_MISSING.reason({ text: shown });
  const isWithin = thresholds.every(({ param, direction }) => {
    const limit = params[param];
    if (typeof limit !== 'number') return true;
    return direction === 'min' ? score >= limit : score <= limit;
  });
  return isWithin === isKept ? undefined : packageProblems.SCORE_DIFFERS.reason({ score, text: shown });
}

function scoreOf(answer: SandboxAnswer): { score: number | undefined; isKept: boolean } {
  if (answer.kind === 'scored') return { score: answer.score, isKept: true };
  if (answer.kind !== 'outcome' || typeof answer.outcome !== 'object' || answer.outcome === null) {
    return { score: undefined, isKept: true };
  }
  const { verdict, score } = answer.outcome as { verdict?: unknown; score?: unknown };
  const isScore = typeof score === 'number' && Number.isFinite(score);
  return { score: isScore ? score : undefined, isKept: verdict !== 'drop' };
}
