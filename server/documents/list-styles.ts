import type { OfficeContentNode } from 'officeparser';
import { eachTag, tagsOf, type ReadPart } from './office-parts.ts';

/** The list that paragraphs of a style belong to. */
type StyleList = { id: string; listType: 'ordered' | 'unordered'; indentation: number };
type OwnStyle = { basedOn: string | undefined; name: string; numId: string | undefined; level: number };

/** Limit of a style's ancestors, against cycles; no real style has as many. */
const maxAncestors = 20;

/**
 * Turns paragraphs of a Word document into list items if their style says so: officeparser detects only paragraphs that
 * are list items themselves. Changes `content`, which is officeparser's.
 */
export async function makeLists(read: ReadPart, content: OfficeContentNode[]): Promise<void> {
  const styles = readStyles(await read('word/styles.xml'));
  if (![...styles.values()].some(({ numId }) => numId !== undefined)) return;
  const isOrdered = readFormats(await read('word/numbering.xml'));
  const items = new Map<string, number>();

  function visit(nodes: OfficeContentNode[]): void {
    for (const [index, node] of nodes.entries()) {
      const list = node.type === 'paragraph' ? findList(node.metadata?.style) : undefined;
      if (list === undefined) visit(node.children ?? []);
      else {
        const itemIndex = items.get(list.id) ?? 0;
        items.set(list.id, itemIndex + 1);
        const { listType, indentation, id: listId } = list;
        nodes[index] = {
          ...node,
          type: 'list',
          metadata: { listType, indentation, alignment: 'left', listId, itemIndex },
        } as OfficeContentNode;
      }
    }
  }

  function findList(styleId: string | undefined): StyleList | undefined {
    let style = styleId === undefined ? undefined : styles.get(styleId);
    for (let depth = 0; style !== undefined && depth < maxAncestors; depth += 1) {
      const { numId, level, name, basedOn } = style;
      if (numId === '0') return undefined;
      if (numId !== undefined) {
        // “List Bullet 2” is a separate, further indented list with one level.
        const indentation = level > 0 ? level : Number(/^List \w+ ([2-5])$/i.exec(name)?.[1] ?? 1) - 1;
        const ordered = isOrdered(numId, level);
        return { id: `style-${numId}`, listType: ordered ? 'ordered' : 'unordered', indentation };
      }
      style = basedOn === undefined ? undefined : styles.get(basedOn);
    }
    return undefined;
  }

  visit(content);
}

function readStyles(xml: string): Map<string, OwnStyle> {
  const styles = new Map<string, OwnStyle>();
  for (const [text, attributes = ''] of xml.matchAll(/<w:style\b([^<>]*)>.*?<\/w:style>/gs)) {
    const id = /\bw:styleId="([^"]*)"/.exec(attributes)?.[1];
    if (id === undefined || !attributes.includes('w:type="paragraph"')) continue;
    const valueOf = (name: string): string | undefined => eachTag(text, name).next().value?.['w:val'];
    const level = Number(valueOf('ilvl') ?? 0);
    styles.set(id, { basedOn: valueOf('basedOn'), name: valueOf('name') ?? '', numId: valueOf('numId'), level });
  }
  return styles;
}

/** Returns whether the items of a list are numbered at a level. */
function readFormats(xml: string): (numId: string, level: number) => boolean {
  const formats = new Map<string, (string | undefined)[]>();
  for (const [text, id = ''] of xml.matchAll(/<w:abstractNum\b[^<>]*w:abstractNumId="(\d+)".*?<\/w:abstractNum>/gs)) {
    formats.set(
      id,
      tagsOf(text, 'numFmt').map((tag) => tag['w:val']),
    );
  }
  const lists = new Map<string, string>();
  for (const [, id = '', abstractId = ''] of xml.matchAll(
    /<w:num\b[^<>]*w:numId="(\d+)"[^<>]*>\s*<w:abstractNumId w:val="(\d+)"/g,
  )) {
    lists.set(id, abstractId);
  }
  return (numId, level) => {
    const format = formats.get(lists.get(numId) ?? '')?.[level];
    return format !== undefined && format !== 'bullet' && format !== 'none';
  };
}
