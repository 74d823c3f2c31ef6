import { childOf, elementsOf, isOn, type XmlElement } from '../package/xml-tree.ts';
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
  /** Whether its paragraphs are drop caps; undefined if it says nothing about frames. */
  isDropCap: boolean | undefined;
};

/** A level of a list: its number format, its label with `%1` for numbers, its first number, and the style linked to it. */
export type ListLevel = {
  format: string;
  label: string | undefined;
  /** Whether all numbers of the label are decimal, as in legal texts. */
  isLegal: boolean;
  start: number;
  /** Whether the list begins again with this number, though others of its definition came before. */
  restarts: boolean;
  styleId: string | undefined;
};

/** The levels of a list, and the definition that it shares with others. */
export type NumberedList = { definition: string; levels: readonly (ListLevel | undefined)[] };

export type WordStyles = {
  styles: ReadonlyMap<string, WordStyle>;
  defaultStyleId: string | undefined;
  lists: ReadonlyMap<string, NumberedList>;
};

export type ListPlace = {
  listId: string;
  level: number;
  indentation: number;
  list: NumberedList;
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
      isDropCap: frameIsDropCap(properties),
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

/** Whether a paragraph with these properties is the large first letter of the next one. */
export function isDropCap(properties: XmlElement | undefined, { styles }: WordStyles): boolean {
  const own = frameIsDropCap(properties);
  if (own !== undefined) return own;
  let style = styles.get(valueOf(properties, 'pStyle') ?? '');
  for (let depth = 0; style !== undefined && depth < maxAncestors; depth += 1) {
    if (style.isDropCap !== undefined) return style.isDropCap;
    style = styles.get(style.basedOn ?? '');
  }
  return false;
}

function frameIsDropCap(properties: XmlElement | undefined): boolean | undefined {
  const frame = childOf(properties, 'framePr');
  return frame === undefined ? undefined : (frame.attributes['dropCap'] ?? 'none') !== 'none';
}

/** The list of a paragraph with these numbering properties and this style; undefined if it is in none. */
export function listPlaceOf(
  own: { numId: string | undefined; level: number } | undefined,
  styleId: string | undefined,
  { styles, lists }: WordStyles,
): ListPlace | undefined {
  if (own?.numId !== undefined) {
    if (own.numId === '0') return undefined;
    const list = lists.get(own.numId) ?? { definition: `missing-${own.numId}`, levels: [] };
    return { listId: own.numId, level: own.level, indentation: own.level, list };
  }
  let style = styleId === undefined ? undefined : styles.get(styleId);
  for (let depth = 0; style !== undefined && depth < maxAncestors; depth += 1) {
    const { id, numId, name, basedOn } = style;
    if (numId === '0') return undefined;
    if (numId !== undefined) {
      const list = lists.get(numId) ?? {
        definition: `missing-${numId}`,
        levels: Array.from({ length: 9 }, () => bullet),
      };
      const { levels } = list;
      // A list level may name its style; otherwise the style determines the level.
      const named = levels.findIndex((one) => one?.styleId === id);
      const level = named === -1 ? (own?.level ?? style.level) : named;
      // “List Bullet 2” is a separate list with one level, indented further.
      const indentation = level > 0 ? level : Number(/^List \w+ ([2-5])$/i.exec(name)?.[1] ?? 1) - 1;
      return { listId: numId, level, indentation, list };
    }
    style = basedOn === undefined ? undefined : styles.get(basedOn);
  }
  return undefined;
}

export const decimalLevel: ListLevel = {
  format: 'decimal',
  label: undefined,
  isLegal: false,
  start: 1,
  restarts: false,
  styleId: undefined,
};
const bullet: ListLevel = { ...decimalLevel, format: 'bullet' };

/** Numbers and levels from the properties of a paragraph. */
export function numberingOf(
  properties: XmlElement | undefined,
): { numId: string | undefined; level: number } | undefined {
  const numbers = childOf(properties, 'numPr');
  return numbers === undefined
    ? undefined
    : { numId: valueOf(numbers, 'numId'), level: levelOf(valueOf(numbers, 'ilvl')) };
}

function readLists(numbering: XmlElement | undefined): Map<string, NumberedList> {
  const definitions = new Map<string, (ListLevel | undefined)[]>();
  for (const definition of inside(numbering, 'abstractNum')) {
    const levels: (ListLevel | undefined)[] = [];
    for (const level of inside(definition, 'lvl')) levels[levelOf(level.attributes['ilvl'])] = readLevel(level);
    definitions.set(definition.attributes['abstractNumId'] ?? '', levels);
  }
  const lists = new Map<string, NumberedList>();
  for (const list of inside(numbering, 'num')) {
    const definition = valueOf(list, 'abstractNumId') ?? '';
    const levels = [...(definitions.get(definition) ?? [])];
    for (const override of inside(list, 'lvlOverride')) {
      const place = levelOf(override.attributes['ilvl']);
      const own = childOf(override, 'lvl');
      if (own !== undefined) levels[place] = readLevel(own);
      const start = valueOf(override, 'startOverride');
      if (start !== undefined)
        levels[place] = { ...(levels[place] ?? decimalLevel), start: Number(start) || 0, restarts: true };
    }
    lists.set(list.attributes['numId'] ?? '', { definition, levels });
  }
  return lists;
}

function readLevel(level: XmlElement): ListLevel {
  const isLegal = childOf(level, 'isLgl');
  return {
    format: valueOf(level, 'numFmt') ?? 'decimal',
    label: valueOf(level, 'lvlText'),
    isLegal: isLegal !== undefined && isOn(isLegal.attributes['val']),
    start: Number(valueOf(level, 'start') ?? 1) || 0,
    restarts: false,
    styleId: valueOf(level, 'pStyle'),
  };
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
