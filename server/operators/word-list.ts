import { characterTable, kinds } from './characters.ts';

/** Maximum length of a listed word; it bounds the time per text. */
export const maxWordLength = 100;

type Node = { next: Map<number, Node>; ends: boolean };

/** The words of a list as users write it: on separate lines or separated by commas (also Chinese ones). */
export function wordsOf(list: string): string[] {
  const words = list.split(/[\n\r,，、;；]+/).map((word) => word.trim());
  return [...new Set(words)].filter((word) => word !== '' && word.length <= maxWordLength);
}

/** Replaces occurrences of listed words, the longest word at each position. */
export type WordReplacer = (text: string, replace: (found: string) => string) => string;

/**
 * Searches for many words at once, by a trie. Words of letters only count as whole words: `art` is not found in `part`;
 * words in scripts without spaces, such as Chinese, are found anywhere.
 */
export function createWordReplacer(words: readonly string[], ignoreCase: boolean): WordReplacer {
  const { lower, kinds: kindOf } = characterTable();
  const unitAt = (text: string, at: number): number => {
    const unit = text.charCodeAt(at);
    return ignoreCase ? (lower[unit] ?? unit) : unit;
  };
  const root: Node = { next: new Map(), ends: false };
  for (const word of words) {
    let node = root;
    for (let at = 0; at < word.length; at += 1) {
      const unit = unitAt(word, at);
      const next = node.next.get(unit) ?? { next: new Map<number, Node>(), ends: false };
      node.next.set(unit, next);
      node = next;
    }
    node.ends = true;
  }
  const isLetter = (text: string, at: number): boolean =>
    at >= 0 && at < text.length && kindOf[text.charCodeAt(at)] === kinds.word;
  const cutsWord = (text: string, at: number): boolean => isLetter(text, at - 1) && isLetter(text, at);
  const endFrom = (text: string, start: number): number => {
    let node: Node | undefined = root;
    let end = -1;
    for (let at = start; at < text.length; at += 1) {
      node = node.next.get(unitAt(text, at));
      if (node === undefined) break;
      if (node.ends && !cutsWord(text, at + 1)) end = at + 1;
    }
    return end;
  };
  return (text, replace) => {
    let result = '';
    let taken = 0;
    for (let at = 0; at < text.length; at += 1) {
      if (!root.next.has(unitAt(text, at)) || cutsWord(text, at)) continue;
      const end = endFrom(text, at);
      if (end === -1) continue;
      result += text.slice(taken, at) + replace(text.slice(at, end));
      taken = end;
      at = end - 1;
    }
    return taken === 0 ? text : result + text.slice(taken);
  };
}
