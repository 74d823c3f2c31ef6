import type { OfficeContentNode } from 'officeparser';
import { cutAtMarks } from './page-text.ts';
import type { TableText } from './table-text.ts';

/**
 * Puts a page's tables in place of their marks; splits a paragraph that contains a mark. Returns the new nodes; tables
 * whose mark was lost come last.
 */
export function placeTables(nodes: readonly OfficeContentNode[], tables: readonly TableText[]): OfficeContentNode[] {
  const left = new Map(tables.entries());
  const placed = nodes.flatMap((node) => {
    const parts = divide(node);
    return parts.flatMap(({ node: part, table }) => {
      const text = table === undefined ? undefined : left.get(table);
      if (table !== undefined) left.delete(table);
      return [...(part === undefined ? [] : [part]), ...(text === undefined ? [] : tableNodes(text))];
    });
  });
  return [...placed, ...[...left.values()].flatMap(tableNodes)];
}

type Part = { node: OfficeContentNode | undefined; table: number | undefined };

/** Splits a node at its marks. */
function divide(node: OfficeContentNode): Part[] {
  const { children = [] } = node;
  if (children.length === 0) {
    const parts = cutAtMarks(node.text ?? '');
    if (parts.length === 1) return [{ node, table: undefined }];
    return parts.map(({ text, table }) => ({ node: text.trim() === '' ? undefined : { ...node, text }, table }));
  }
  const parts: Part[] = [];
  let before: OfficeContentNode[] = [];
  const close = (table: number | undefined): void => {
    const part = before.length === 0 ? undefined : withoutMarks({ ...node, children: before });
    parts.push({ node: part, table });
    before = [];
  };
  for (const child of children) {
    for (const { node: part, table } of divide(child)) {
      if (part !== undefined) before.push(part);
      if (table !== undefined) close(table);
    }
  }
  if (parts.length === 0) return [{ node, table: undefined }];
  if (before.length > 0) close(undefined);
  return parts;
}

/** A split node's text is in its children. */
function withoutMarks(node: OfficeContentNode): OfficeContentNode {
  const { text: _, ...others } = node;
  return others;
}

/** Nodes of a table; a table with merged cells becomes one paragraph per row. */
function tableNodes({ rows, isMerged }: TableText): OfficeContentNode[] {
  if (isMerged) return rows.map((row) => ({ type: 'paragraph', children: [{ type: 'text', text: row.join(' ') }] }));
  const children = rows.map((row, index) => ({
    type: 'row',
    children: row.map((text, col) => ({
      type: 'cell',
      text,
      children: [{ type: 'text', text }],
      metadata: { row: index, col },
    })),
  }));
  return [{ type: 'table', children } as OfficeContentNode];
}
