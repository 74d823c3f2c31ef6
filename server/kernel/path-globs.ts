/**
 * Whether a file's path matches a pattern: `*` matches any characters of a name, `?` one character, `**` any folders. A pattern
 * without a slash is matched against the file name alone. Takes time proportional to the product of both lengths, whatever the pattern.
 */
export function matchesGlob(path: string, pattern: string): boolean {
  if (!pattern.includes('/')) return matchesName(path.slice(path.lastIndexOf('/') + 1), pattern);
  return matches(path.split('/'), pattern.split('/'), (part) => part === '**', matchesName);
}

function matchesName(name: string, pattern: string): boolean {
  const isWild = (character: string): boolean => character === '*';
  return matches(
    [...name],
    [...pattern.replaceAll(/\*+/g, '*')],
    isWild,
    (one, other) => other === '?' || one === other,
  );
}

/** Matches items against a pattern whose wild parts match any number of items; only the last wild part needs backtracking. */
function matches<T>(
  items: readonly T[],
  pattern: readonly T[],
  isWild: (part: T) => boolean,
  isMatch: (item: T, part: T) => boolean,
): boolean {
  let item = 0;
  let part = 0;
  let retry: { item: number; part: number } | undefined;
  while (item < items.length) {
    const [here, wanted] = [items[item], pattern[part]];
    if (wanted !== undefined && isWild(wanted)) {
      retry = { item, part };
      part += 1;
    } else if (here !== undefined && wanted !== undefined && isMatch(here, wanted)) {
      item += 1;
      part += 1;
    } else if (retry === undefined) {
      return false;
    } else {
      retry = { item: retry.item + 1, part: retry.part };
      ({ item } = retry);
      part = retry.part + 1;
    }
  }
  return pattern.slice(part).every(isWild);
}
