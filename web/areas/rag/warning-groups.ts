import { sayKind, saySentence } from '../../messages/sentences.ts';

type Sentence = { code: string; params: unknown };

/** Warnings of one kind: the common wording, with an ellipsis for what differs, and each warning. */
export type WarningGroup = { words: string; each: readonly string[] };

/** Groups warnings by kind, in the order in which each kind first occurs. */
export function groupWarnings(
  texts: readonly string[],
  sentences: readonly (Sentence | null)[],
  language: string,
): WarningGroup[] {
  const groups = new Map<string, { first: Sentence | null; text: string; each: string[] }>();
  for (const [at, text] of texts.entries()) {
    const sentence = sentences[at] ?? null;
    const said = sentence === null ? text : saySentence(sentence, text, language);
    const key = sentence?.code ?? text;
    const group = groups.get(key) ?? { first: sentence, text, each: [] };
    group.each.push(said);
    groups.set(key, group);
  }
  return Array.from(groups.values(), ({ first, text, each }) => {
    const isSame = first === null || each.every((one) => one === each[0]);
    return { words: isSame ? (each[0] ?? text) : sayKind(first.code, withoutValues(first, text), language), each };
  });
}

/** The service's English wording, with an ellipsis for each value. */
function withoutValues({ params }: Sentence, text: string): string {
  let words = text;
  for (const value of Object.values((params ?? {}) as Readonly<Record<string, unknown>>))
    if (typeof value === 'string' || typeof value === 'number') words = words.replace(String(value), '…');
  return words;
}
