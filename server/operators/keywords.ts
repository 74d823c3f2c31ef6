import { Type } from 'typebox';
import { unitTraits, unitsOf, traits } from './text-units.ts';

/** Searches a text; calls `found` for each occurrence with the keyword's index in the list. */
export type KeywordSearch = (text: string, found: (keyword: number) => void) => void;

export type KeywordOptions = { readonly ignoreCase: boolean; readonly wholeWords: boolean };

/** The parameters of operators that search for keywords. */
export const keywordParams = {
  keywords: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
    title: 'Keywords',
    default: [],
    maxItems: 10_000,
    description: 'Words, phrases or symbols to search for',
  }),
  wholeWords: Type.Boolean({
    title: 'Whole words only',
    default: true,
    description: 'Do not find "port" in "report"; Chinese words are found anywhere',
  }),
  ignoreCase: Type.Boolean({
    title: 'Ignore case',
    default: true,
    description: 'Treat upper and lower case as the same',
  }),
};

export const chineseKeywords = {
  keywords: { title: '关键词', help: '要查找的词、短语或符号' },
  wholeWords: { title: '只匹配整词', help: '“report”中不算出现“port”；中文词在任何位置都会找到' },
  ignoreCase: { title: '忽略大小写', help: '字母是否不分大小写' },
};

type Node = { readonly next: Map<number, number>; fail: number; keyword: number; longest: number };

/**
 * Prepares a search for all keywords at once, in time linear in the length of the text (Aho and Corasick, "Efficient
 * string matching", 1975). With `wholeWords`, occurrences inside a longer word do not count, except in scripts without
 * spaces.
 */
export function createKeywordSearch(
  keywords: readonly string[],
  { ignoreCase, wholeWords }: KeywordOptions,
): KeywordSearch {
  const lower = (unit: number): number => (ignoreCase ? lowerOf(unit) : unit);
  const nodes: Node[] = [{ next: new Map(), fail: 0, keyword: -1, longest: 0 }];
  const at = (index: number): Node => {
    const node = nodes[index];
    if (node === undefined) throw new RangeError(`There is no node ${index}`);
    return node;
  };
  for (const [keyword, text] of keywords.entries()) {
    let node = 0;
    for (let index = 0; index < text.length; index += 1) {
      const unit = lower(text.charCodeAt(index));
      let next = at(node).next.get(unit);
      if (next === undefined) {
        next = nodes.push({ next: new Map(), fail: 0, keyword: -1, longest: 0 }) - 1;
        at(node).next.set(unit, next);
      }
      node = next;
    }
    // If two differ only in case, the first one is found.
    if (text !== '' && at(node).keyword === -1) at(node).keyword = keyword;
  }
  const step = (from: number, unit: number): number => {
    for (let node = from; ; node = at(node).fail) {
      const next = at(node).next.get(unit);
      if (next !== undefined) return next;
      if (node === 0) return 0;
    }
  };
  const queue = [...at(0).next.values()];
  // `longest` links a keyword to the next shorter keyword that is its suffix.
  for (let index = 0; index < queue.length; index += 1) {
    const node = queue[index] ?? 0;
    for (const [unit, next] of at(node).next) {
      at(next).fail = step(at(node).fail, unit);
      queue.push(next);
    }
    const { fail } = at(node);
    at(node).longest = at(fail).keyword === -1 ? at(fail).longest : fail;
  }
  const starts = keywords.map((text) => text.length);
  return (text, found) => {
    const units = unitsOf(text);
    const of = unitTraits();
    const continues = (left: number, right: number): boolean => {
      const both = (of[units[left] ?? 0x20] ?? 0) & (of[units[right] ?? 0x20] ?? 0) & traits.word;
      const either = (of[units[left] ?? 0x20] ?? 0) | (of[units[right] ?? 0x20] ?? 0);
      return both !== 0 && (either & traits.single) === 0;
    };
    let node = 0;
    for (let index = 0; index < units.length; index += 1) {
      node = step(node, lower(units[index] ?? 0));
      for (let match = at(node).keyword === -1 ? at(node).longest : node; match !== 0; match = at(match).longest) {
        const { keyword } = at(match);
        const start = index - (starts[keyword] ?? 0) + 1;
        if (wholeWords && (continues(index, index + 1) || continues(start - 1, start))) continue;
        found(keyword);
      }
    }
  };
}

const lowers = new Map<number, number>();

function lowerOf(unit: number): number {
  if (unit < 0x80) return unit >= 0x41 && unit <= 0x5a ? unit + 32 : unit;
  const known = lowers.get(unit);
  if (known !== undefined) return known;
  const lower = String.fromCharCode(unit).toLowerCase();
  const made = lower.length === 1 ? lower.charCodeAt(0) : unit;
  lowers.set(unit, made);
  return made;
}
