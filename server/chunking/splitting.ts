import { maxTokenCharacters, type LengthMeasure } from './measure.ts';
import { mergeAtoms, type Atom } from './merging.ts';
import { linesOf, type MarkdownBlock } from './structure.ts';

export type Limits = { size: number; overlap: number; unit: 'CHARACTERS' | 'TOKENS'; measure: LengthMeasure };

/** Tables and code blocks stay whole up to this multiple of the chunk size; larger ones are split between lines. */
export const wholeBlockFactor = 4;

/** Splits a block into atoms of at most the chunk size: between lines, else sentences, words or characters. */
export function* cutBlocks(text: string, block: MarkdownBlock, limits: Limits): Generator<Atom> {
  const { start, end } = block;
  const isWhole = block.kind === 'table' || block.kind === 'code';
  const size = sizeUpTo(isWhole ? wholeBlockFactor * limits.size : limits.size, text, block, limits);
  if (size !== undefined) yield { start, end, size };
  else yield* cutByLevels(text, block, limits, isWhole ? [splitLines] : levels);
}

/** Splits a block into its sentences; tables and code are split as by `cutBlocks`. */
export function* cutSentences(text: string, block: MarkdownBlock, limits: Limits): Generator<Atom> {
  if (block.kind === 'table' || block.kind === 'code') yield* cutBlocks(text, block, limits);
  else for (const range of splitSentences(text, block)) yield* cutByLevels(text, range, limits, [splitWords]);
}

/** Windows of `size` units that overlap by `overlap`; token windows end between words if possible. */
export function* cutFixed(text: string, range: Range, limits: Limits): Generator<Range> {
  if (limits.unit === 'TOKENS') {
    yield* mergeAtoms(cutPieces(text, range, limits), limits);
    return;
  }
  for (let start = range.start; start < range.end;) {
    const end = forward(text, start, limits.size, range.end);
    yield { start, end };
    if (end >= range.end) return;
    const back = backward(text, end, limits.overlap);
    start = back > start ? back : end;
  }
}

/**
 * Yields the parts between separators, each split into atoms if too large. A separator stays at the end of its part.
 */
export function* cutAtSeparators(
  text: string,
  separators: readonly string[],
  limits: Limits,
): Generator<Iterable<Atom>> {
  const next = new Map(separators.map((separator) => [separator, -1]));
  for (let start = 0; start < text.length;) {
    let end = text.length;
    for (const [separator, known] of next) {
      let at = known;
      if (at < start) {
        const found = text.indexOf(separator, start);
        // Does not occur again.
        at = found === -1 ? Number.POSITIVE_INFINITY : found;
        next.set(separator, at);
      }
      end = Math.min(end, at + separator.length);
    }
    yield cutByLevels(text, { start, end }, limits, levels);
    start = end;
  }
}

type Range = { start: number; end: number };
type Split = (text: string, range: Range) => Iterable<Range>;

const levels: readonly Split[] = [splitLines, splitSentences, splitWords];

function* cutByLevels(
  text: string,
  range: Range,
  limits: Limits,
  [split, ...finer]: readonly Split[],
): Generator<Atom> {
  const size = sizeUpTo(limits.size, text, range, limits);
  if (size !== undefined) yield { start: range.start, end: range.end, size };
  else if (split !== undefined) for (const part of split(text, range)) yield* cutByLevels(text, part, limits, finer);
  else
    for (const { start, end } of cutFixed(text, range, { ...limits, overlap: 0 }))
      yield { start, end, size: limits.measure(text.slice(start, end)) };
}

/** The length of a range; undefined if it exceeds `largest`, which usually needs no counting. */
function sizeUpTo(largest: number, text: string, { start, end }: Range, { unit, measure }: Limits): number | undefined {
  if (end - start > (unit === 'TOKENS' ? maxTokenCharacters : 1) * 2 * largest) return undefined;
  const size = measure(text.slice(start, end));
  return size <= largest ? size : undefined;
}

function* splitLines(text: string, { start, end }: Range): Generator<Range> {
  for (const line of linesOf(text.slice(start, end))) yield { start: start + line.start, end: start + line.end };
}

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });
const words = new Intl.Segmenter('en', { granularity: 'word' });

/** Unicode's sentence boundaries (UAX #29), which also support Chinese and Japanese punctuation. */
export function splitSentences(text: string, range: Range): Iterable<Range> {
  return segments(sentences, text, range);
}

function splitWords(text: string, range: Range): Iterable<Range> {
  return segments(words, text, range);
}

/** ASCII words, about as the segmenter finds them, in a fraction of its time. */
const plainText = /^[\0-\x7f]*$/;
const plainWord = /\w+(?:['.:,]\w+)*| +|[^\w ]/g;

/** Maximum length segmented at once; longer sentences or words are split there. */
const windowUnits = 1 << 16;

function* segments(segmenter: Intl.Segmenter, text: string, { start, end }: Range): Generator<Range> {
  for (let from = start; from < end;) {
    let to = Math.min(end, from + windowUnits);
    if (isPair(text, to)) to -= 1;
    let last: Range | undefined;
    const part = text.slice(from, to);
    const isPlain = segmenter === words && plainText.test(part);
    for (const found of isPlain ? part.matchAll(plainWord) : segmenter.segment(part)) {
      if (last !== undefined) yield last;
      const length = Array.isArray(found) ? found[0].length : found.segment.length;
      last = { start: from + found.index, end: from + found.index + length };
    }
    if (last === undefined) return;
    // The last segment may continue beyond the window, unless it fills the whole window.
    const isComplete = to === end || last.start === from;
    if (isComplete) yield last;
    from = isComplete ? last.end : last.start;
  }
}

const piece = /\s?\S{1,32}|\s{1,32}/gu;

/** Words with the space before them; words larger than the chunk size are split. */
function* cutPieces(text: string, range: Range, limits: Limits): Generator<Atom> {
  for (const { index, 0: found } of text.slice(range.start, range.end).matchAll(piece))
    yield* halve(text, { start: range.start + index, end: range.start + index + found.length }, limits);
}

function* halve(text: string, range: Range, limits: Limits): Generator<Atom> {
  const { start, end } = range;
  const size = limits.measure(text.slice(start, end));
  const half = (start + end + 1) >>> 1;
  const middle = isPair(text, half) ? half + 1 : half;
  if (size <= limits.size || middle >= end) {
    yield { start, end, size };
    return;
  }
  yield* halve(text, { start, end: middle }, limits);
  yield* halve(text, { start: middle, end }, limits);
}

/** The position a number of characters after another one, at most `limit`. */
function forward(text: string, start: number, characters: number, limit: number): number {
  let at = start;
  for (let count = 0; count < characters && at < limit; count++) at += isPair(text, at + 1) ? 2 : 1;
  return at;
}

/** The position a number of characters before another one. */
function backward(text: string, end: number, characters: number): number {
  let at = end;
  for (let count = 0; count < characters && at > 0; count++) at -= isPair(text, at - 1) ? 2 : 1;
  return at;
}

/** Whether a position is inside a surrogate pair. */
function isPair(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
}
