/** What a part of a Markdown text is. Tables and code are not cut where it can be avoided. */
export type MarkdownBlock = { kind: 'heading' | 'paragraph' | 'table' | 'code'; start: number; end: number };

export type Heading = { start: number; level: number; title: string };

const fence = /^ {0,3}(`{3,}|~{3,})/;
const atxHeading = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#*)?[ \t]*$/;
const tableRow = /^\s*\|/;
const blank = /^\s*$/;

/** The blocks of a text, in order; together they cover all of it. */
export function readBlocks(text: string): MarkdownBlock[] {
  const blocks: MarkdownBlock[] = [];
  let open: (MarkdownBlock & { marker?: string }) | undefined;
  const close = (end: number): void => {
    if (open === undefined) return;
    blocks.push({ kind: open.kind, start: open.start, end });
    open = undefined;
  };
  for (const { line, start, end } of linesOf(text)) {
    if (open?.kind === 'code') {
      if (open.marker !== undefined && endsFence(line, open.marker)) close(end);
      continue;
    }
    const marker = fence.exec(line)?.[1];
    if (marker !== undefined) {
      close(start);
      open = { kind: 'code', start, end, marker };
    } else if (atxHeading.test(line)) {
      close(start);
      blocks.push({ kind: 'heading', start, end });
    } else if (blank.test(line)) {
      // Blank lines belong to what is in front of them.
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

/** The headings of a text in its order, outside blocks of code. */
export function findHeadings(text: string): Heading[] {
  return readBlocks(text).flatMap(({ kind, start, end }) => {
    const match = kind === 'heading' ? atxHeading.exec(text.slice(start, end).trimEnd()) : null;
    const title = match?.[2]?.trim() ?? '';
    return match === null || title === '' ? [] : [{ start, level: match[1]?.length ?? 1, title }];
  });
}

/** The lines of a text with their ends: `\n`, `\r\n` or `\r`. */
export function* linesOf(text: string): Generator<{ line: string; start: number; end: number }> {
  for (let start = 0; start < text.length;) {
    let at = start;
    while (at < text.length && text[at] !== '\n' && text[at] !== '\r') at += 1;
    const end = Math.min(text.length, text[at] === '\r' && text[at + 1] === '\n' ? at + 2 : at + 1);
    yield { line: text.slice(start, at), start, end };
    start = end;
  }
}

/** A fence ends with at least as many marks of the same kind, and nothing behind them. */
function endsFence(line: string, marker: string): boolean {
  const found = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
  return found !== undefined && found[0] === marker[0] && found.length >= marker.length;
}
