import type { OfficeContentNode } from 'officeparser';

/** The mark of a character is its code point plus this offset, in a range that texts do not use. */
const markOffset = 0x10_ff00;
const marks = /[\u{10ff00}-\u{10ffff}]/u;

/**
 * Replaces ASCII punctuation in the text by marks, so that the Markdown generator escapes nothing: the result is the
 * document's text, `a_b [c] <d>`, not source for a renderer. Vertical bars in tables stay escaped, or they would add
 * columns. Returns whether it replaced anything; text that already contains such marks is left unchanged. Modifies
 * `nodes`.
 */
export function markPunctuation(nodes: readonly OfficeContentNode[]): boolean {
  if (hasMarks(nodes)) return false;
  visit(nodes, false);
  return true;
}

/** A line that starts with marks of `#`, as in a listing of commands, or of a code fence. */
const markedStart = /^( {0,3})(?=\u{10ff23}{1,6}(?:[ \t]|$)|\u{10ff60}{3}|\u{10ff7e}{3})/gmu;
const plainStart = /^( {0,3})(?=#{1,6}(?:[ \t\r]|$)|```|~~~)/gm;

/** Restores the text's punctuation. Lines that Markdown would read as a heading or a code fence are escaped. */
export function unmarkPunctuation(markdown: string): string {
  return markdown
    .replaceAll(markedStart, '$1\\')
    .replaceAll(/[\u{10ff00}-\u{10ff7f}]/gu, (mark) => String.fromCodePoint((mark.codePointAt(0) ?? 0) - markOffset));
}

/** Escapes the lines of a plain text that Markdown would read as headings or code fences. */
export function escapeLines(text: string): string {
  return text.replaceAll(plainStart, '$1\\');
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
