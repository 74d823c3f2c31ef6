import type { ChunkRange, DocumentOutline } from './document-text-queries.ts';

/** The part of a document shown at once: a page, a part of a long page, or a part of a document without pages. */
export type Section = {
  page: number | null;
  /** From 1, out of the `parts` of its page. */
  part: number;
  parts: number;
  start: number;
  end: number;
  isBlank: boolean;
};

/** A part of a text and the indexes of the chunks that it belongs to: none, one, or several where they overlap. */
export type Segment = { start: number; end: number; chunks: number[] };

/** A section ends at the first chunk that starts this many code points after the section's start. */
const sectionLength = 20_000;

/** Splits a document into sections; those of its `pagesIn` pages that have no text are blank. */
export function sectionsOf({ length, pages, chunks }: DocumentOutline, pagesIn: number | null): Section[] {
  if (pages.length > 0) {
    const count = Math.max(pagesIn ?? 0, pages.at(-1)?.page ?? 0);
    const byPage = new Map(pages.map((page) => [page.page, page]));
    const sections: Section[] = [];
    let end = length;
    // Text between two pages belongs to the page before.
    for (let page = count; page >= 1; page--) {
      const range = byPage.get(page);
      const start = range?.start ?? end;
      const cuts = partsOf({ start, end }, chunks);
      sections.unshift(
        ...cuts.map((cut, at) => ({ page, part: at + 1, parts: cuts.length, ...cut, isBlank: range === undefined })),
      );
      end = start;
    }
    return sections;
  }
  return partsOf({ start: 0, end: length }, chunks).map((cut) => ({
    page: null,
    part: 1,
    parts: 1,
    ...cut,
    isBlank: false,
  }));
}

type Range = { start: number; end: number };

/** Splits a long range where chunks start, or anywhere if none starts for long. */
function partsOf(range: Range, chunks: readonly Pick<ChunkRange, 'start'>[]): Range[] {
  const parts: Range[] = [];
  let { start } = range;
  let next = 0;
  while (range.end - start > sectionLength) {
    const wanted = start + sectionLength;
    while (next < chunks.length && (chunks[next]?.start ?? 0) < wanted) next++;
    const border = chunks[next]?.start ?? range.end;
    const end = border - start > 2 * sectionLength ? wanted : border;
    if (end >= range.end) break;
    parts.push({ start, end });
    start = end;
  }
  return [...parts, { start, end: range.end }];
}

/** The index of the first section of a page. */
export function sectionOfPage(sections: readonly Section[], page: number): number {
  const at = sections.findIndex((section) => section.page === page);
  return at === -1 ? Math.max(0, sections.length - 1) : at;
}

/** The index of the section that contains an offset. */
export function sectionAt(sections: readonly Section[], offset: number): number {
  const at = sections.findIndex(({ start, end }) => offset >= start && offset < end);
  return at === -1 ? Math.max(0, sections.length - 1) : at;
}

/** Splits a range of the text at the boundaries of its chunks. */
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
