import type { OfficeContentNode } from 'officeparser';
import type { Draft } from './draft.ts';
import { listItemNode } from './lists/list-items.ts';
import { numberAs } from './lists/number-formats.ts';
import { latexOfMathml } from './package/mathml.ts';
import { countUnseenText } from './open-document-hidden.ts';
import { openPackage, partAt, type OfficePackage } from './package/office-package.ts';
import { descendantsOf, elementsOf, readTree, textIn, type XmlElement } from './package/xml-tree.ts';

/**
 * Corrects what officeparser reads of an OpenDocument text: labels of lists with their start values and formats, and
 * formulas; counts its hidden and deleted text. Modifies `nodes`.
 */
export async function completeOpenDocument(bytes: Uint8Array, nodes: OfficeContentNode[], draft: Draft): Promise<void> {
  const found = await openPackage(bytes);
  const { root } = await readTree(found, 'content.xml', '');
  const { root: styles } = await readTree(found, 'styles.xml', '');
  labelItems(nodes, itemsOf(root, listStylesOf([styles, root])));
  await replaceFormulas(nodes, root, found);
  countUnseenText(root, styles, draft);
}

type Level = { format: string; prefix: string; suffix: string; start: number; shownLevels: number };
/** A paragraph of an item: the first has the label. */
type Item = { words: string; label: string; isFirst: boolean };

const formats: Readonly<Record<string, string>> = {
  '1': 'decimal',
  a: 'lowerLetter',
  A: 'upperLetter',
  i: 'lowerRoman',
  I: 'upperRoman',
  '一, 二, 三, ...': 'chineseCounting',
  '①, ②, ③, ...': 'decimalEnclosedCircle',
  '甲, 乙, 丙, ...': 'ideographTraditional',
};

function listStylesOf(roots: readonly XmlElement[]): Map<string, Level[]> {
  const lists = new Map<string, Level[]>();
  for (const root of roots) {
    for (const style of descendantsOf(root, 'text:list-style')) {
      const levels: Level[] = [];
      for (const { name, attributes } of elementsOf(style)) {
        const isNumber = name === 'text:list-level-style-number';
        levels[numberOf(attributes['text:level'], 1) - 1] = {
          format: isNumber ? (attributes['style:num-format'] ?? '') : '',
          prefix: isNumber ? (attributes['style:num-prefix'] ?? '') : '',
          suffix: isNumber ? (attributes['style:num-suffix'] ?? '') : '',
          start: numberOf(attributes['text:start-value'], 1),
          shownLevels: numberOf(attributes['text:display-levels'], 1),
        };
      }
      lists.set(style.attributes['style:name'] ?? '', levels);
    }
  }
  return lists;
}

function numberOf(written: string | undefined, otherwise: number): number {
  const number = Number.parseInt(written ?? '', 10);
  return Number.isNaN(number) ? otherwise : number;
}

/** No list is nested this deep. */
const maxLevels = 10;

/** The items of all lists in order, with their labels. */
function itemsOf(root: XmlElement, styles: ReadonlyMap<string, readonly Level[]>): Item[] {
  const items: Item[] = [];
  /** Numbers of the last items by level: of lists by their style and ID, for those that continue them. */
  const counts = new Map<string, number[]>();

  function readList(list: XmlElement, level: number, outerStyle: string, outer: number[]): void {
    const { 'text:style-name': style = outerStyle, 'text:continue-list': continued, 'xml:id': id } = list.attributes;
    const goesOn = continued !== undefined || list.attributes['text:continue-numbering'] === 'true';
    const before = goesOn ? (counts.get(continued ?? style) ?? counts.get(style)) : undefined;
    const numbers = level === 0 ? [...(before ?? [])] : outer;
    if (level > 0) numbers.length = goesOn ? numbers.length : Math.min(numbers.length, level);
    const levels = styles.get(style) ?? [];
    for (const item of elementsOf(list)) {
      const isItem = item.name === 'text:list-item';
      if (!isItem && item.name !== 'text:list-header') continue;
      const start = item.attributes['text:start-value'];
      if (isItem) {
        numbers[level] =
          start === undefined ? (numbers[level] ?? (levels[level]?.start ?? 1) - 1) + 1 : numberOf(start, 1);
        numbers.length = level + 1;
      }
      let isFirst = isItem;
      for (const block of elementsOf(item)) {
        if (block.name === 'text:list' && level + 1 < maxLevels) readList(block, level + 1, style, numbers);
        else if (block.name === 'text:p' || block.name === 'text:h') {
          const label = isFirst ? labelOf(levels, level, numbers) : '';
          if (hasContent(block)) items.push({ words: wordsOf(block), label, isFirst: isFirst || !isItem });
          isFirst = false;
        }
      }
    }
    if (level === 0) {
      counts.set(style, numbers);
      if (id !== undefined) counts.set(id, numbers);
    }
  }

  function walk(element: XmlElement): void {
    for (const child of elementsOf(element)) {
      if (child.name === 'text:list') readList(child, 0, '', []);
      else if (child.name !== 'text:tracked-changes') walk(child);
    }
  }
  walk(root);
  return items;
}

function labelOf(levels: readonly Level[], level: number, numbers: readonly number[]): string {
  const own = levels[level];
  if (own === undefined || own.format === '') return '';
  const first = Math.max(0, level - own.shownLevels + 1);
  const shown = numbers
    .slice(first, level + 1)
    .map((number, index) => numberAs(formats[levels[first + index]?.format ?? ''] ?? 'decimal', number));
  return `${own.prefix}${shown.join('.')}${own.suffix}`;
}

