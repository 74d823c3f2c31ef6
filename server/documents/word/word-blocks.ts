import type { OfficeContentNode } from 'officeparser';
import { listItemNode } from '../lists/list-items.ts';
import { childOf, elementsOf, type XmlElement } from '../package/xml-tree.ts';
import type { WordContext } from './word-context.ts';
import { readLine, type Line } from './word-runs.ts';
import { nextLabel } from './word-labels.ts';
import { headingLevelOf, isDropCap, listPlaceOf, numberingOf, valueOf } from './word-styles.ts';

/** Elements around blocks that are none themselves. */
const wrappers = new Set(['sdt', 'sdtContent', 'customXml', 'ins', 'moveTo', 'smartTag']);

/** Excel's limit, which no table of Word exceeds. */
const maxSpan = 1 << 14;

/** Reads the paragraphs and tables of an element in order; blocks of a text box follow their paragraph. */
export function readBlocks(container: XmlElement, context: WordContext): OfficeContentNode[] {
  const nodes: OfficeContentNode[] = [];
  let dropCap: XmlElement | undefined;
  const close = (): void => {
    if (dropCap !== undefined) nodes.push(...readParagraph(dropCap, undefined, context));
    dropCap = undefined;
  };
  for (const block of blocksOf(container)) {
    const isCap = block.name === 'p' && isDropCap(childOf(block, 'pPr'), context.styles);
    // Marks such as bookmarks may stand between a drop cap and its paragraph.
    if (isCap || block.name === 'tbl' || block.name === 'altChunk') close();
    if (isCap) dropCap = block;
    else if (block.name === 'p') {
      nodes.push(...readParagraph(block, dropCap, context));
      dropCap = undefined;
    } else if (block.name === 'tbl') nodes.push(readTable(block, context));
    else if (block.name === 'altChunk') {
      const part = context.relations.get(block.attributes['r:id'] ?? '')?.target;
      nodes.push(...(part === undefined ? [] : (context.chunks.get(part) ?? [])));
    }
  }
  close();
  return nodes;
}

function* blocksOf(container: XmlElement): Generator<XmlElement> {
  for (const child of elementsOf(container)) {
    if (wrappers.has(child.name)) yield* blocksOf(child);
    else yield child;
  }
}

function readParagraph(
  paragraph: XmlElement,
  dropCap: XmlElement | undefined,
  context: WordContext,
): OfficeContentNode[] {
  const properties = childOf(paragraph, 'pPr');
  const styleId = valueOf(properties, 'pStyle');
  const line = readLine(paragraph, styleId, context);
  if (dropCap !== undefined) {
    const first = readLine(dropCap, valueOf(childOf(dropCap, 'pPr'), 'pStyle'), context);
    for (const kind of ['children', 'notes', 'comments'] as const) line[kind].unshift(...first[kind]);
    line.drawings.unshift(...first.drawings);
  }
  const drawn = line.drawings.flatMap((drawing) => readDrawing(drawing, context));
  return [paragraphNode(properties, styleId, line, context), ...drawn];
}

function paragraphNode(
  properties: XmlElement | undefined,
  styleId: string | undefined,
  { children, notes, comments }: Line,
  context: WordContext,
): OfficeContentNode {
  const text = children.map((child) => (child.type === 'break' ? '\n' : (child.text ?? ''))).join('');
  const content = {
    text,
    children,
    ...(notes.length > 0 ? { notes } : {}),
    ...(comments.length > 0 ? { comments } : {}),
  };
  const level = headingLevelOf(styleId, context.styles);
  const place =
    children.length === 0 && notes.length === 0
      ? undefined
      : listPlaceOf(numberingOf(properties), styleId, context.styles);
  const label = place === undefined ? '' : nextLabel(place, context);
  if (level !== undefined) {
    const isNumbered = /[\p{L}\p{N}]/u.test(label);
    if (isNumbered) children.unshift({ type: 'text', text: `${label.trim()} `, formatting: {} });
    const heading = isNumbered ? { ...content, text: `${label.trim()} ${text}` } : content;
    return { type: 'heading', ...heading, metadata: { level, style: styleId } } as OfficeContentNode;
  }
  if (place !== undefined) {
    const { listId, indentation } = place;
    const { text: _, children: __, ...more } = content;
    return listItemNode({ label, children, depth: indentation, listId }, more);
  }
  return { type: 'paragraph', ...content, metadata: { style: styleId } } as OfficeContentNode;
}

