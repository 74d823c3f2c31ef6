import type { OfficeContentNode } from 'officeparser';

/** The mark of a character is this many code points behind it, where nobody writes. */
const markOffset = 0x10_ff00;
const marks = /[\u{10ff00}-\u{10ffff}]/u;

/**
 * Puts marks in place of the ASCII punctuation of the text, so that the generator of Markdown has nothing to escape: what is read is the
 * text of the document, `a_b [c] <d>`, not a source for a renderer. The bars of tables stay escaped, or there would be more columns.
 * Says whether it did; text with characters that look like marks is left alone. `nodes` are changed.
 */
export function markPunctuation(nodes: readonly OfficeContentNode[]): boolean {
  if (hasMarks(nodes)) return false;
  visit(nodes, false);
  return true;
}

/** The text with its punctuation back. */
export function unmarkPunctuation(markdown: string): string {
  return markdown.replaceAll(/[\u{10ff00}-\u{10ff7f}]/gu, (mark) =>
    String.fromCodePoint((mark.codePointAt(0) ?? 0) - markOffset),
  );
}

function visit(nodes: readonly OfficeContentNode[], isInTable: boolean): void {
  for (const node of nodes) {
    if (node.type === 'code') continue;
    const isTable = isInTable || node.type === 'table' || node.type === 'sheet';
    if (node.text !== undefined) node.text = mark(node.text, isTable);
    for (const part of partsOf(node)) visit(part, isTable);
  }
}

function mark(text: string, isInTable: boolean): string {
  return text.replaceAll(isInTable ? /[!-/:-@[-`{}~]/g : /[!-/:-@[-`{-~]/g, (character) =>
    String.fromCodePoint(character.charCodeAt(0) + markOffset),
  );
}

function hasMarks(nodes: readonly OfficeContentNode[]): boolean {
  return nodes.some((node) => marks.test(node.text ?? '') || partsOf(node).some(hasMarks));
}

function partsOf({ children = [], notes = [], comments = [] }: OfficeContentNode): OfficeContentNode[][] {
  return [children, notes, comments];
}
