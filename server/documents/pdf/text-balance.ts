import type { OfficeContentNode } from 'officeparser';

/** Fewer missing letters are list markers, which Markdown writes itself. */
const leastMissing = 20;
const leastShare = 0.005;

export function countLetters(text: string): number {
  let letters = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    // Most texts are ASCII, which is counted faster without the pattern.
    if (code > 0x7f) return text.match(/\p{L}/gu)?.length ?? 0;
    if ((code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a)) letters += 1;
  }
  return letters;
}

/** Number of letters in the text of nodes. */
export function lettersOf(nodes: readonly OfficeContentNode[]): number {
  return nodes.reduce((letters, { text = '', children = [], notes = [] }) => {
    const own = children.length === 0 ? countLetters(text) : lettersOf(children);
    return letters + own + lettersOf(notes);
  }, 0);
}

/** How many letters of a PDF's pages are missing in the result; 0 if too few to be part of its text. */
export function missingLetters(lettersIn: number, lettersOut: number): number {
  const missing = lettersIn - lettersOut;
  return missing < Math.max(leastMissing, leastShare * lettersIn) ? 0 : missing;
}
