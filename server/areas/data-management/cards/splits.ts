import type { CardSplit } from '../schemas/cards.ts';

/** Words of a path that name a split, as the Hub reads them. */
const words: ReadonlyMap<string, string> = new Map([
  ['train', 'train'],
  ['training', 'train'],
  ['validation', 'validation'],
  ['valid', 'validation'],
  ['val', 'validation'],
  ['dev', 'validation'],
  ['test', 'test'],
  ['testing', 'test'],
  ['eval', 'test'],
  ['evaluation', 'test'],
]);

/** The split named by the file name, or else by the innermost folder that names one. */
export function splitOf(path: string): string | undefined {
  for (const segment of path.toLowerCase().split('/').toReversed()) {
    for (const word of segment.split(/[^a-z]+/)) {
      const split = words.get(word);
      if (split !== undefined) return split;
    }
  }
  return undefined;
}

/** Adds up the files of each split; leaves out files that name none. */
export function splitsOf(files: readonly { path: string; size_bytes: number }[]): CardSplit[] {
  const splits = new Map<string, CardSplit>();
  for (const { path, size_bytes: bytes } of files) {
    const name = splitOf(path);
    if (name === undefined) continue;
    const known = splits.get(name) ?? { name, files: 0, bytes: 0 };
    splits.set(name, { name, files: known.files + 1, bytes: known.bytes + bytes });
  }
  const order = ['train', 'validation', 'test'];
  return [...splits.values()].toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
}
