import type { LengthMeasure } from './measure.ts';
import { linesOf, type MarkdownBlock } from './structure.ts';

/** A range of the text that is not cut further, and its length in units. */
export type Atom = { start: number; end: number; size: number };

export type Limits = { size: number; overlap: number; measure: LengthMeasure };

/** Tables and blocks of code stay whole up to this many times the size of a chunk; larger ones are cut between lines. */
export const wholeBlockFactor = 4;

/** Cuts a block into atoms of at most the size of a chunk: between lines, sentences, words, characters, in this order. */
export function cutBlocks(text: string, block: MarkdownBlock, limits: Limits): Atom[] {
  const size = limits.measure(text.slice(block.start, block.end));
  const isWhole = block.kind === 'table' || block.kind === 'code';
  if (size <= limits.size || (isWhole && size <= wholeBlockFactor * limits.size))
    return [{ start: block.start, end: block.end, size }];
  return cutByLevels(text, block, limits, isWhole ? [splitLines] : levels);
}

/** Cuts a block into its sentences; tables and code as `cutBlocks` does. */
export function cutSentences(text: string, block: MarkdownBlock, limits: Limits): Atom[] {
  if (block.kind === 'table' || block.kind === 'code') return cutBlocks(text, block, limits);
  return splitSentences(text, block).flatMap((range) => cutByLevels(text, range, limits, [splitWords]));
}

/** Windows of `size` units, each `overlap` behind the end of the one before. */
export function cutFixed(text: string, limits: Limits): { start: number; end: number }[] {
  const { size, overlap } = limits;
  const windows: { start: number; end: number }[] = [];
  for (let start = 0; start < text.length;) {
    const end = advance(text, start, size, limits.measure);
    windows.push({ start, end });
    if (end >= text.length) break;
    const back = overlap === 0 ? end : retreat(text, start, end, overlap, limits.measure);
    start = back > start ? back : end;
  }
  return windows;
}

/** Parts between separators; a part that is too large is cut into atoms. A separator stays at the end of its part. */
export function cutAtSeparators(text: string, separators: readonly string[], limits: Limits): Atom[][] {
  const parts: Atom[][] = [];
  for (let start = 0; start < text.length;) {
    let end = text.length;
    for (const separator of separators) {
      const at = text.indexOf(separator, start);
      if (at !== -1) end = Math.min(end, at + separator.length);
    }
    parts.push(cutByLevels(text, { start, end }, limits, levels));
    start = end;
  }
  return parts;
}

type Range = { start: number; end: number };
type Split = (text: string, range: Range) => Range[];

const levels: readonly Split[] = [splitLines, splitSentences, splitWords];

function cutByLevels(text: string, range: Range, limits: Limits, [split, ...finer]: readonly Split[]): Atom[] {
  const size = limits.measure(text.slice(range.start, range.end));
  if (size <= limits.size) return [{ ...range, size }];
  if (split === undefined)
    return cutFixed(text.slice(range.start, range.end), { ...limits, overlap: 0 }).map(({ start, end }) => {
      const part = { start: range.start + start, end: range.start + end };
      return { ...part, size: limits.measure(text.slice(part.start, part.end)) };
    });
  return split(text, range).flatMap((part) => cutByLevels(text, part, limits, finer));
}

function splitLines(text: string, { start, end }: Range): Range[] {
  return [...linesOf(text.slice(start, end))].map((line) => ({ start: start + line.start, end: start + line.end }));
}

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });
const words = new Intl.Segmenter('en', { granularity: 'word' });

/** Unicode's sentence boundaries (UAX #29), which know the marks of Chinese and Japanese, too. */
function splitSentences(text: string, range: Range): Range[] {
  return segments(sentences, text, range);
}

function splitWords(text: string, range: Range): Range[] {
  return segments(words, text, range);
}

function segments(segmenter: Intl.Segmenter, text: string, { start, end }: Range): Range[] {
  return Array.from(segmenter.segment(text.slice(start, end)), ({ segment, index }) => {
    return { start: start + index, end: start + index + segment.length };
  });
}

/** The end of a window of at most `size` units from `start` on, at least one character long. */
function advance(text: string, start: number, size: number, measure: LengthMeasure): number {
  return furthest(text, start, (end) => measure(text.slice(start, end)) <= size, size);
}

/** The first place from which `overlap` units at most are left until `end`. */
function retreat(text: string, start: number, end: number, overlap: number, measure: LengthMeasure): number {
  let [low, high] = [start, end];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (measure(text.slice(middle, end)) <= overlap) high = middle;
    else low = middle + 1;
  }
  return isPair(text, low) ? low + 1 : low;
}

/** The furthest end that fits, by doubling and halving; never between the halves of a surrogate pair. */
function furthest(text: string, start: number, fits: (end: number) => boolean, guess: number): number {
  let low = start + 1;
  let high = Math.min(text.length, start + guess);
  while (high < text.length && fits(high)) {
    low = high;
    high = Math.min(text.length, start + 2 * (high - start));
  }
  if (fits(high)) return high;
  while (low < high - 1) {
    const middle = (low + high) >>> 1;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  if (!isPair(text, low)) return low;
  return low - 1 > start ? low - 1 : low + 1;
}

/** Whether a place is between the halves of a surrogate pair. */
function isPair(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
}
