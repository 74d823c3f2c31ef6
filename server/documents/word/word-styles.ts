import { childOf, elementsOf, type XmlElement } from '../package/xml-tree.ts';
import { takeFormatting, type Formatting } from './run-formatting.ts';

/** A style of paragraphs or characters. */
export type WordStyle = {
  id: string;
  name: string;
  basedOn: string | undefined;
  formatting: Formatting;
  /** The list that its paragraphs belong to; `0` for none. */
  numId: string | undefined;
  level: number;
};

/** A level of a list: its number format, its first number, and the style linked to it. */
export type ListLevel = { format: string; start: number; styleId: string | undefined };

export type WordStyles = {
  styles: ReadonlyMap<string, WordStyle>;
  defaultStyleId: string | undefined;
  lists: ReadonlyMap<string, readonly (ListLevel | undefined)[]>;
};

export type ListPlace = {
  listId: string;
  listType: 'ordered' | 'unordered';
  level: number;
  indentation: number;
  start: number;
};

/** Guards against cycles; no real style has this many ancestors. */
const maxAncestors = 20;
const maxLevel = 8;

export function readWordStyles(styles: XmlElement, numbering: XmlElement): WordStyles {
  const found = new Map<string, WordStyle>();
  let defaultStyleId: string | undefined;
  for (const style of inside(childOf(styles, 'styles'), 'style')) {
    const { styleId: id, type, default: isDefault } = style.attributes;
    if (id === undefined) continue;
    const properties = childOf(style, 'pPr');
    const numbers = childOf(properties, 'numPr');
    found.set(id, {
      id,
      name: valueOf(style, 'name') ?? '',
      basedOn: valueOf(style, 'basedOn'),
      formatting: takeFormatting(childOf(style, 'rPr')),
      numId: type === 'paragraph' ? valueOf(numbers, 'numId') : undefined,
      level: levelOf(valueOf(numbers, 'ilvl')),
    });
    if (type === 'paragraph' && (isDefault === '1' || isDefault === 'true')) defaultStyleId ??= id;
  }
  defaultStyleId ??= found.has('Normal') ? 'Normal' : undefined;
  return { styles: found, defaultStyleId, lists: readLists(childOf(numbering, 'numbering')) };
}

/** The heading level of a style; undefined for other styles. Names of built-in styles are English in every file. */
export function headingLevelOf(styleId: string | undefined, { styles }: WordStyles): number | undefined {
  if (styleId === undefined) return undefined;
  if (styleId === 'Title') return 1;
  if (styleId.startsWith('Heading')) return Number.parseInt(styleId.slice('Heading'.length), 10) || 1;
  const level = /^heading ([1-9])$/i.exec(styles.get(styleId)?.name ?? '')?.[1];
  return level === undefined ? undefined : Number(level);
}

/** The list of a paragraph with these numbering properties and this style; undefined if it is in none. */
export function listPlaceOf(
  own: { numId: string | undefined; level: number } | undefined,
  styleId: string | undefined,
  { styles, lists }: WordStyles,
): ListPlace | undefined {
  if (own?.numId !== undefined) {
    if (own.numId === '0') return undefined;
    const level = lists.get(own.numId)?.[own.level];
    return placeOf(own.numId, own.level, own.level, level ?? (lists.has(own.numId) ? undefined : decimal));
  }
  let style = styleId === undefined ? undefined : styles.get(styleId);
  for (let depth = 0; style !== undefined && depth < maxAncestors; depth += 1) {
    const { id, numId, name, basedOn } = style;
    if (numId === '0') return undefined;
    if (numId !== undefined) {
      const levels = lists.get(numId) ?? [];
      // A list level may name its style; otherwise the style determines the level.
      const named = levels.findIndex((one) => one?.styleId === id);
      const level = named === -1 ? (own?.level ?? style.level) : named;
      // “List Bullet 2” is a separate list with one level, indented further.
      const indentation = level > 0 ? level : Number(/^List \w+ ([2-5])$/i.exec(name)?.[1] ?? 1) - 1;
      return placeOf(numId, level, indentation, levels[level] ?? bullet);
    }
    style = basedOn === undefined ? undefined : styles.get(basedOn);
  }
  return undefined;
}

const decimal: ListLevel = { format: 'decimal', start: 1, styleId: undefined };
const bullet: ListLevel = { format: 'bullet', start: 1, styleId: undefined };

function placeOf(listId: string, level: number, indentation: number, { format, start } = decimal): ListPlace {
  const listType = format === 'bullet' || format === 'none' ? 'unordered' : 'ordered';
  return { listId, listType, level, indentation, start };
}

/** Numbers and levels from the properties of a paragraph. */
export function numberingOf(
  properties: XmlElement | undefined,
): { numId: string | undefined; level: number } | undefined {
  const numbers = childOf(properties, 'numPr');
  return numbers === undefined
    ? undefined
    : { numId: valueOf(numbers, 'numId'), level: levelOf(valueOf(numbers, 'ilvl')) };
}

function readLists(numbering: XmlElement | undefined): Map<string, (ListLevel | undefined)[]> {
  const definitions = new Map<string, (ListLevel | undefined)[]>();
  for (const definition of inside(numbering, 'abstractNum')) {
    const levels: (ListLevel | undefined)[] = [];
    for (const level of inside(definition, 'lvl')) {
      const start = Number(valueOf(level, 'start') ?? 1) || 0;
      const place = levelOf(level.attributes['ilvl']);
      levels[place] = { format: valueOf(level, 'numFmt') ?? 'decimal', start, styleId: valueOf(level, 'pStyle') };
    }
    definitions.set(definition.attributes['abstractNumId'] ?? '', levels);
  }
  const lists = new Map<string, (ListLevel | undefined)[]>();
  for (const list of inside(numbering, 'num')) {
    const levels = [...(definitions.get(valueOf(list, 'abstractNumId') ?? '') ?? [])];
    for (const override of inside(list, 'lvlOverride')) {
      const place = levelOf(override.attributes['ilvl']);
      const start = valueOf(override, 'startOverride');
      const level = levels[place];
      if (start !== undefined && level !== undefined) levels[place] = { ...level, start: Number(start) || 0 };
    }
    lists.set(list.attributes['numId'] ?? '', levels);
  }
  return lists;
}

function levelOf(written: string | undefined): number {
  return Math.min(maxLevel, Math.max(0, Number.parseInt(written ?? '0', 10) || 0));
}

/** The value of a property: the attribute `val` of the element with this name. */
export function valueOf(element: XmlElement | undefined, name: string): string | undefined {
  return childOf(element, name)?.attributes['val'];
}

function inside(element: XmlElement | undefined, name: string): XmlElement[] {
  return element === undefined ? [] : [...elementsOf(element)].filter((child) => child.name === name);
}
