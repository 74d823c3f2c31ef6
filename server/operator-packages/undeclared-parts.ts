import { isDeepStrictEqual } from 'node:util';
import type { SandboxAnswer } from '../sandbox/index.ts';

type Declared = {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** The names to look for; default: any. */
  readonly names?: readonly string[];
};

/**
 * The first name in an answer that its manifest does not declare, and that would therefore be ignored. Parts that the
 * code received may be returned unchanged.
 */
export function findUndeclared(
  answer: SandboxAnswer,
  given: unknown,
  { reads, writes, names }: Declared,
): string | undefined {
  if (answer.kind !== 'outcome') return undefined;
  const known = typeof given === 'string' ? { text: given } : asObject(given);
  for (const sample of samplesIn(answer.outcome)) {
    for (const [name, value] of Object.entries(sample)) {
      if (writes.includes(name) || name === 'replies' || names?.includes(name) === false) continue;
      if (!reads.includes(name) || !isDeepStrictEqual(value, known[name])) return name;
    }
  }
  return undefined;
}

function samplesIn(outcome: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (Array.isArray(outcome)) return outcome.map(asObject);
  const { verdict, sample } = asObject(outcome);
  if (verdict !== undefined) return verdict === 'keep' ? [asObject(sample)] : [];
  return 'ask' in asObject(outcome) ? [] : [asObject(outcome)];
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
