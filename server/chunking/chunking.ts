import { countCodePoints } from './code-points.ts';
import { mergeAtoms, type Atom } from './merging.ts';
import { measureOf, type LengthMeasure } from './measure.ts';
import { cutAtSeparators, cutBlocks, cutFixed, cutSentences, type Limits } from './splitting.ts';
import { findHeadings, readBlocks, type TextSyntax } from './structure.ts';

/** How texts become chunks. */
export type Chunking = {
  strategy: 'RECURSIVE' | 'FIXED' | 'SENTENCE' | 'MARKDOWN' | 'PARAGRAPH' | 'CUSTOM_SEPARATOR';
  /** Maximum chunk size, in units; tables and code blocks may be larger (see `wholeBlockFactor`). */
  size: number;
  /** Units at the end of a chunk that the next chunk repeats; less than `size`. */
  overlap: number;
  unit: 'CHARACTERS' | 'TOKENS';
  /** Separators of CUSTOM_SEPARATOR. */
  separators?: readonly string[];
};

/** The range of a page's text, in UTF-16 code units. */
export type PageRange = { number: number; start: number; end: number };

/** The place in a chunk at which the text of a page starts, in code points of the chunk. */
export type ChunkPage = { page: number; start: number };

export type Chunk = {
  /** Exactly the text from `start` to `end`. */
  text: string;
  /** Offsets in code points. */
  start: number;
  end: number;
  /** The page on which the chunk starts; null if the text has no pages. */
  page: number | null;
  /** All pages of a chunk that has text of several. */
  pages?: ChunkPage[];
  /** The headings of the sections in which the chunk starts, outermost first, excluding those within the chunk. */
  headings: string[];
};

/** A chunk by its position: offsets in UTF-16 code units instead of its text. */
export type Cut = Omit<Chunk, 'text'> & { from: number; to: number };

/** Chunks that repeat the text more often are refused, since time, memory and embeddings grow accordingly. */
export const maxRepetition = 16;
/** Short texts may be repeated more often. */
const freeCharacters = 1_000_000;

/** The overlap would make the chunks together more than `maxRepetition` times as long as the text. */
export class ChunksRepeatError extends Error {
  override readonly name = 'ChunksRepeatError';
  constructor() {
    super(`The chunks would repeat the text more than ${maxRepetition} times; choose a smaller overlap`);
  }
}

/**
 * Chunks a Markdown or plain text. Every character that is not white space is in at least one chunk; chunks are in text
 * order and never start or end with white space. Throws ChunksRepeatError.
 */
export function chunkText(
  text: string,
  chunking: Chunking,
  pages: readonly PageRange[] = [],
  syntax: TextSyntax = 'MARKDOWN',
): Chunk[] {
  return Array.from(cutText(text, chunking, pages, syntax), (cut) => chunkOf(text, cut));
}

export function chunkOf(text: string, { from, to, ...rest }: Cut): Chunk {
  return { text: text.slice(from, to), ...rest };
}

/** Yields the chunks of a text, in time proportional to the text and its repeated parts. */
export function* cutText(
  text: string,
  chunking: Chunking,
  pages: readonly PageRange[],
  syntax: TextSyntax,
): Generator<Cut> {
  const measure = measureOf(chunking.unit);
  const headings = findHeadings(text, syntax);
  const [starts, ends] = [countCodePoints(text), countCodePoints(text)];
  let [page, heading, lastEnd, sum] = [0, 0, 0, 0];
  const above: { level: number; title: string }[] = [];
  for (const range of rangesOf(text, chunking, measure, syntax)) {
    sum += range.end - range.start;
    if (sum > Math.max(freeCharacters, maxRepetition * text.length)) throw new ChunksRepeatError();
    const chunk = trim(text, range);
    // Apart from its overlap, a range may be only white space; then it adds nothing.
    if (chunk === undefined || chunk.end <= lastEnd) continue;
    lastEnd = chunk.end;
    while (page + 1 < pages.length && (pages[page + 1]?.start ?? 0) <= chunk.start) page += 1;
    for (let next = headings[heading]; next !== undefined && next.start < chunk.start; next = headings[++heading]) {
      while ((above.at(-1)?.level ?? 0) >= next.level) above.pop();
      above.push(next);
    }
    // A heading at the start of the chunk ends sections of its level and below.
    const own = headings[heading];
    const level = own?.start === chunk.start ? own.level : Number.POSITIVE_INFINITY;
    yield {
      from: chunk.start,
      to: chunk.end,
      start: starts.at(chunk.start),
      end: ends.at(chunk.end),
      page: pages[page]?.number ?? null,
      ...pagesWithin(text, chunk, pages, page),
      headings: above.filter((one) => one.level < level).map(({ title }) => title),
    };
  }
}

