import type { OfficeContentNode } from 'officeparser';
import { plainText, tagsOf, type ReadPart } from './office-parts.ts';

/** The marker before a paragraph, from the nearest style that specifies one. */
type Marker = { listType: 'ordered' | 'unordered' | 'none'; startAt: number };
/** A paragraph that the styles of its shape make a list item. */
type Item = { listType: 'ordered' | 'unordered'; level: number; listId: string; itemIndex: number };
/** A shape of a slide, layout or master. */
type Shape = { placeholder: { type: string; index: string } | undefined; xml: string };
type Master = { shapes: Shape[]; styles: Readonly<Record<'title' | 'body' | 'other', string>> };

/**
 * Turns paragraphs of a presentation into list items if the styles of their shape, layout or master say so:
 * officeparser detects only paragraphs with a marker of their own. Modifies `slides`, the nodes from officeparser.
 */
export async function makeSlideLists(read: ReadPart, slides: readonly OfficeContentNode[]): Promise<void> {
  const presentation = await read('ppt/presentation.xml');
  const defaults = contentOf(presentation, 'p:defaultTextStyle');
  const parts = await listSlides(read, presentation);
  const masters = new Map<string, Master>();
  for (const slide of slides) {
    const { slideNumber = 0 } = (slide.metadata ?? {}) as { slideNumber?: number };
    const part = slide.type === 'slide' ? parts[slideNumber - 1] : undefined;
    if (part === undefined) continue;
    const layoutPart = await relatedPart(read, part, 'slideLayout');
    const masterPart = await relatedPart(read, layoutPart, 'slideMaster');
    const master = masters.get(masterPart) ?? readMaster(await read(masterPart));
    masters.set(masterPart, master);
    const layout = shapesOf(await read(layoutPart));
    const items = itemsByText(shapesOf(await read(part)), { layout, master, defaults });
    slide.children = (slide.children ?? []).map((node) => {
      const item = node.type === 'paragraph' ? items.get(node.text ?? '')?.shift() : undefined;
      return item === undefined ? node : toListItem(node, item);
    });
  }
}

/** The slides' parts in presentation order. */
export async function listSlides(read: ReadPart, presentation: string): Promise<string[]> {
  const targets = new Map((await relationsOf(read, 'ppt/presentation.xml')).map(({ id, target }) => [id, target]));
  return tagsOf(contentOf(presentation, 'p:sldIdLst'), 'sldId').flatMap((tag) => targets.get(tag['r:id'] ?? '') ?? []);
}

async function relationsOf(read: ReadPart, part: string): Promise<{ id: string; type: string; target: string }[]> {
  const folder = part.slice(0, part.lastIndexOf('/') + 1);
  const xml = await read(`${folder}_rels/${part.slice(folder.length)}.rels`);
  return tagsOf(xml, 'Relationship').map(({ Id = '', Type = '', Target = '' }) => ({
    id: Id,
    type: Type.slice(Type.lastIndexOf('/') + 1),
    target: URL.parse(plainText(Target), `part:///${folder}`)?.pathname.slice(1) ?? '',
  }));
}

async function relatedPart(read: ReadPart, part: string, type: string): Promise<string> {
  if (part === '') return '';
  return (await relationsOf(read, part)).find((relation) => relation.type === type)?.target ?? '';
}

function readMaster(xml: string): Master {
  const styles = contentOf(xml, 'p:txStyles');
  return {
    shapes: shapesOf(xml),
    styles: {
      title: contentOf(styles, 'p:titleStyle'),
      body: contentOf(styles, 'p:bodyStyle'),
      other: contentOf(styles, 'p:otherStyle'),
    },
  };
}

function shapesOf(xml: string): Shape[] {
  return [...xml.matchAll(/<p:sp(?:\s[^<>]*)?>.*?<\/p:sp>/gs)].map(([shape]) => {
    const [tag] = tagsOf(shape, 'ph');
    const placeholder = tag === undefined ? undefined : { type: tag['type'] ?? 'obj', index: tag['idx'] ?? '0' };
    return { placeholder, xml: shape };
  });
}

type Surroundings = { layout: readonly Shape[]; master: Master; defaults: string };

