import { documentProblems } from '../kernel/sentences/index.ts';
import type { Draft } from './draft.ts';
import { childOf, descendantsOf, elementsOf, textIn, type XmlElement } from './package/xml-tree.ts';

/**
 * Counts text of an OpenDocument text that its reader does not see: hidden text is in the result; deleted text and
 * fields that show a text under a condition are not.
 */
export function countUnseenText(root: XmlElement, styles: XmlElement, draft: Draft): void {
  const hides = createStyles([styles, root]);
  let inFields = 0;

  function count(element: XmlElement, around: { isHidden: boolean; isInParagraph: boolean }): void {
    if (left.has(element.name)) return;
    if (element.name === 'text:hidden-text') {
      inFields += lengthOf(element) || (element.attributes['text:string-value'] ?? '').length;
      return;
    }
    const isHidden = isHiddenItself(element) || (hides(element) ?? around.isHidden);
    const isInParagraph = around.isInParagraph || paragraphs.has(element.name);
    if (isHidden && isInParagraph) draft.hiddenCharacters += ownLength(element);
    for (const child of elementsOf(element)) count(child, { isHidden, isInParagraph });
  }

  for (const text of descendantsOf(root, 'office:text')) count(text, { isHidden: false, isInParagraph: false });
  for (const changes of descendantsOf(root, 'text:tracked-changes'))
    for (const deletion of descendantsOf(changes, 'text:deletion')) draft.deletedCharacters += lengthOf(deletion);
  if (inFields > 0) draft.warn(documentProblems.CONDITIONAL_TEXT_LEFT_OUT.reason({ count: inFields }));
}

const paragraphs = new Set(['text:p', 'text:h']);

/** What is no text of the document where it stands. */
const left = new Set(['text:tracked-changes', 'office:annotation', 'office:change-info', 'text:note-citation']);

/** No real style has this many ancestors. */
const maxAncestors = 20;

/** No text has more spaces in a row. */
const maxSpaces = 10_000;

type Style = { isHidden: boolean | undefined; parent: string };

/** Whether the style of an element hides its text; undefined if it says nothing about that. */
function createStyles(roots: readonly XmlElement[]): (element: XmlElement) => boolean | undefined {
  const styles = new Map<string, Style>();
  for (const root of roots) {
    for (const style of descendantsOf(root, 'style:style')) {
      const {
        'style:family': family = '',
        'style:name': name = '',
        'style:parent-style-name': parent,
      } = style.attributes;
      const display = childOf(style, 'style:text-properties')?.attributes['text:display'];
      styles.set(`${family} ${name}`, {
        isHidden: display === undefined ? undefined : display === 'none',
        parent: `${family} ${parent ?? ''}`,
      });
    }
  }
  return ({ name, attributes }) => {
    const family = paragraphs.has(name) ? 'paragraph' : 'text';
    let style = styles.get(`${family} ${attributes['text:style-name'] ?? ''}`);
    for (let depth = 0; style !== undefined && depth < maxAncestors; depth += 1) {
      if (style.isHidden !== undefined) return style.isHidden;
      style = styles.get(style.parent);
    }
    return undefined;
  };
}

/** Whether an element is a section that is hidden, or a paragraph with a field that hides it. */
function isHiddenItself(element: XmlElement): boolean {
  const { name, attributes } = element;
  if (name === 'text:section') {
    const display = attributes['text:display'];
    return display === 'none' || (display === 'condition' && attributes['text:is-hidden'] === 'true');
  }
  return paragraphs.has(name) && hasHidingField(element);
}

function hasHidingField(element: XmlElement): boolean {
  for (const child of elementsOf(element)) {
    const { name, attributes } = child;
    if (name === 'text:hidden-paragraph' && attributes['text:is-hidden'] === 'true') return true;
    if ((name === 'text:span' || name === 'text:a') && hasHidingField(child)) return true;
  }
  return false;
}

/** The length of the text of all paragraphs and spans below. */
function lengthOf(element: XmlElement): number {
  let length = ownLength(element);
  for (const child of elementsOf(element)) if (!left.has(child.name)) length += lengthOf(child);
  return length;
}

/** The length of an element's own text, without that of spans; blanks between blocks are no text. */
function ownLength(element: XmlElement): number {
  if (element.name === 'text:s') {
    const spaces = Number.parseInt(element.attributes['text:c'] ?? '1', 10) || 1;
    return Math.min(maxSpaces, Math.max(1, spaces));
  }
  if (element.name === 'text:tab' || element.name === 'text:line-break') return 1;
  const text = textIn(element);
  return text.trim() === '' && !inline.has(element.name) ? 0 : text.length;
}

const inline = new Set([...paragraphs, 'text:span', 'text:a', 'text:hidden-text']);
