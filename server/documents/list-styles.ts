import type { OfficeContentNode } from 'officeparser';
import { eachTag, type ReadPart } from './office-parts.ts';

/** The list to which paragraphs of a style belong. */
type StyleList = { id: string; listType: 'ordered' | 'unordered'; level: number; indentation: number };
type OwnStyle = { id: string; basedOn: string | undefined; name: string; numId: string | undefined; level: number };

/** Guards against cycles; no real style has this many ancestors. */
const maxAncestors = 20;

/**
 * Turns paragraphs of a Word document into list items if their style says so: officeparser detects only paragraphs that
 * are list items themselves. Modifies `content`, the nodes from officeparser.
 */
export async function makeLists(read: ReadPart, content: OfficeContentNode[]): Promise<void> {
  const styles = readStyles(await read('word/styles.xml'));
  if (![...styles.values()].some(({ numId }) => numId !== undefined)) return;
  const lists = readLists(await read('word/numbering.xml'));
  /** Number of items of each list so far, by level. */
  const items = new Map<string, number[]>();

  function visit(nodes: OfficeContentNode[]): void {
    for (const [index, node] of nodes.entries()) {
      const list = node.type === 'paragraph' ? findList(node.metadata?.style) : undefined;
      if (list === undefined) visit(node.children ?? []);
      else {
        // An item restarts the numbering of deeper levels.
        const counts = (items.get(list.id) ?? []).slice(0, list.level + 1);
        const itemIndex = counts[list.level] ?? 0;
        counts[list.level] = itemIndex + 1;
        items.set(list.id, counts);
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
      const { id, numId, name, basedOn } = style;
      if (numId === '0') return undefined;
      if (numId !== undefined) {
        const levels = lists.get(numId) ?? [];
        // A list level may name its style; otherwise the style determines the level.
        const named = levels.findIndex((one) => one?.styleId === id);
        const level = named === -1 ? style.level : named;
        // “List Bullet 2” is a separate list with one level, indented further.
        const indentation = level > 0 ? level : Number(/^List \w+ ([2-5])$/i.exec(name)?.[1] ?? 1) - 1;
        const format = levels[level]?.format ?? 'bullet';
        return { id: `style-${numId}`, listType: format === 'bullet' ? 'unordered' : 'ordered', level, indentation };
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
    styles.set(id, { id, basedOn: valueOf('basedOn'), name: valueOf('name') ?? '', numId: valueOf('numId'), level });
  }
  return styles;
}

/** A level of a list: its number format (`bullet` if unnumbered), and the style linked to it. */
type ListLevel = { format: string; styleId: string | undefined };

/** The levels of lists by list ID. */
function readLists(xml: string): Map<string, (ListLevel | undefined)[]> {
  const definitions = new Map<string, (ListLevel | undefined)[]>();
  for (const [text, id = ''] of xml.matchAll(/<w:abstractNum\b[^<>]*w:abstractNumId="(\d+)".*?<\/w:abstractNum>/gs)) {
    const levels: (ListLevel | undefined)[] = [];
    for (const [level, place] of text.matchAll(/<w:lvl\b[^<>]*w:ilvl="([0-8])".*?<\/w:lvl>/gs)) {
      const valueOf = (name: string): string | undefined => eachTag(level, name).next().value?.['w:val'];
      const format = valueOf('numFmt') ?? 'bullet';
      levels[Number(place)] = { format: format === 'none' ? 'bullet' : format, styleId: valueOf('pStyle') };
    }
    definitions.set(id, levels);
  }
  const lists = new Map<string, (ListLevel | undefined)[]>();
  for (const [, id = '', definition = ''] of xml.matchAll(
    /<w:num\b[^<>]*w:numId="(\d+)"[^<>]*>\s*<w:abstractNumId w:val="(\d+)"/g,
  )) {
    lists.set(id, definitions.get(definition) ?? []);
  }
  return lists;
}
