import type { OfficeContentNode } from 'officeparser';

/** Bounds of HTML (Living Standard, 4.9.11). */
const maxColSpan = 1000;
const maxRowSpan = 65_534;
/** Cells of a wider table keep the order of their rows only. */
const maxColumns = 2000;

type CellMetadata = { row?: number; col?: number; colSpan?: number; rowSpan?: number };

/**
 * Gives the cells of tables the column in which they stand: a cell that goes on downwards takes its place in the rows
 * below. Columns in which no cell begins are left out, such as those of a span that is wider than its table. Modifies
 * `nodes`.
 */
export function spreadCells(nodes: readonly OfficeContentNode[]): void {
  for (const node of nodes) {
    spreadCells(node.children ?? []);
    spreadCells(node.notes ?? []);
    if (node.type === 'table') spreadTable(node);
  }
}

function spreadTable({ children = [] }: OfficeContentNode): void {
  const rows = children.filter(({ type }) => type === 'row');
  if (!rows.some((row) => cellsOf(row).some((cell) => spansOf(cell).some((span) => span > 1)))) return;
  /** Column → number of rows that the cell above still takes. */
  const taken = new Map<number, number>();
  const starts = new Set<number>();
  const placed: { cell: OfficeContentNode; row: number; col: number; colSpan: number }[] = [];
  for (const [index, row] of rows.entries()) {
    let col = 0;
    const added: [col: number, rows: number][] = [];
    for (const cell of cellsOf(row)) {
      while (taken.has(col)) col += 1;
      const [colSpan, rowSpan] = spansOf(cell);
      const end = Math.max(col + 1, Math.min(col + colSpan, maxColumns));
      let width = 1;
      while (col + width < end && !taken.has(col + width)) width += 1;
      placed.push({ cell, row: index, col, colSpan: width });
      starts.add(col);
      if (rowSpan > 1) for (let at = col; at < col + width; at += 1) added.push([at, rowSpan - 1]);
      col += width;
    }
    for (const [at, left] of taken) {
      if (left > 1) taken.set(at, left - 1);
      else taken.delete(at);
    }
    for (const [at, left] of added) taken.set(at, left);
  }
  const columns = [...starts].toSorted((one, other) => one - other);
  const indexOf = new Map(columns.map((col, index) => [col, index]));
  for (const { cell, row, col, colSpan } of placed) {
    const from = indexOf.get(col) ?? 0;
    let to = from + 1;
    while (to < columns.length && (columns[to] ?? 0) < col + colSpan) to += 1;
    cell.metadata = { ...cell.metadata, row, col: from, colSpan: to - from } as OfficeContentNode['metadata'];
  }
}

function cellsOf({ children = [] }: OfficeContentNode): OfficeContentNode[] {
  return children.filter(({ type }) => type === 'cell');
}

function spansOf({ metadata }: OfficeContentNode): [colSpan: number, rowSpan: number] {
  const { colSpan = 1, rowSpan = 1 } = (metadata ?? {}) as CellMetadata;
  return [clamp(colSpan, maxColSpan), clamp(rowSpan, maxRowSpan)];
}

function clamp(span: number, most: number): number {
  return Number.isFinite(span) ? Math.min(most, Math.max(1, Math.floor(span))) : 1;
}
