import { foreign, recognized, rewritten, runSentences, type Reason, type Sentence } from './sentences/index.ts';

/** Counts of failures by reason; the keys are those under which the row of a run stores them. */
export type FailureCounts = Map<string, CountedFailure>;

export type CountedFailure = { readonly reason: Reason; readonly count: number };

/**
 * Columns of a run: JSON of counts by reason, and of the sentences of the reasons. A process of an earlier release
 * counts by the texts alone, whose sentences are then found by their words.
 */
export type FailureColumns = { failures: string; failure_sentences: string | null };

/** Maximum number of reasons counted separately; further ones are counted together. */
const maxReasons = 200;

/** A reason is a sentence, not a document; neither is a value of it. */
const maxReasonLength = 300;

/** All further reasons. */
export const otherReasons = runSentences.OTHER_REASONS.reason({});

/** Begins the key of a reason in the words of others; an earlier release shows it as it is, as nothing. */
const others = '\u2060';

/** Counts failures by reason; a negative count subtracts. */
export function countFailure(counts: FailureCounts, reason: Reason, count = 1): void {
  const short = shortReason(reason);
  const known = keyOf(short);
  const isCounted = counts.has(known) || counts.size < maxReasons;
  const [key, counted] = isCounted ? [known, short] : [keyOf(otherReasons), otherReasons];
  const sum = (counts.get(key)?.count ?? 0) + count;
  // Work that is redone subtracts its earlier failures.
  if (sum > 0) counts.set(key, { reason: counted, count: sum });
  else counts.delete(key);
}

/** The counts of a single reason. */
export function failuresOf(reason: Reason, count = 1): FailureCounts {
  const short = shortReason(reason);
  return new Map([[keyOf(short), { reason: short, count }]]);
}

/** Adds counts by reason to those of a run's row. */
export function addFailures(held: FailureColumns, added: FailureCounts): FailureColumns {
  const counts: FailureCounts = new Map(failuresIn(held).map((failure) => [keyOf(failure.reason), failure]));
  for (const { reason, count } of added.values()) countFailure(counts, reason, count);
  const entries = [...counts];
  const sentences = entries.flatMap(([key, { reason }]) =>
    reason.sentence === null ? [] : [[key, reason.sentence] as const],
  );
  return {
    failures: JSON.stringify(Object.fromEntries(entries.map(([key, { count }]) => [key, count]))),
    failure_sentences: JSON.stringify(Object.fromEntries(sentences)),
  };
}

/** The counts of a run's row. */
export function failuresIn({ failures, failure_sentences: stored }: FailureColumns): CountedFailure[] {
  const sentences = JSON.parse(stored ?? '{}') as Record<string, Sentence>;
  return Object.entries(JSON.parse(failures) as Record<string, number>).map(([key, count]) => {
    if (key.startsWith(others)) return { reason: foreign(key.slice(others.length)), count };
    const sentence = Object.hasOwn(sentences, key) ? sentences[key] : undefined;
    return { reason: sentence === undefined ? recognized(key) : { text: key, sentence }, count };
  });
}

function keyOf({ text, sentence }: Reason): string {
  return sentence === null ? `${others}${text}` : text;
}

function shortReason(reason: Reason): Reason {
  return rewritten(reason, shortText);
}

function shortText(text: string): string {
  return text.length > maxReasonLength ? `${text.slice(0, maxReasonLength - 1)}…` : text;
}
