import { countCodePoints } from './code-points.ts';
import { mergeAtoms } from './merging.ts';
import { measureOf, type LengthMeasure } from './measure.ts';
import { cutAtSeparators, cutBlocks, cutFixed, cutSentences, type Atom } from './splitting.ts';
import { findHeadings, readBlocks, type TextSyntax } from './structure.ts';

/** How texts become chunks. */
export type Chunking = {
  strategy: 'RECURSIVE' | 'FIXED' | 'SENTENCE' | 'MARKDOWN' | 'PARAGRAPH' | 'CUSTOM_SEPARATOR';
  /** Largest chunk, in units; tables and blocks of code may be larger (see `wholeBlockFactor`). */
  size: number;
  /** Units at the end of a chunk that the next one repeats; smaller than `size`. */
  overlap: number;
  unit: 'CHARACTERS' | 'TOKENS';
  /** Where CUSTOM_SEPARATOR cuts. */
  separators?: readonly string[];
};

/** The text of a page, in UTF-16 code units. */
export type PageRange = { number: number; start: number; end: number };

export type Chunk = {
  /** Exactly the characters of the text from `start` to `end`. */
  text: string;
  /** Offsets in code points. */
  start: number;
  end: number;
  /** The page on which the chunk starts; null if the text has no pages. */
  page: number | null;
  /** The headings of the sections in which the chunk starts, outermost first, without those within the chunk. */
  headings: string[];
};

/**
 * Cuts a Markdown or plain text. Every character that is not white space is in at least one chunk; chunks are in the
 * order of the text and never start or end with white space.
 */
export function chunkText(
  text: string,
  chunking: Chunking,
  pages: readonly PageRange[] = [],
  syntax: TextSyntax = 'MARKDOWN',
): Chunk[] {
  const measure = measureOf(chunking.unit);
  const ranges = rangesOf(text, chunking, measure, syntax);
  const headings = findHeadings(text, syntax);
  const chunks: Chunk[] = [];
  const points = countCodePoints(text);
  let [page, heading, lastEnd] = [0, 0, 0];
  const above: { level: number; title: string }[] = [];
  for (const range of ranges) {
    const chunk = trim(text, range);
    // Without what it repeats, an overlapping range may be white space.
    if (chunk === undefined || chunk.end <= lastEnd) continue;
    lastEnd = chunk.end;
    while (page + 1 < pages.length && (pages[page + 1]?.start ?? 0) <= chunk.start) page += 1;
    for (let next = headings[heading]; next !== undefined && next.start < chunk.start; next = headings[++heading]) {
      while ((above.at(-1)?.level ?? 0) >= next.level) above.pop();
      above.push(next);
    }
    // A heading at the start of the chunk ends the sections of its level.
    const own = headings[heading];
    const level = own?.start === chunk.start ? own.level : Number.POSITIVE_INFINITY;
    chunks.push({
      text: text.slice(chunk.start, chunk.end),
      start: points.at(chunk.start),
      end: points.at(chunk.end),
      page: pages[page]?.number ?? null,
      headings: above.filter((one) => one.level < level).map(({ title }) => title),
    });
  }
  return chunks;
}

type Range = { start: number; end: number };

function rangesOf(text: string, chunking: Chunking, measure: LengthMeasure, syntax: TextSyntax): Range[] {
  const { strategy, size, overlap } = chunking;
  const limits = { size, overlap, measure };
  if (strategy === 'FIXED') return cutFixed(text, limits);
  if (strategy === 'CUSTOM_SEPARATOR') {
    const pieces = cutAtSeparators(text, chunking.separators ?? [], limits);
    return pieces.flatMap((atoms) => mergeAtoms(text, atoms, limits));
  }
  const blocks = readBlocks(text, syntax);
  const sections = strategy === 'MARKDOWN' ? groupBy(blocks, ({ kind }) => kind === 'heading') : [blocks];
  return sections.flatMap((section) => {
    const cut = (block: (typeof section)[number]): Atom[] =>
      strategy === 'SENTENCE' ? cutSentences(text, block, limits) : cutBlocks(text, block, limits);
    // A paragraph is a chunk of its own, with the headings in front of it.
    if (strategy !== 'PARAGRAPH') return mergeAtoms(text, section.flatMap(cut), limits);
    return withHeadings(section).flatMap((group) => mergeAtoms(text, group.flatMap(cut), limits));
  });
}

/** Groups of neighbours; a member that begins one follows the end of the group before. */
function groupBy<T>(items: readonly T[], begins: (item: T) => boolean): T[][] {
  const groups: T[][] = [];
  for (const item of items) {
    if (groups.length === 0 || begins(item)) groups.push([item]);
    else groups.at(-1)?.push(item);
  }
  return groups;
}

/** Each block with the headings directly above it. */
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