/** What stands in a paragraph, but not among its words. */
const unread = /^(?:text:note|office:annotation|text:hidden-text|draw:.*)$/;

/** Whether a paragraph is read as an item: officeparser leaves out those without content. */
function hasContent(element: XmlElement): boolean {
  if (textIn(element).trim() !== '') return true;
  return [...elementsOf(element)].some((child) => child.name.startsWith('draw:') || hasContent(child));
}

function wordsOf(element: XmlElement): string {
  const own = textIn(element);
  const inner = [...elementsOf(element)].filter(({ name }) => !unread.test(name)).map(wordsOf);
  return lettersOf([own, ...inner].join(''));
}

/** Letters and digits in any order: enough to tell items apart, however their parts are joined. */
function lettersOf(text: string): string {
  return [...text.replaceAll(/[^\p{L}\p{N}]/gu, '')].toSorted().join('');
}

type ListNode = { siblings: OfficeContentNode[]; index: number; node: OfficeContentNode };

function* listNodesIn(siblings: OfficeContentNode[]): Generator<ListNode> {
  for (const [index, node] of siblings.entries()) {
    if (node.type === 'list') yield { siblings, index, node };
    else if (node.children !== undefined) yield* listNodesIn(node.children);
  }
}

/**
 * Gives list nodes the labels of the items with the same words, in order; between two of them, other items belong to
 * other nodes if there are as many.
 */
function labelItems(nodes: OfficeContentNode[], items: readonly Item[]): void {
  let next = 0;
  let waiting: ListNode[] = [];
  const labelWaiting = (end: number): void => {
    if (waiting.length === end - next)
      for (const [place, listNode] of waiting.entries()) label(listNode, items[next + place]);
    waiting = [];
  };
  for (const listNode of listNodesIn(nodes)) {
    const words = lettersOf(textsOf(listNode.node));
    const at = items.findIndex((item, place) => place >= next && place < next + 50 && item.words === words);
    if (at === -1) waiting.push(listNode);
    else {
      labelWaiting(at);
      label(listNode, items[at]);
      next = at + 1;
    }
  }
  labelWaiting(items.length);
}

/** The words of a node without formulas and pictures. */
function textsOf({ type, text = '', children = [] }: OfficeContentNode): string {
  if (type === 'code' || type === 'image' || type === 'note') return '';
  return children.length === 0 ? text : children.map(textsOf).join('');
}

function label({ siblings, index, node }: ListNode, item: Item | undefined): void {
  if (item?.isFirst === false) siblings[index] = { ...node, type: 'paragraph', metadata: {} } as OfficeContentNode;
  else if (item !== undefined && item.label !== '') siblings[index] = labelled(node, item.label);
}

function labelled(node: OfficeContentNode, label: string): OfficeContentNode {
  const { indentation = 0, listId = '' } = (node.metadata ?? {}) as { indentation?: number; listId?: string };
  const { type: _, text: __, children = [], metadata: ___, ...more } = node;
  return listItemNode({ label, children, depth: indentation, listId }, more);
}

/** Replaces what officeparser writes of formulas, of the text and of its notes by itself, if it found all of them. */
async function replaceFormulas(
  nodes: readonly OfficeContentNode[],
  root: XmlElement,
  found: OfficePackage,
): Promise<void> {
  const codes = [...formulasIn(nodes, false)];
  if (codes.length === 0) return;
  const written: Placed<string>[] = [];
  for (const { isInNote, value: object } of objectsIn(root, false)) {
    const folder = partAt('', hrefOf(object));
    const own = mathIn(object);
    const math = own ?? (folder === '' ? undefined : mathIn((await readTree(found, `${folder}/content.xml`, '')).root));
    if (math !== undefined) written.push({ isInNote, value: latexOfMathml(math) });
  }
  for (const isNotes of [false, true]) {
    const replaced = codes.filter(({ isInNote }) => isInNote === isNotes);
    const formulas = written.filter(({ isInNote }) => isInNote === isNotes);
    if (formulas.length !== replaced.length) continue;
    for (const [index, { value: code }] of replaced.entries()) {
      code.text = formulas[index]?.value ?? '';
      if (code.text === '') Object.assign(code, { type: 'text', metadata: {} });
    }
  }
}

type Placed<T> = { value: T; isInNote: boolean };

/** Elements whose objects are no part of the text. */
const withoutObjects = new Set(['text:tracked-changes', 'office:annotation']);

function* objectsIn(element: XmlElement, isInNote: boolean): Generator<Placed<XmlElement>> {
  for (const child of elementsOf(element)) {
    if (child.name === 'draw:object') yield { value: child, isInNote };
    else if (!withoutObjects.has(child.name)) yield* objectsIn(child, isInNote || child.name === 'text:note');
  }
}

function hrefOf({ attributes }: XmlElement): string {
  return Object.entries(attributes).find(([name]) => /(?:^|[}:])href$/.test(name))?.[1] ?? '';
}

function* formulasIn(nodes: readonly OfficeContentNode[], isInNote: boolean): Generator<Placed<OfficeContentNode>> {
  for (const node of nodes) {
    if (node.type === 'code' && (node.metadata as { math?: string } | undefined)?.math !== undefined)
      yield { value: node, isInNote };
    yield* formulasIn(node.children ?? [], isInNote || node.type === 'note');
    yield* formulasIn(node.notes ?? [], true);
  }
}

function mathIn(element: XmlElement): XmlElement | undefined {
  for (const child of elementsOf(element)) {
    if (/(?:^|[}:])math$/.test(child.name)) return child;
    const inner = mathIn(child);
    if (inner !== undefined) return inner;
  }
  return undefined;
}
