import type { OfficeContentNode } from 'officeparser';
import { latexOf } from '../package/formulas.ts';
import { childOf, descendantsOf, elementsOf, isOn, textIn, type XmlElement } from '../package/xml-tree.ts';
import { characterOfSymbol } from './symbols.ts';
import { merged, takeFormatting, type Formatting } from './run-formatting.ts';
import { valueOf } from './word-styles.ts';
import type { WordContext } from './word-context.ts';

/** The contents of a paragraph, and what stands in it but is no part of its line: the blocks of text boxes. */
export type Line = {
  children: OfficeContentNode[];
  notes: OfficeContentNode[];
  comments: OfficeContentNode[];
  drawings: XmlElement[];
};

/** Text that is no longer, or not yet, part of the document. */
const left = new Set([
  'pPr',
  'rPr',
  'sdtPr',
  'del',
  'moveFrom',
  'rt',
  'rubyPr',
  'instrText',
  'delText',
  'ffData',
  'tblPr',
]);

/** Reads the runs of a paragraph of a style in order. */
export function readLine(paragraph: XmlElement, styleId: string | undefined, context: WordContext): Line {
  const line: Line = { children: [], notes: [], comments: [], drawings: [] };
  readInner(paragraph, { styleId, link: undefined, context, line, formatting: {}, style: undefined });
  return line;
}

type Place = {
  styleId: string | undefined;
  link: string | undefined;
  context: WordContext;
  line: Line;
  /** Formatting and style of the run. */
  formatting: Formatting;
  style: string | undefined;
};

function readInner(element: XmlElement, place: Place): void {
  for (const child of elementsOf(element)) readElement(child, place);
}

function readElement(element: XmlElement, place: Place): void {
  const { context, line } = place;
  const { name, attributes } = element;
  if (name === 'del')
    for (const deleted of descendantsOf(element, 'delText')) context.counts.deleted += textIn(deleted).length;
  if (left.has(name)) return;
  switch (name) {
    case 'r':
      readInner(element, { ...place, ...formattingOf(element, place) });
      return;
    case 't':
      addText(textIn(element), place);
      return;
    case 'tab':
    case 'ptab':
      addText('\t', place);
      return;
    case 'noBreakHyphen':
      addText('-', place);
      return;
    case 'sym':
      addSymbol(attributes['font'] ?? '', attributes['char'] ?? '', place);
      return;
    case 'cr':
    case 'br':
      // Breaks of pages and columns are no text.
      if (name === 'cr' || (attributes['type'] ?? 'textWrapping') === 'textWrapping') addBreak(name, line);
      return;
    case 'fldChar':
      addFormField(childOf(element, 'ffData'), place);
      return;
    case 'hyperlink': {
      const target = context.relations.get(attributes['r:id'] ?? '');
      const link = place.link ?? (target?.isExternal === true ? target.target : undefined);
      readInner(element, { ...place, link });
      return;
    }
    case 'footnoteReference':
      attach(context.footnotes.get(attributes['id'] ?? ''), 'notes', line);
      return;
    case 'endnoteReference':
      attach(context.endnotes.get(attributes['id'] ?? ''), 'notes', line);
      return;
    case 'commentReference':
      attach(context.comments.get(attributes['id'] ?? ''), 'comments', line);
      return;
    case 'drawing':
    case 'pict':
    case 'object':
      line.drawings.push(element);
      return;
    case 'm:oMath':
    case 'm:oMathPara': {
      const latex = latexOf(element);
      const math = name === 'm:oMathPara' ? 'block' : 'inline';
      if (latex !== '') line.children.push({ type: 'code', text: latex, metadata: { math } });
      return;
    }
    default:
      readInner(element, place);
  }
}

function formattingOf(run: XmlElement, { context, styleId }: Place): Pick<Place, 'formatting' | 'style'> {
  const properties = childOf(run, 'rPr');
  const { styles, defaultStyleId } = context.styles;
  const style = valueOf(properties, 'rStyle') ?? styleId;
  const formatting = merged(
    styles.get(styleId ?? '')?.formatting,
    styles.get(style ?? '')?.formatting,
    takeFormatting(properties),
  );
  return { formatting, style: style ?? defaultStyleId };
}

function addText(text: string, { line, formatting: all, style, link, context }: Place): void {
  if (text === '') return;
  const { hidden, ...formatting } = all;
  if (hidden === true) context.counts.hidden += text.length;
  const metadata = {
    ...(style === undefined || text === '\t' ? {} : { style }),
    ...(link === undefined ? {} : { link, linkType: 'external' }),
  };
  const more = Object.keys(metadata).length === 0 ? {} : { metadata };
  line.children.push({ type: 'text', text, formatting: { ...formatting }, ...more } as OfficeContentNode);
}

function addBreak(name: 'br' | 'cr', line: Line): void {
  const breakType = name === 'cr' ? 'carriageReturn' : 'textWrapping';
  line.children.push({ type: 'break', metadata: { breakType } });
}

function addSymbol(font: string, written: string, place: Place): void {
  const code = Number.parseInt(written, 16);
  const character = Number.isInteger(code) && code <= 0xffff ? characterOfSymbol(font, code) : undefined;
  if (character !== undefined) {
    addText(character, place);
    return;
  }
  const { symbols } = place.context.counts;
  symbols.set(font, (symbols.get(font) ?? 0) + 1);
}

/** The chosen entry of a drop-down list, or whether a box is ticked; texts of other fields stand in the document. */
function addFormField(data: XmlElement | undefined, place: Place): void {
  const list = childOf(data, 'ddList');
  if (list !== undefined) {
    const entries = [...elementsOf(list)].filter(({ name }) => name === 'listEntry');
    const chosen = Number(valueOf(list, 'result') ?? valueOf(list, 'default') ?? 0);
    addText(entries[chosen]?.attributes['val'] ?? '', place);
  }
  const box = childOf(data, 'checkBox');
  if (box === undefined) return;
  const state = childOf(box, 'checked') ?? childOf(box, 'default');
  addText(state !== undefined && isOn(state.attributes['val']) ? '☒' : '☐', place);
}

/** Notes and comments belong to the text before them. */
function attach(node: OfficeContentNode | undefined, kind: 'notes' | 'comments', line: Line): void {
  if (node === undefined) return;
  const last = line.children.at(-1);
  if (last === undefined) line[kind].push(node);
  else (last[kind] ??= []).push(node);
}
