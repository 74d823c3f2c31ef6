import type { ChunkPage } from '../../../chunking/chunking.ts';
import type { RagHit } from '../schemas/searches.ts';

/**
 * The page on which a hit is to be shown: of those that its chunk has text of, the one with most different query words;
 * the first of several. Without highlights, the page on which the chunk starts.
 */
export function pageOfHighlights(
  { page, text, highlights }: Pick<RagHit, 'page' | 'text' | 'highlights'>,
  pages: readonly ChunkPage[],
): number | null {
  if (pages.length < 2 || highlights.length === 0) return page;
  const points = Array.from(text);
  const words = new Map<number, Set<string>>();
  for (const { start, end } of highlights) {
    const on = pages.findLast((one) => one.start <= start)?.page ?? page;
    if (on === null) continue;
    const found = words.get(on) ?? new Set();
    words.set(on, found.add(points.slice(start, end).join('').toLowerCase()));
  }
  let best: { page: number; words: number } | undefined;
  for (const { page: one } of pages) {
    const count = words.get(one)?.size ?? 0;
    if (count > (best?.words ?? 0)) best = { page: one, words: count };
  }
  return best?.page ?? page;
}
