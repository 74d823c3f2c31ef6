import type { OfficeContentNode } from 'officeparser';
import { latexOf } from '../package/formulas.ts';
import type { Relation } from '../package/office-package.ts';
import { childOf, descendantOf, elementsOf, textIn, type XmlElement } from '../package/xml-tree.ts';
import { inheritedMarker, markerOf, placeholderOf, runningPlaceholders, type Surroundings } from './list-markers.ts';

/** What the shapes of a slide refer to. */
export type SlideContext = {
  relations: ReadonlyMap<string, Relation>;
  surroundings: Surroundings;
  /** The texts of a diagram by the name of its part, with their depth. */
  diagrams: ReadonlyMap<string, readonly { text: string; depth: number }[]>;
  /** Whether date, number and the like are left out, as in notes. */
  isNotes: boolean;
};

/** The contents of a slide in the order of its shapes, as nodes like officeparser's. */
export function nodesOfShapes(tree: XmlElement, context: SlideContext): OfficeContentNode[] {
  const nodes: OfficeContentNode[] = [];
  let shapes = 0;
  const visit = (element: XmlElement): void => {
    for (const shape of elementsOf(element)) {
      if (shape.name === 'sp') nodes.push(...nodesOfShape(shape, context, `shape-${(shapes += 1)}`));
      else if (shape.name === 'pic') nodes.push({ type: 'image', text: '' });
      else if (shape.name === 'graphicFrame') nodes.push(...nodesOfFrame(shape, context, `diagram-${(shapes += 1)}`));
      else if (shape.name === 'grpSp') visit(shape);
    }
  };
  visit(tree);
  return nodes;
}

function nodesOfShape(shape: XmlElement, context: SlideContext, listId: string): OfficeContentNode[] {
  const { type = 'body' } = placeholderOf(shape) ?? {};
  if (context.isNotes && runningPlaceholders.has(type)) return [];
  const isTitle = type === 'title' || type === 'ctrTitle';
  const body = childOf(shape, 'txBody');
  const counts: number[] = [];
  const nodes: OfficeContentNode[] = [];
  for (const paragraph of body === undefined ? [] : elementsOf(body)) {
    if (paragraph.name !== 'a:p') continue;
    const properties = childOf(paragraph, 'a:pPr');
    const level = Math.min(8, Math.max(0, Number(properties?.attributes['lvl'] ?? 0) || 0));
    const children = runsOf(paragraph, context);
    const text = children.map((child) => child.text ?? '').join('');
    if (children.length === 0) continue;
    if (isTitle) {
      nodes.push({ type: 'heading', text, children, metadata: { level: 1 } });
      continue;
    }
    const marker = markerOf(properties) ?? inheritedMarker(shape, level, context.surroundings);
    if (marker === undefined || marker.listType === 'none') {
      nodes.push({ type: 'paragraph', text, children });
      continue;
    }
    counts.length = Math.min(counts.length, level + 1);
    const itemIndex = (counts[level] ?? marker.startAt - 2) + 1;
    counts[level] = itemIndex;
    nodes.push(listItem(text, children, { listType: marker.listType, indentation: level, listId, itemIndex }));
  }
  return nodes;
}

type ListItem = { listType: 'ordered' | 'unordered'; indentation: number; listId: string; itemIndex: number };

function listItem(text: string, children: OfficeContentNode[], item: ListItem): OfficeContentNode {
  // A list item is one line.
  const inLine = children.map((child) => (child.text === '\n' ? { ...child, text: ' ' } : child));
  return { type: 'list', text, children: inLine, metadata: { ...item, alignment: 'left' } };
}

/** The runs, fields, line breaks and formulas of a paragraph. */
function runsOf(paragraph: XmlElement, context: SlideContext): OfficeContentNode[] {
  const nodes: OfficeContentNode[] = [];
  for (const element of elementsOf(paragraph)) {
    if (element.name === 'a:r' || element.name === 'a:fld') {
      const text = textIn(childOf(element, 'a:t'));
      if (text !== '') nodes.push(runOf(text, childOf(element, 'a:rPr'), context));
    } else if (element.name === 'a:br') nodes.push({ type: 'text', text: '\n' });
    else if (element.name === 'm:oMath' || element.name === 'm:oMathPara') nodes.push(...formulaOf(element));
    else if (element.name.endsWith('}m')) for (const inner of elementsOf(element)) nodes.push(...formulaOf(inner));
  }
  return nodes;
}

function formulaOf(element: XmlElement): OfficeContentNode[] {
  const latex = latexOf(element);
  const math = element.name === 'm:oMathPara' ? 'block' : 'inline';
  return latex === '' ? [] : [{ type: 'code', text: latex, metadata: { math } }];
}

function runOf(text: string, properties: XmlElement | undefined, { relations }: SlideContext): OfficeContentNode {
  const { b, i, strike, baseline = '0' } = properties?.attributes ?? {};
  const shift = Number.parseInt(baseline, 10);
  const formatting = {
    ...(b === '1' || b === 'true' ? { bold: true } : {}),
    ...(i === '1' || i === 'true' ? { italic: true } : {}),
    ...(strike === 'sngStrike' || strike === 'dblStrike' ? { strikethrough: true } : {}),
    ...(shift > 0 ? { superscript: true } : {}),
    ...(shift < 0 ? { subscript: true } : {}),
  };
  const link = relations.get(childOf(properties, 'a:hlinkClick')?.attributes['r:id'] ?? '');
  const isLink = link?.type === 'hyperlink' && link.isExternal;
  const metadata = isLink ? { metadata: { link: link.target, linkType: 'external' } } : {};
  return { type: 'text', text, formatting, ...metadata } as OfficeContentNode;
}

function nodesOfFrame(frame: XmlElement, context: SlideContext, listId: string): OfficeContentNode[] {
  const data = descendantOf(frame, 'a:graphicData');
  const table = childOf(data, 'a:tbl');
  if (table !== undefined) return [tableOf(table, context)];
  if (childOf(data, 'c:chart') !== undefined || childOf(data, 'cx:chart') !== undefined)
    return [{ type: 'chart', text: '' }];
  const diagram = context.relations.get(childOf(data, 'dgm:relIds')?.attributes['r:dm'] ?? '');
  const items = diagram === undefined ? [] : (context.diagrams.get(diagram.target) ?? []);
  return items.map(({ text, depth }, itemIndex) =>
    listItem(text, [{ type: 'text', text }], {
      listType: 'unordered',
      indentation: Math.min(8, depth),
      listId,
      itemIndex,
    }),
  );
}

function tableOf(table: XmlElement, context: SlideContext): OfficeContentNode {
  const rows = [...elementsOf(table)].filter(({ name }) => name === 'a:tr');
  return {
    type: 'table',
    children: rows.map((row, rowIndex) => ({
      type: 'row',
      children: [...elementsOf(row)]
        .filter(({ name }) => name === 'a:tc')
        .map((cell, column) => {
          const body = childOf(cell, 'a:txBody');
          const paragraphs = body === undefined ? [] : [...elementsOf(body)].filter(({ name }) => name === 'a:p');
          const children = paragraphs.map((paragraph): OfficeContentNode => {
            const runs = runsOf(paragraph, context);
            return { type: 'paragraph', text: runs.map((run) => run.text ?? '').join(''), children: runs };
          });
          const text = children.map((child) => child.text ?? '').join('');
          return { type: 'cell', text, children, metadata: { row: rowIndex, col: column } };
        }),
    })),
  };
}
