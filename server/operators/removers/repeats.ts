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

/** What makes two parts equal: letters and digits, without case, blanks and punctuation. */
export function wordsKey(part: string): string {
  return part
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
