import type { HtmlElement } from './html-tree.ts';

const empty = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));
const raw = new Set(['script', 'style', 'xmp', 'iframe', 'noembed', 'noframes', 'plaintext']);

/** Writes an element as HTML, without the descendants that `skips` selects. */
export function writeHtml(element: HtmlElement, skips: (element: HtmlElement) => boolean): string {
  const parts: string[] = [];
  write(element, skips, parts);
  return parts.join('');
}

function write({ name, attributes, children }: HtmlElement, skips: (e: HtmlElement) => boolean, parts: string[]): void {
  if (name !== '') {
    parts.push('<', name);
    for (const [attribute, value] of Object.entries(attributes)) parts.push(' ', attribute, '="', escaped(value), '"');
    parts.push('>');
  }
  for (const child of children) {
    if (typeof child === 'string') parts.push(raw.has(name) ? child : escaped(child));
    else if (!skips(child)) write(child, skips, parts);
  }
  if (name !== '' && !empty.has(name)) parts.push('</', name, '>');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
