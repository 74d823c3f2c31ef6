import { elementsOf, type HtmlElement } from './html-tree.ts';
import { scriptOf, scriptText } from './scripts.ts';

export type XmlTextOptions = {
  /** Names of the elements whose text is included; empty for all. */
  readonly elements: ReadonlySet<string>;
  /** Names of the elements that are left out with their descendants. */
  readonly without: ReadonlySet<string>;
};

/**
 * The text of an XML document: one line per element, except for elements within text, which are part of the sentence.
 * Names match with or without their prefix.
 */
export function textOfXml(root: HtmlElement, { elements, without }: XmlTextOptions): string {
  const lines: string[] = [];
  function take(element: HtmlElement, isWanted: boolean): void {
    if (isNamed(without, element)) return;
    const wanted = isWanted || isNamed(elements, element);
    if (isMixed(element)) {
      const text = inlineText(element, without).replaceAll(/\s+/g, ' ').trim();
      if (wanted && text !== '') lines.push(text);
      if (!wanted) for (const child of elementsOf(element)) take(child, false);
      return;
    }
    for (const child of elementsOf(element)) take(child, wanted);
  }
  take(root, elements.size === 0);
  return lines.join('\n');
}

function isNamed(names: ReadonlySet<string>, { name }: HtmlElement): boolean {
  return names.has(name) || names.has(name.slice(name.indexOf(':') + 1));
}

/** Whether an element contains text besides its child elements. */
function isMixed({ children }: HtmlElement): boolean {
  return children.some((child) => typeof child === 'string' && child.trim() !== '');
}

function inlineText(element: HtmlElement, without: ReadonlySet<string>): string {
  let text = '';
  for (const child of element.children) {
    if (typeof child === 'string') text += child;
    else if (!isNamed(without, child)) {
      const inside = inlineText(child, without);
      const script = scriptOf(child.name.slice(child.name.indexOf(':') + 1));
      text += script === undefined ? inside : scriptText(script, inside, text.slice(-2));
    }
  }
  return text;
}
