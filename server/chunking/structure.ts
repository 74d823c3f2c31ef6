/** A block of Markdown. Tables and code are kept whole if possible. */
export type MarkdownBlock = { kind: 'heading' | 'paragraph' | 'table' | 'code'; start: number; end: number };

/** Whether lines that start with `#` are headings; in plain text they are comments, or commands after a prompt. */
export type TextSyntax = 'MARKDOWN' | 'PLAIN';

type Line = { line: string; start: number; end: number };

export type Heading = { start: number; level: number; title: string };

const fence = /^ {0,3}(`{3,}|~{3,})/;
const headingMarks = /^ {0,3}(#{1,6})(?=[ \t]|$)/;
const tableRow = /^\s*\|/;
const blank = /^\s*$/;

/** The underline of a title in Markdown, reStructuredText or AsciiDoc; its character determines the level. */
const underline = /^(?:={3,}|-{3,}|~{4,}|\^{3,})[ \t]*$/;
const underlineLevels = '=-~^';
/** Lines that are not titles even if underlined: indented lines, list items, quotations, table rows. */
const noTitle = /^(?:\t| {4}|\s*(?:[-*+>|]|\d+[.)]) )|^[^\p{L}\p{N}]*$/u;
/** An underline may differ from its title's length by this many characters. */
const underlineSlack = 2;

/** The blocks of a text, in order; together they cover all of it. */
export function readBlocks(text: string, syntax: TextSyntax = 'MARKDOWN'): MarkdownBlock[] {
  const blocks: MarkdownBlock[] = [];
  let open: (MarkdownBlock & { marker?: string }) | undefined;
  const close = (end: number): void => {
    if (open === undefined) return;
    blocks.push({ kind: open.kind, start: open.start, end });
    open = undefined;
  };
  // The two lines above, within the open paragraph.
  let [title, overline]: (Line | undefined)[] = [];
  for (const read of linesOf(text)) {
    const { line, start, end } = read;
    const isBelowText = open?.kind === 'paragraph';
    const above: Line | undefined = isBelowText ? title : undefined;
    const twoAbove: Line | undefined = isBelowText ? overline : undefined;
    [title, overline] = [read, above];
    if (open?.kind === 'code') {
      if (open.marker !== undefined && endsFence(line, open.marker)) close(end);
      continue;
    }
    if (above !== undefined && underlines(line, above.line) && !isListing(line, twoAbove?.line)) {
      const from = twoAbove?.line.trimEnd() === line.trimEnd() ? twoAbove.start : above.start;
      if (from > (open?.start ?? from)) close(from);
      open = undefined;
      blocks.push({ kind: 'heading', start: from, end });
      continue;
    }
    const marker = fence.exec(line)?.[1];
    if (marker !== undefined) {
      close(start);
      open = { kind: 'code', start, end, marker };
    } else if (syntax === 'MARKDOWN' && headingMarks.test(line)) {
      close(start);
      blocks.push({ kind: 'heading', start, end });
    } else if (blank.test(line)) {
      // Blank lines belong to the block before them.
      const last = blocks.at(-1);
      if (open !== undefined) close(end);
      else if (last === undefined) blocks.push({ kind: 'paragraph', start, end });
      else last.end = end;
    } else {
      const kind = tableRow.test(line) ? 'table' : 'paragraph';
      if (open?.kind !== kind) {
        close(start);
        open = { kind, start, end };
      }
    }
  }
  close(text.length);
  return blocks;
}

/** The headings of a text in order, outside code blocks. */
export function findHeadings(text: string, syntax: TextSyntax = 'MARKDOWN'): Heading[] {
  return readBlocks(text, syntax).flatMap(({ kind, start, end }) => {
    if (kind !== 'heading') return [];
    const { level, title } = titleOf(text.slice(start, end).trim());
    return title === '' ? [] : [{ start, level, title }];
  });
}

/** Level and title of a line that starts with `#`, or of a line above an underline and perhaps below an overline. */
function titleOf(heading: string): { level: number; title: string } {
  const lines = [...linesOf(heading)];
  if (lines.length === 1) {
    const level = headingMarks.exec(heading)?.[1]?.length ?? 1;
    return { level, title: withoutClosingMarks(heading.slice(level)).trim() };
  }
  return { level: 1 + underlineLevels.indexOf(heading.at(-1) ?? ''), title: lines.at(-2)?.line.trim() ?? '' };
}

/** `# Title ##` has the title `Title`. */
function withoutClosingMarks(title: string): string {
  let end = title.length;
  while (title[end - 1] === '#') end -= 1;
  return /[ \t]/.test(title[end - 1] ?? '') ? title.slice(0, end) : title;
}

function underlines(line: string, above: string): boolean {
  if (!underline.test(line) || noTitle.test(above)) return false;
  const title = above.trim();
  const length = line.trimEnd().length;
  return [[...title].length, widthOf(title)].some((size) => Math.abs(size - length) <= underlineSlack);
}

/** Width of a title in a monospaced font, where a Chinese, Japanese or Korean character takes two columns. */
function widthOf(title: string): number {
  return (
    title.length +
    (title.match(/[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60]/g)?.length ?? 0)
  );
}

/**
 * Whether a line between two lines of marks is code, which AsciiDoc delimits this way. Only `=` is also used as an
 * overline.
 */
function isListing(line: string, twoAbove: string | undefined): boolean {
  return twoAbove !== undefined && !line.startsWith('=') && twoAbove.trimEnd() === line.trimEnd();
}

/** The lines of a text with their ends: `\n`, `\r\n` or `\r`. */
export function* linesOf(text: string): Generator<Line> {
  for (let start = 0; start < text.length;) {
    let at = start;
    while (at < text.length && text[at] !== '\n' && text[at] !== '\r') at += 1;
    const end = Math.min(text.length, text[at] === '\r' && text[at + 1] === '\n' ? at + 2 : at + 1);
    yield { line: text.slice(start, at), start, end };
    start = end;
  }
}

/** A fence is closed by at least as many marks of the same kind, with nothing after them. */
function endsFence(line: string, marker: string): boolean {
  const found = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
  return found !== undefined && found[0] === marker[0] && found.length >= marker.length;
}
