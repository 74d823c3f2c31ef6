/** What a model and the word index get of a chunk: the headings above it, and its text. */
export function wordsOf({ text, headings }: { text: string; headings: readonly string[] }): string {
  return headings.length === 0 ? text : `${headings.join(' > ')}\n\n${text}`;
}
