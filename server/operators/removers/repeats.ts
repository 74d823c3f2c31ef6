/** Keeps the first of equal parts; a part whose `keyOf` is undefined always stays. */
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

/** Characters to ignore. Others carry meaning: C++, C#, x < y, 5 %, and the minus of a number. */
const others = /(?:[^\p{L}\p{N}\p{Sm}\p{Sc}#%@&/-]|\||-(?!\d)|(?<=[\p{L}\p{N}])-)+/gu;

/**
 * The key by which parts are equal: letters, digits, mathematical and currency signs, ignoring case, blanks and
 * punctuation.
 */
export function wordsKey(part: string): string {
  return part.normalize('NFKC').toLowerCase().replaceAll(others, ' ').replaceAll(/ {2,}/g, ' ').trim();
}
