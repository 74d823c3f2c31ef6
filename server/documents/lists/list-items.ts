import type { OfficeContentNode } from 'officeparser';

/** An item of a list with the label that its reader sees; no label, or the sign of a bullet, is Markdown's own. */
export type ListItem = {
  label: string;
  children: OfficeContentNode[];
  /** Depth in the list, from 0. */
  depth: number;
  listId: string;
};

/**
 * A list item as a node. Markdown writes labels such as `3.` itself; all others, such as `(a)` or `Article 2`, begin
 * the text of an item, so that they can be found.
 */
export function listItemNode({ label, children, depth, listId }: ListItem, more: object = {}): OfficeContentNode {
  const own = label.trim();
  const number = /^(0|[1-9]\d{0,8})\.?$/.exec(own)?.[1];
  const isBullet = own === '' || !/[\p{L}\p{N}]/u.test(own) || /^o$/.test(own);
  const prefix: OfficeContentNode[] =
    number !== undefined || isBullet ? [] : [{ type: 'text', text: `${own} `, formatting: {} }];
  const all = [...prefix, ...children];
  const text = all.map((child) => (child.type === 'break' ? '\n' : (child.text ?? ''))).join('');
  const metadata = {
    listType: number === undefined || Number(number) === 0 ? 'unordered' : 'ordered',
    indentation: depth,
    alignment: 'left',
    listId,
    itemIndex: number === undefined ? 0 : Number(number) - 1,
  };
  if (number === '0') all.unshift({ type: 'text', text: '0. ', formatting: {} });
  return { type: 'list', text, children: all, metadata, ...more } as OfficeContentNode;
}