/** Counts pictures and charts; returns the blocks of text boxes and diagrams. */
function readDrawing(drawing: XmlElement, context: WordContext): OfficeContentNode[] {
  const nodes: OfficeContentNode[] = [];
  for (const element of elementsOf(drawing)) {
    if (element.name === 'txbxContent') nodes.push(...readBlocks(element, context));
    else if (element.name === 'dgm:relIds') nodes.push(...readDiagram(element, context));
    else {
      if (element.name === 'a:blip' || element.name === 'v:imagedata') context.counts.images += 1;
      else if (element.name === 'c:chart' || element.name === 'cx:chart') context.counts.charts += 1;
      nodes.push(...readDrawing(element, context));
    }
  }
  return nodes;
}

function readDiagram({ attributes }: XmlElement, { relations, diagrams }: WordContext): OfficeContentNode[] {
  const part = relations.get(attributes['r:dm'] ?? '')?.target ?? '';
  return (diagrams.get(part) ?? []).map(({ text, depth }, itemIndex) => {
    const metadata = {
      listType: 'unordered',
      indentation: Math.min(8, depth),
      alignment: 'left',
      listId: `diagram-${part}`,
      itemIndex,
    };
    return { type: 'list', text, children: [{ type: 'text', text }], metadata } as OfficeContentNode;
  });
}

type Cell = {
  type: 'cell';
  text: string;
  children: OfficeContentNode[];
  metadata: { row: number; col: number; colSpan?: number; rowSpan?: number; style?: string };
};

function readTable(table: XmlElement, context: WordContext): OfficeContentNode {
  /** Column → the cell that goes on downwards from the rows above. */
  const merges = new Map<number, { cell: Cell; rows: number }>();
  const rows = [...blocksOf(table)].filter(({ name }) => name === 'tr');
  return {
    type: 'table',
    children: rows.map((row, rowIndex) => {
      const header = childOf(childOf(row, 'trPr'), 'tblHeader');
      const isHeader = header !== undefined && !/^(?:0|false|off)$/.test(header.attributes['val'] ?? '');
      const cells: Cell[] = [];
      let column = 0;
      for (const element of [...blocksOf(row)].filter(({ name }) => name === 'tc')) {
        const properties = childOf(element, 'tcPr');
        const span = Math.min(maxSpan, Math.max(1, Number.parseInt(valueOf(properties, 'gridSpan') ?? '1', 10) || 1));
        const children = readBlocks(element, context);
        const text = children.map((child) => (child.type === 'table' ? '' : (child.text ?? ''))).join('');
        const metadata = {
          row: rowIndex,
          col: column,
          ...(span > 1 ? { colSpan: span } : {}),
          ...(isHeader ? { style: 'header' } : {}),
        };
        const cell: Cell = { type: 'cell', text, children, metadata };
        const merge = childOf(properties, 'vMerge');
        const above = merges.get(column);
        if (merge !== undefined && merge.attributes['val'] !== 'restart' && above !== undefined)
          continueCell(above, cell);
        else {
          if (merge === undefined) merges.delete(column);
          else merges.set(column, { cell, rows: 1 });
          cells.push(cell);
        }
        column += span;
      }
      return { type: 'row', children: cells };
    }),
  };
}

/** A merged cell further down; what is written in it belongs to the first one. */
function continueCell(above: { cell: Cell; rows: number }, { text, children }: Cell): void {
  above.rows += 1;
  above.cell.metadata.rowSpan = above.rows;
  const isEmpty = children.every((child) => child.type === 'paragraph' && (child.children?.length ?? 0) === 0);
  if (isEmpty) return;
  above.cell.children.push(...children);
  if (text.trim() !== '') above.cell.text += ` ${text}`;
}
