/** Keeps the first of equal parts; `keyOf` is undefined for a part that always stays. */
export function withoutRepeats(parts: readonly string[], keyOf: (part: string) => string | undefined): string[] {
  const seen = new Set<string>();
  return parts.filter((part) => {
    const key = keyOf(part);
    if (key === undefined) return true;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** Signs that are part of what is said: C++, C#, x < y, 5 %, and the minus of a number. */
const others = /(?:[^\p{L}\p{N}\p{Sm}\p{Sc}#%@&/-]|\||-(?!\d)|(?<=[\p{L}\p{N}])-)+/gu;

/** What makes two parts equal: letters, digits and signs of mathematics and money, without case, blanks and punctuation. */
export function wordsKey(part: string): string {
  return part.normalize('NFKC').toLowerCase().replaceAll(others, ' ').replaceAll(/ {2,}/g, ' ').trim();
}
