import { parentOf } from '../../../kernel/file-path.ts';
import type { Db } from '../../../storage/database/database.ts';
import { dialectOf, jsonRowsOf } from '../../../storage/database/sql.ts';

/** The columns of ranges: paths of one folder, from `low` to `high`. */
export const rangeColumns = { parent: 'text', low: 'text', high: 'text' } as const;

type PathRange = { parent: string; low: string; high: string };

/** Ranges that hold the wanted paths, as a parameter, and how many rows to read before single look-ups cost less. */
export type PathRanges = { ranges: string; limit: number };

/** Fewer paths than this per range are looked up one by one. */
const minPathsPerRange = 8;

/**
 * Paths of an upload mostly lie side by side in a few folders, with nothing or little stored between them. SQLite then finds them
 * all with one look-up per folder instead of one per path. Undefined for other paths, and for PostgreSQL, which may choose
 * another index for a range.
 */
export function rangesOf(db: Db, paths: readonly string[]): PathRanges | undefined {
  if (paths.length < minPathsPerRange || dialectOf(db) !== 'sqlite') return undefined;
  const ranges: PathRange[] = [];
  const byParent = new Map<string, PathRange>();
  for (const path of paths) {
    const parent = parentOf(path);
    const known = byParent.get(parent);
    if (known === undefined || !hasByteOrder(path)) {
      const range = { parent, low: path, high: path };
      if (hasByteOrder(path)) byParent.set(parent, range);
      ranges.push(range);
    } else if (path < known.low) known.low = path;
    else if (path > known.high) known.high = path;
  }
  if (ranges.length * minPathsPerRange > paths.length) return undefined;
  return { ranges: jsonRowsOf(rangeColumns, ranges), limit: ranges.length + (paths.length >> 2) };
}

/** The first and the last of many paths, and how many rows between them to read at most; undefined as for `rangesOf`. */
export function endsOf(db: Db, paths: readonly string[]): { low: string; high: string; limit: number } | undefined {
  if (paths.length < minPathsPerRange || dialectOf(db) !== 'sqlite' || !paths.every(hasByteOrder)) return undefined;
  let low = paths[0] ?? '';
  let high = low;
  for (const path of paths) {
    if (path < low) low = path;
    else if (path > high) high = path;
  }
  return { low, high, limit: 1 + (paths.length >> 2) };
}

/** Whether JavaScript compares the text as the database does, by its UTF-8 bytes: not if it has characters from U+D800 on. */
export function hasByteOrder(text: string): boolean {
  return !/[\ud800-\uffff]/.test(text);
}
