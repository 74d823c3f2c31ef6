/** The values of a sentence by name; a value may be a sentence itself. */
export type SentenceParams = { readonly [name: string]: string | number | Sentence };

/** A sentence of a catalogue by its code, which clients show in their language. */
export type Sentence = { readonly code: string; readonly params: SentenceParams };

/**
 * Why something failed or was left out: the English text, and the sentence that it was written from. Words of others,
 * such as a published operator or a model's provider, have no sentence.
 */
export type Reason = { readonly text: string; readonly sentence: Sentence | null };

/** A reason in the words of others. */
export function foreign(text: string): Reason {
  return { text, sentence: null };
}

/** The same reason as the beginning of a line: its first letter is a capital. */
export function capitalized({ text, sentence }: Reason): Reason {
  return { text: text.charAt(0).toUpperCase() + text.slice(1), sentence };
}

/** The same reason with each of its texts rewritten: its own, and those among its values. */
export function rewritten({ text, sentence }: Reason, rewrite: (text: string) => string): Reason {
  return { text: rewrite(text), sentence: sentence === null ? null : rewrittenSentence(sentence, rewrite) };
}

function rewrittenSentence({ code, params }: Sentence, rewrite: (text: string) => string): Sentence {
  const values = Object.entries(params).map(([name, value]) => {
    if (typeof value === 'number') return [name, value] as const;
    return [name, typeof value === 'string' ? rewrite(value) : rewrittenSentence(value, rewrite)] as const;
  });
  return { code, params: Object.fromEntries(values) };
}

/** The text of a value of a message. */
export function textOf(value: string | number | Reason | undefined): string | undefined {
  return typeof value === 'object' ? value.text : value?.toString();
}
