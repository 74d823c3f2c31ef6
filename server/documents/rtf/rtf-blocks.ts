import type { OfficeContentNode } from 'officeparser';
import { listItemNode } from '../lists/list-items.ts';
import type { RtfParagraph } from './rtf-state.ts';

/** How the cells of a row are merged, by their order. */
export type RtfCell = { continuesAcross: boolean; continuesDown: boolean };

type Cell = { children: OfficeContentNode[] };
type Table = { rows: OfficeContentNode[]; cells: Cell[]; blocks: OfficeContentNode[] };

export type RtfStyle = { name: string; outlineLevel: number | undefined };

/** The blocks of a text in order, with the tables that are open. */
export type RtfBlocks = {
  addParagraph(properties: RtfParagraph, children: OfficeContentNode[], style: RtfStyle | undefined): void;
  /** Adds blocks after the last paragraph. */
  addBlocks(blocks: readonly OfficeContentNode[]): void;
  /** Ends a cell; `level` is the depth of its table, from 1. */
  endCell(level: number): void;
  endRow(level: number): void;
  startRowDefinition(level: number): void;
  defineCell(level: number, cell: RtfCell): void;
  finish(): OfficeContentNode[];
};

/** A label and its tab at the beginning of a hanging paragraph, as programs without lists write them. */
const typedLabel =
  /^\s*([•·◦▪–—*-]|\(?[\p{L}\p{N}]{1,5}(?:\.\p{N}{1,3}){0,5}[.)]|[\p{L}\p{N}]{1,3}(?:\.\p{N}{1,3}){1,5})\t\s*/u;

export function createRtfBlocks(): RtfBlocks {
  const content: OfficeContentNode[] = [];
  const tables: Table[] = [];
  /** Level → the cells of the row, whose definition may precede or follow their text. */
  const definitions = new Map<number, readonly RtfCell[]>();

  const blocksAt = (level: number): OfficeContentNode[] =>
    level === 0 ? content : (tables[level - 1]?.blocks ?? content);

  function openTo(level: number): void {
    while (tables.length < level) tables.push({ rows: [], cells: [], blocks: [] });
  }

  /** Closes the tables that are deeper. */
  function closeTo(level: number): void {
    while (tables.length > level) {
      const table = tables.at(-1);
      if (table !== undefined && (table.cells.length > 0 || table.blocks.length > 0)) endRow(tables.length);
      tables.pop();
      if (table !== undefined && table.rows.length > 0)
        blocksAt(tables.length).push({ type: 'table', children: table.rows });
    }
  }

  function endCell(level: number): void {
    openTo(level);
    closeTo(level);
    const table = tables[level - 1];
    table?.cells.push({ children: table.blocks });
    if (table !== undefined) table.blocks = [];
  }

  function endRow(level: number): void {
    const table = tables[level - 1];
    if (table === undefined) return;
    if (table.blocks.length > 0) endCell(level);
    if (table.cells.length === 0) return;
    table.rows.push(rowOf(table.cells, definitions.get(level) ?? [], table.rows.length));
    table.cells = [];
  }

  return {
    addParagraph(properties, children, style) {
      const level = properties.tableLevel;
      // Old programs end cells in paragraphs that they do not declare to be in a table.
      const isInRow = level === 0 && (tables[0]?.cells.length ?? 0) > 0;
      if (!isInRow) {
        if (children.length === 0 && level < tables.length) return;
        closeTo(level);
        openTo(level);
      }
      if (children.length > 0) blocksAt(isInRow ? 1 : level).push(paragraphNode(properties, children, style));
    },
    addBlocks(blocks) {
      blocksAt(tables.length).push(...blocks);
    },
    endCell,
    endRow,
    startRowDefinition(level) {
      definitions.set(level, []);
    },
    defineCell(level, cell) {
      const cells = definitions.get(level) ?? [];
      definitions.set(level, [...cells, cell]);
    },
    finish() {
      closeTo(0);
      return content;
    },
  };
}

function rowOf(cells: readonly Cell[], definitions: readonly RtfCell[], row: number): OfficeContentNode {
  const children: OfficeContentNode[] = [];
  let col = 0;
  for (const [index, { children: blocks }] of cells.entries()) {
    const definition = definitions[index];
    const before = children.at(-1);
    if (definition?.continuesAcross === true && before !== undefined) {
      before.children?.push(...blocks);
      before.metadata = { ...before.metadata, colSpan: widthOf(before) + 1 } as OfficeContentNode['metadata'];
    } else {
      const text = blocks.map((block) => (block.type === 'table' ? '' : (block.text ?? ''))).join('');
      // What is merged with the cell above has no text of its own.
      if (definition?.continuesDown !== true || text !== '')
        children.push({ type: 'cell', text, children: blocks, metadata: { row, col } });
    }
    col += 1;
  }
  return { type: 'row', children };
}

function widthOf({ metadata }: OfficeContentNode): number {
  return (metadata as { colSpan?: number } | undefined)?.colSpan ?? 1;
}

function paragraphNode(
  { outlineLevel, label, list, listLevel, isHanging }: RtfParagraph,
  children: OfficeContentNode[],
  style: RtfStyle | undefined,
): OfficeContentNode {
  const level = headingLevel(outlineLevel, style);
  const [first] = children;
  const typed = isHanging && label === undefined ? typedLabel.exec(first?.text ?? '') : null;
  if (first !== undefined && typed !== null) first.text = (first.text ?? '').slice(typed[0].length);
  const shown = label ?? typed?.[1];
  if (level !== undefined) {
    const prefix = shown === undefined || shown.trim() === '' ? '' : `${shown.trim()} `;
    if (prefix !== '') children.unshift({ type: 'text', text: prefix, formatting: {} });
    return { type: 'heading', text: textOf(children), children, metadata: { level } };
  }
  if (shown !== undefined || (list !== undefined && list > 0))
    return listItemNode({ label: shown ?? '', children, depth: listLevel, listId: `rtf-${list ?? 0}` });
  return { type: 'paragraph', text: textOf(children), children };
}

function headingLevel(own: number | undefined, style: RtfStyle | undefined): number | undefined {
  const outline = own ?? style?.outlineLevel;
  if (outline !== undefined && outline >= 0 && outline <= 8) return outline + 1;
  const named = /^heading ([1-9])$/i.exec(style?.name ?? '')?.[1];
  if (named !== undefined) return Number(named);
  return /^title$/i.test(style?.name ?? '') ? 1 : undefined;
}

function textOf(children: readonly OfficeContentNode[]): string {
  return children.map((child) => (child.type === 'break' ? '\n' : (child.text ?? ''))).join('');
}
