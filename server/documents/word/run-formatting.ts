import { childOf, isOn, type XmlElement } from '../package/xml-tree.ts';

/** How letters are set, as far as Markdown shows it; false takes back what a style says. */
export type Formatting = Partial<
  Record<'bold' | 'italic' | 'strikethrough' | 'superscript' | 'subscript' | 'hidden', boolean>
>;

/** What run properties (`rPr`) say. */
export function takeFormatting(properties: XmlElement | undefined): Formatting {
  const formatting: Formatting = {};
  for (const [name, kind] of toggles) {
    const found = childOf(properties, name);
    if (found !== undefined) formatting[kind] = isOn(found.attributes['val']) || formatting[kind] === true;
  }
  const shift = childOf(properties, 'vertAlign')?.attributes['val'];
  if (shift !== undefined) {
    formatting.superscript = shift === 'superscript';
    formatting.subscript = shift === 'subscript';
  }
  return formatting;
}

const toggles = [
  ['b', 'bold'],
  ['i', 'italic'],
  ['strike', 'strikethrough'],
  ['dstrike', 'strikethrough'],
  ['vanish', 'hidden'],
] as const;

/** The formatting of a run below those of its styles; only what is on. */
export function merged(...layers: readonly (Formatting | undefined)[]): Formatting {
  const all: Formatting = Object.assign({}, ...layers);
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value));
}
