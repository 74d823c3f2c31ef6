import { runSentences, type Reason } from '../kernel/sentences/index.ts';
import type { SandboxAnswer } from '../sandbox/index.ts';

/** The result of an answer for a text: texts, a drop with its reason, or a failure. */
export type TextOutcome =
  | { readonly kind: 'texts'; readonly texts: readonly string[] }
  | { readonly kind: 'dropped'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: Reason };

const unusable = runSentences.OPERATOR_NO_ANSWER.reason({});

/** Interprets published code's answer to a sample with `text`. */
export function outcomeOfText(answer: SandboxAnswer, text: string): TextOutcome {
  if (answer.kind === 'same' || answer.kind === 'scored') return { kind: 'texts', texts: [text] };
  if (answer.kind === 'failed')
    return { kind: 'failed', reason: { text: answer.reason, sentence: answer.sentence ?? null } };
  const { outcome } = answer;
  if (Array.isArray(outcome)) {
    const texts = outcome.map((part: unknown) => textOf(part, text));
    return texts.includes(undefined)
      ? { kind: 'failed', reason: unusable }
      : { kind: 'texts', texts: texts.flatMap((one) => one ?? []) };
  }
  if (typeof outcome !== 'object' || outcome === null) return { kind: 'failed', reason: unusable };
  const { verdict, reason, sample } = outcome as Record<string, unknown>;
  if (verdict === 'drop' && typeof reason === 'string') return { kind: 'dropped', reason };
  const kept = textOf(verdict === 'keep' ? sample : outcome, text);
  return kept === undefined ? { kind: 'failed', reason: unusable } : { kind: 'texts', texts: [kept] };
}

/** The text of an answered sample; without one, the text is unchanged. Undefined if the answer is invalid. */
function textOf(sample: unknown, before: string): string | undefined {
  if (typeof sample !== 'object' || sample === null || 'verdict' in sample) return undefined;
  const { text = before } = sample as { text?: unknown };
  return typeof text === 'string' ? text : undefined;
}