type Range = { start: number; end: number };

/** The pages from `first` on that have text of the chunk, if there is more than one. */
function pagesWithin(
  text: string,
  { start, end }: Range,
  pages: readonly PageRange[],
  first: number,
): Pick<Chunk, 'pages'> {
  const found: ChunkPage[] = [];
  const points = countCodePoints(text.slice(start, end));
  for (let at = first; at < pages.length; at += 1) {
    const range = pages[at];
    if (range === undefined || range.start >= end) break;
    found.push({ page: range.number, start: points.at(Math.max(0, range.start - start)) });
  }
  return found.length > 1 ? { pages: found } : {};
}

function* rangesOf(text: string, chunking: Chunking, measure: LengthMeasure, syntax: TextSyntax): Generator<Range> {
  const { strategy, size, overlap, unit } = chunking;
  const limits = { size, overlap, unit, measure };
  if (strategy === 'FIXED') {
    yield* cutFixed(text, { start: 0, end: text.length }, limits);
    return;
  }
  if (strategy === 'CUSTOM_SEPARATOR') {
    for (const atoms of cutAtSeparators(text, chunking.separators ?? [], limits)) yield* mergeAtoms(atoms, limits);
    return;
  }
  for (const group of groupsOf(readBlocks(text, syntax), strategy))
    yield* mergeAtoms(atomsOf(text, group, strategy, limits), limits);
}

type Blocks = ReturnType<typeof readBlocks>;

/**
 * Groups of blocks that no chunk crosses. For PARAGRAPH, each paragraph is a chunk, including the headings before it.
 */
function groupsOf(blocks: Blocks, strategy: Chunking['strategy']): Blocks[] {
  if (strategy === 'PARAGRAPH') return withHeadings(blocks);
  return strategy === 'MARKDOWN' ? groupBy(blocks, ({ kind }) => kind === 'heading') : [blocks];
}

function* atomsOf(text: string, blocks: Blocks, strategy: Chunking['strategy'], limits: Limits): Generator<Atom> {
  for (const block of blocks)
    yield* strategy === 'SENTENCE' ? cutSentences(text, block, limits) : cutBlocks(text, block, limits);
}

/** Splits a list into groups of neighbours: an item for which `begins` is true starts a new group. */
function groupBy<T>(items: readonly T[], begins: (item: T) => boolean): T[][] {
  const groups: T[][] = [];
  for (const item of items) {
    if (groups.length === 0 || begins(item)) groups.push([item]);
    else groups.at(-1)?.push(item);
  }
  return groups;
}

/** Groups each block with the headings directly above it. */
function withHeadings<T extends { kind: string }>(blocks: readonly T[]): T[][] {
  const groups: T[][] = [];
  let open: T[] | undefined;
  for (const block of blocks) {
    if (open === undefined) groups.push((open = [block]));
    else open.push(block);
    if (block.kind !== 'heading') open = undefined;
  }
  return groups;
}

function trim(text: string, { start, end }: Range): Range | undefined {
  const slice = text.slice(start, end);
  const leading = slice.length - slice.trimStart().length;
  const trimmed = slice.trim();
  return trimmed === '' ? undefined : { start: start + leading, end: start + leading + trimmed.length };
}
