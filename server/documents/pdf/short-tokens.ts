import type { OfficeContentNode } from 'officeparser';
import { isText, type PageItem } from './table-text.ts';

/**
 * Stands behind short texts while the layout is analysed: officeparser joins lines of one or two digits or letters
 * below each other to one word. A noncharacter for internal use, two code units long.
 */
const mark = '\u{1fffe}';
const short = /^\s*(?:\p{N}{1,2}|\p{L}{1,2})\s*$/u;

/** Marks short texts that are alone on their line: values of a scale, ages, numbers of lines. */
export function markShortTokens(items: readonly PageItem[]): PageItem[] {
  const lines = new Map<number, number>();
  const lineOf = (y: number): number => Math.round(y);
  for (const item of items) {
    if (!isText(item) || item.str.trim() === '') continue;
    const line = lineOf((item.transform as number[])[5] ?? 0);
    lines.set(line, (lines.get(line) ?? 0) + 1);
  }
  return items.map((item) => {
    if (!isText(item) || !short.test(item.str)) return item;
    const line = lineOf((item.transform as number[])[5] ?? 0);
    const size = Math.ceil((item.height || 10) / 2);
    let others = -1;
    for (let near = line - size; near <= line + size; near += 1) others += lines.get(near) ?? 0;
    return others > 0 ? item : { ...item, str: `${item.str.trimEnd()}${mark}` };
  });
}

/** Removes the marks. Modifies `nodes`. */
export function unmarkShortTokens(nodes: readonly OfficeContentNode[]): void {
  for (const node of nodes) {
    if (node.text?.includes(mark) === true) node.text = node.text.replaceAll(mark, '');
    for (const inner of [node.children, node.notes]) if (inner !== undefined) unmarkShortTokens(inner);
  }
}
