import { childOf, descendantOf, descendantsOf, type XmlElement } from '../package/xml-tree.ts';

/** The marker before a paragraph, from the nearest style that specifies one. */
export type Marker = { listType: 'ordered' | 'unordered' | 'none'; startAt: number };

type Placeholder = { type: string; index: string };
type Shape = { placeholder: Placeholder | undefined; listStyle: XmlElement | undefined };

/** The styles that a slide inherits: of its layout, its master and the presentation. */
export type Surroundings = {
  layout: readonly Shape[];
  master: readonly Shape[];
  titleStyle: XmlElement | undefined;
  bodyStyle: XmlElement | undefined;
  otherStyle: XmlElement | undefined;
  defaults: XmlElement | undefined;
};

/** Reads the styles of a slide's layout and master. */
export function surroundingsOf(
  layout: XmlElement | undefined,
  master: XmlElement | undefined,
  presentation: XmlElement,
): Surroundings {
  const styles = descendantOf(master, 'txStyles');
  return {
    layout: shapesOf(layout),
    master: shapesOf(master),
    titleStyle: childOf(styles, 'titleStyle'),
    bodyStyle: childOf(styles, 'bodyStyle'),
    otherStyle: childOf(styles, 'otherStyle'),
    defaults: descendantOf(presentation, 'defaultTextStyle'),
  };
}

/** The placeholder that a shape fills; undefined for one of its own. */
export function placeholderOf(shape: XmlElement): Placeholder | undefined {
  const tag = descendantOf(childOf(shape, 'nvSpPr'), 'ph');
  return tag === undefined ? undefined : { type: tag.attributes['type'] ?? 'obj', index: tag.attributes['idx'] ?? '0' };
}

/** The marker that the styles of a shape give a paragraph of a level. */
export function inheritedMarker(shape: XmlElement, level: number, surroundings: Surroundings): Marker | undefined {
  for (const style of stylesOf(shape, surroundings)) {
    const marker = markerOf(childOf(style, `a:lvl${level + 1}pPr`));
    if (marker !== undefined) return marker;
  }
  return undefined;
}

/** The marker that paragraph properties specify. */
export function markerOf(properties: XmlElement | undefined): Marker | undefined {
  if (properties === undefined) return undefined;
  for (const [name, listType] of [
    ['a:buNone', 'none'],
    ['a:buAutoNum', 'ordered'],
    ['a:buChar', 'unordered'],
    ['a:buBlip', 'unordered'],
  ] as const) {
    const found = childOf(properties, name);
    if (found !== undefined) return { listType, startAt: Number(found.attributes['startAt'] ?? 1) || 1 };
  }
  return undefined;
}

function shapesOf(part: XmlElement | undefined): Shape[] {
  if (part === undefined) return [];
  return [...descendantsOf(part, 'sp')].map((shape) => ({
    placeholder: placeholderOf(shape),
    listStyle: listStyleOf(shape),
  }));
}

function listStyleOf(shape: XmlElement): XmlElement | undefined {
  return childOf(childOf(shape, 'txBody'), 'a:lstStyle');
}

/** The styles that apply to a shape's levels, nearest first. */
function stylesOf(shape: XmlElement, surroundings: Surroundings): (XmlElement | undefined)[] {
  const { layout, master, titleStyle, bodyStyle, otherStyle, defaults } = surroundings;
  const placeholder = placeholderOf(shape);
  const own = listStyleOf(shape);
  if (placeholder === undefined) return [own, defaults, otherStyle];
  const { type, index } = placeholder;
  const inLayout =
    layout.find((one) => one.placeholder?.index === index && one.placeholder.type === type) ??
    layout.find((one) => one.placeholder?.index === index) ??
    layout.find((one) => one.placeholder?.type === type);
  const kind = kindOf(inLayout?.placeholder?.type ?? type);
  const inMaster = master.find((one) => one.placeholder !== undefined && kindOf(one.placeholder.type) === kind);
  const ofKind = { title: titleStyle, body: bodyStyle, other: otherStyle }[kind];
  return [own, inLayout?.listStyle, kind === 'other' ? undefined : inMaster?.listStyle, ofKind];
}

function kindOf(type: string): 'title' | 'body' | 'other' {
  if (type === 'title' || type === 'ctrTitle') return 'title';
  return runningPlaceholders.has(type) ? 'other' : 'body';
}

/** Placeholders of what runs through all slides: date, footer, number, header, and the picture of the slide. */
export const runningPlaceholders: ReadonlySet<string> = new Set(['dt', 'ftr', 'sldNum', 'hdr', 'sldImg']);
