import type { ChunkRange, DocumentOutline } from './document-text-queries.ts';

/** What is shown of a document at once: a page, or a part of a document without pages. */
export type Section = { page: number | null; start: number; end: number; isBlank: boolean };

/** A part of a text and the chunks, by their index, that it belongs to: none, one, or several where they overlap. */
export type Segment = { start: number; end: number; chunks: number[] };

/** Length of a section without pages, in code points. */
const sectionLength = 20_000;

/** The sections of a document; of `pagesIn` pages those that have no text are blank. */
export function sectionsOf({ length, pages, chunks }: DocumentOutline, pagesIn: number | null): Section[] {
  if (pages.length > 0) {
    const count = Math.max(pagesIn ?? 0, pages.at(-1)?.page ?? 0);
    const byPage = new Map(pages.map((page) => [page.page, page]));
    const sections: Section[] = [];
    let end = length;
    // What stands between two pages belongs to the one before.
    for (let page = count; page >= 1; page--) {
      const range = byPage.get(page);
      const start = range?.start ?? end;
      sections.unshift({ page, start, end, isBlank: range === undefined });
      end = start;
    }
    return sections;
  }
  const sections: Section[] = [];
  let start = 0;
  for (const chunk of chunks) {
    if (chunk.start - start < sectionLength) continue;
    sections.push({ page: null, start, end: chunk.start, isBlank: false });
    start = chunk.start;
  }
  return [...sections, { page: null, start, end: length, isBlank: false }];
}

/** The index of the section in which an offset is. */
export function sectionAt(sections: readonly Section[], offset: number): number {
  const at = sections.findIndex(({ start, end }) => offset >= start && offset < end);
  return at === -1 ? Math.max(0, sections.length - 1) : at;
}

/** Cuts a range of the text at the borders of its chunks. */
export function segmentsOf(
  range: { start: number; end: number },
  chunks: readonly Pick<ChunkRange, 'start' | 'end'>[],
): Segment[] {
  const inside = chunks.flatMap(({ start, end }, index) =>
    start < range.end && end > range.start ? [{ start, end, index }] : [],
  );
  const within = (at: number): number => Math.min(range.end, Math.max(range.start, at));
  const borders = [
    ...new Set([range.start, range.end, ...inside.flatMap(({ start, end }) => [within(start), within(end)])]),
  ];
  borders.sort((one, other) => one - other);
  return borders.slice(1).map((end, at) => {
    const start = borders[at] ?? 0;
    return {
      start,
      end,
      chunks: inside.filter((chunk) => chunk.start < end && chunk.end > start).map(({ index }) => index),
    };
  });
}