/** The list items of a slide by text, in slide order. */
function itemsByText(shapes: readonly Shape[], surroundings: Surroundings): Map<string, (Item | undefined)[]> {
  const items = new Map<string, (Item | undefined)[]>();
  for (const [index, shape] of shapes.entries()) {
    const styles = stylesOf(shape, surroundings);
    const counts: number[] = [];
    for (const { text, level, own } of paragraphsOf(shape.xml)) {
      const marker = own ?? styles.map((style) => markerOf(levelOf(style, level))).find((found) => found !== undefined);
      let item: Item | undefined;
      if (marker !== undefined && marker.listType !== 'none') {
        counts.length = Math.min(counts.length, level + 1);
        const itemIndex = (counts[level] ?? marker.startAt - 2) + 1;
        counts[level] = itemIndex;
        item = { listType: marker.listType, level, listId: `shape-${index}`, itemIndex };
      }
      const same = items.get(text);
      if (same === undefined) items.set(text, [item]);
      else same.push(item);
    }
  }
  return items;
}

/** The styles that apply to a shape's levels, nearest first. */
function stylesOf({ placeholder, xml }: Shape, { layout, master, defaults }: Surroundings): string[] {
  const own = contentOf(xml, 'a:lstStyle');
  if (placeholder === undefined) return [own, defaults, master.styles.other];
  const { type, index } = placeholder;
  const inLayout =
    layout.find((shape) => shape.placeholder?.index === index && shape.placeholder.type === type) ??
    layout.find((shape) => shape.placeholder?.index === index) ??
    layout.find((shape) => shape.placeholder?.type === type);
  const kind = kindOf(inLayout?.placeholder?.type ?? type);
  const inMaster = master.shapes.find(
    (shape) => shape.placeholder !== undefined && kindOf(shape.placeholder.type) === kind,
  );
  return [
    own,
    contentOf(inLayout?.xml ?? '', 'a:lstStyle'),
    kind === 'other' ? '' : contentOf(inMaster?.xml ?? '', 'a:lstStyle'),
    master.styles[kind],
  ];
}

function kindOf(type: string): 'title' | 'body' | 'other' {
  if (type === 'title' || type === 'ctrTitle') return 'title';
  return ['dt', 'ftr', 'sldNum', 'hdr', 'sldImg'].includes(type) ? 'other' : 'body';
}

type Paragraph = { text: string; level: number; own: Marker | undefined };

function paragraphsOf(xml: string): Paragraph[] {
  return [...xml.matchAll(/<a:p(?:\s[^<>]*[^/<>])?>(.*?)<\/a:p>/gs)].map(([, content = '']) => {
    const [, attributes = '', properties = ''] = /<a:pPr(\s[^<>]*?)?(?:\/>|>(.*?)<\/a:pPr>)/s.exec(content) ?? [];
    const level = Number(/\blvl="(\d)"/.exec(attributes)?.[1] ?? 0);
    const text = [...content.matchAll(/<a:t(?:\s[^<>]*)?>([^<]*)<\/a:t>|<a:br\b/g)]
      .map(([, shown]) => (shown === undefined ? '\n' : plainText(shown)))
      .join('');
    return { text, level, own: markerOf(properties) };
  });
}

function markerOf(properties: string): Marker | undefined {
  const [, kind, attributes = ''] = /<a:bu(None|AutoNum|Char|Blip)\b([^<>]*)/.exec(properties) ?? [];
  if (kind === undefined) return undefined;
  const startAt = Number(/\bstartAt="(\d{1,5})"/.exec(attributes)?.[1] ?? 1);
  if (kind === 'None') return { listType: 'none', startAt };
  return { listType: kind === 'AutoNum' ? 'ordered' : 'unordered', startAt };
}

function levelOf(style: string, level: number): string {
  return contentOf(style, `a:lvl${level + 1}pPr`);
}

/** The content of the first element with this name. */
function contentOf(xml: string, name: string): string {
  return new RegExp(String.raw`<${name}(?:\s[^<>]*?)?(?:\/>|>(.*?)<\/${name}>)`, 's').exec(xml)?.[1] ?? '';
}

function toListItem(node: OfficeContentNode, { listType, level, listId, itemIndex }: Item): OfficeContentNode {
  // A list item is one line.
  const children = node.children?.map((child) => (child.text === '\n' ? { ...child, text: ' ' } : child));
  return {
    ...node,
    type: 'list',
    children,
    metadata: { listType, indentation: level, alignment: 'left', listId, itemIndex },
  } as OfficeContentNode;
}
