import { documentProblems } from '../kernel/sentences/index.ts';
import { generate, type OfficeContentNode, type OfficeParserAST } from 'officeparser';
import type { Draft } from './draft.ts';
import { markPunctuation, unmarkPunctuation } from './markdown-marks.ts';
import { writeRaisedText } from './raised-text.ts';
import { makeWordsWhole } from './whole-words.ts';

/** Adds officeparser's result to a draft, by page, slide or sheet if the format has them. */
export async function addTree(draft: Draft, tree: OfficeParserAST): Promise<void> {
  const { headers = [], footers = [] } = tree.auxiliary ?? {};
  draft.title ??= tree.metadata.title?.trim() || null;
  draft.runningLines += headers.length + footers.length;
  if (!tree.content.some(isPage)) {
    draft.append(await renderNodes(draft, tree, tree.content));
    return;
  }
  for (const node of tree.content) {
    if (node.type === 'page') {
      draft.appendPage(await renderNodes(draft, tree, node.children ?? []), node.metadata?.pageNumber);
    } else if (node.type === 'slide') {
      draft.appendPage(await renderSlide(draft, tree, node), node.metadata?.slideNumber);
    } else if (node.type === 'sheet') {
      const boxes = (node.children ?? []).filter(({ type }) => type === 'paragraph');
      const cells = (node.children ?? []).filter(({ type }) => type !== 'paragraph');
      const rows = await renderNodes(draft, tree, [{ ...node, children: cells }]);
      if (rows !== '') draft.tables += 1;
      const parts = [rows, await renderNodes(draft, tree, boxes)].filter((part) => part !== '');
      const { sheetName = '', sheetNumber } = (node.metadata ?? {}) as { sheetName?: string; sheetNumber?: number };
      draft.appendPage(parts.length === 0 ? '' : [`## ${sheetName}`, ...parts].join('\n\n'), sheetNumber);
    } else {
      draft.append(await renderNodes(draft, tree, [node]));
    }
  }
}

/** Adds nodes that a reader of this program made, like officeparser's. */
export async function addNodes(draft: Draft, content: OfficeContentNode[]): Promise<void> {
  await addTree(draft, {
    type: 'docx',
    metadata: {},
    content,
    attachments: [],
    warnings: [],
  } as unknown as OfficeParserAST);
}

function isPage({ type }: OfficeContentNode): boolean {
  return type === 'page' || type === 'slide' || type === 'sheet';
}

/** A slide and, as quotations, all of its notes. */
async function renderSlide(draft: Draft, tree: OfficeParserAST, slide: OfficeContentNode): Promise<string> {
  const { notes = [], ...own } = slide;
  const parts = [await renderNodes(draft, tree, [own])];
  for (const { children = [] } of notes) {
    const text = await renderNodes(draft, tree, children);
    parts.push(text.replaceAll(/^(?=[^\n])/gm, '> ').replaceAll(/\n\n/g, '\n>\n'));
  }
  return parts.filter((part) => part !== '').join('\n\n');
}

async function renderNodes(draft: Draft, tree: OfficeParserAST, content: OfficeContentNode[]): Promise<string> {
  for (const node of content) examine(draft, node);
  for (const node of content) flattenTables(draft, node);
  writeRaisedText(content);
  makeWordsWhole(content);
  const isMarked = markPunctuation(content);
  // The receipt has the metadata; here it would become part of the text.
  const part: OfficeParserAST = { ...tree, metadata: {}, content };
  const { value } = await generate(part, 'md', {
    // A PDF's fonts say little about emphasis.
    includeFormatting: draft.format !== 'pdf',
    includeImages: 'none',
    generateIds: false,
    ignoreInternalLinks: true,
    mdConfig: { dialect: 'github', fallbackToHtml: false },
  });
  // The generator starts slides and sheets with a rule, and slide notes and web page boxes with a word that is not in
  // the document.
  const written = value
    .replace(/^---(?:\n+|$)/, '')
    .replaceAll(/^> \*\*Note:\*\* /gm, '> ')
    .replaceAll(/^> \[!(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]\n/gm, '');
  return (isMarked ? unmarkPunctuation(written) : written).trim();
}

function examine(draft: Draft, node: OfficeContentNode): void {
  if (node.type === 'table') draft.tables += 1;
  else if (node.type === 'image') draft.images += 1;
  else if (node.type === 'chart') draft.charts += 1;
  // A PDF attaches a link to a rectangle, not to words: its target would often end up at the wrong words.
  else if (node.type === 'text' && draft.format === 'pdf') delete node.metadata?.link;
  draft.comments += node.comments?.length ?? 0;
  for (const child of node.children ?? []) examine(draft, child);
}

function toParagraph({ text, children = [] }: OfficeContentNode): OfficeContentNode {
  const inner = children.flatMap((child, index) => {
    if (child.type !== 'paragraph') return [child];
    return index === 0 ? (child.children ?? []) : [{ type: 'text' as const, text: ' ' }, ...(child.children ?? [])];
  });
  return {
    type: 'paragraph',
    ...(text === undefined ? {} : { text }),
    children: [{ type: 'text', text: ' ' }, ...inner],
  };
}

/** Markdown has no nested tables: the rows of an inner table become paragraphs in the cell. */
function flattenTables(draft: Draft, node: OfficeContentNode, isInTable = false): void {
  const children = node.children ?? [];
  for (const child of children) flattenTables(draft, child, isInTable || node.type === 'table');
  if (!isInTable || !children.some(({ type }) => type === 'table')) return;
  node.children = children.flatMap((child) => {
    if (child.type !== 'table') return [child];
    draft.warn(documentProblems.TABLE_IN_TABLE.reason({}));
    return (child.children ?? []).flatMap((row) => (row.children ?? []).map(toParagraph));
  });
}
