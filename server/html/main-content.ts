import { elementsOf, type HtmlElement } from './html-tree.ts';

const boilerplateNames = new Set(
  'nav footer aside form dialog menu script style template noscript head svg iframe select button'.split(' '),
);
const boilerplateRoles = /^(?:navigation|banner|contentinfo|search|complementary|dialog|alert|menu|menubar|toolbar)$/;
/**
 * Words in classes and IDs of menus, footers, side columns, consent notices and the like, also as part of a longer
 * name.
 */
const boilerplateWords = wordsIn(
  'nav(?:bar|igation|header|footer|links?)? menu docnav side-?bar foot(?:er)? page-?foot(?:er)? masthead topbar toplang quickview ' +
    'bread-?crumbs? cookies? consent share sharing social related recommend(?:ed|ations)? comments? respond promo ' +
    'adverts? ads? advertisement sponsor(?:ed)? banner pagination pager subscribe newsletter skip-?(?:link|to) login ' +
    'signup popup modal widget toolbar tags sphinxsidebar headerlink permalink copyright rel(?:ated)?bar searchbox',
);
const siteHeader = wordsIn('site-?header page-?header header top branding logo');
const contentNames =
  'main-?content article(?:-?(?:body|content|text))? post(?:-?(?:body|content))? entry(?:-?content)? ' +
  'content(?:s|-?(?:body|main))? story(?:-?body)? body-?content markdown-body page-content rich-?text';
const contentWords = wordsIn(contentNames);
const mainWords = wordsIn(`${contentNames} main body document`);
const linkSigns = /headerlink|permalink|skip-?link/i;
const textElements = /^(?:h[1-6]|p|pre|code|span|li|dl)$/;
const itemElements = /^(?:p|li|dd|dt|pre|blockquote|t[dhr]|tbody|h[1-6]|figcaption|div|section|article|main|body)$/;
const containers = /^(?:html|body|div|main|article|section|center|table|tbody|tr|td|)$/;

function wordsIn(words: string): RegExp {
  return new RegExp(String.raw`(?:^|[\s_-])(?:${words.replaceAll(' ', '|')})(?:$|[\s_-])`, 'i');
}

/** Characters of text, and how many of them are in links. */
type Figures = { text: number; linked: number };
type FiguresOf = (element: HtmlElement) => Figures;
const none: Figures = { text: 0, linked: 0 };

/** The element with the main content of a page, and which elements within it to leave out. */
export function mainContentOf(page: HtmlElement): { root: HtmlElement; skips: (element: HtmlElement) => boolean } {
  const known = new Map<HtmlElement, Figures>();
  measure(page, known, false);
  const figuresOf: FiguresOf = (element) => known.get(element) ?? none;
  const root = findMain(page, figuresOf);
  const skips = (element: HtmlElement): boolean =>
    element !== root && (isBoilerplate(element) || isLinkList(element, figuresOf));
  // A page of nothing but links, such as an index, keeps them.
  if (textWithout(root, skips, figuresOf) >= Math.min(leastCharacters, figuresOf(root).text * leastShare)) {
    return { root, skips };
  }
  return { root, skips: (element) => element !== root && isBoilerplate(element) };
}

/** With less text than this outside its link lists, the page itself is a list of links. */
const leastCharacters = 200;
const leastShare = 0.2;

/** Characters of text in an element, excluding skipped elements. */
function textWithout(element: HtmlElement, skips: (element: HtmlElement) => boolean, figuresOf: FiguresOf): number {
  return elementsOf(element).reduce(
    (text, child) =>
      text - (skips(child) ? figuresOf(child).text : figuresOf(child).text - textWithout(child, skips, figuresOf)),
    figuresOf(element).text,
  );
}

function namesOf({ attributes }: HtmlElement): string {
  return `${attributes['class'] ?? ''} ${attributes['id'] ?? ''}`;
}

function isBoilerplate(element: HtmlElement): boolean {
  const { name, attributes } = element;
  if (boilerplateNames.has(name) || boilerplateRoles.test(attributes['role'] ?? '')) return true;
  const names = namesOf(element);
  if (names === ' ' || /^(?:body|html|main|article)$/.test(name)) return false;
  if (textElements.test(name)) return linkSigns.test(names);
  return boilerplateWords.test(names) && !contentWords.test(names);
}

/** Measures an element and its descendants, excluding boilerplate. */
function measure(element: HtmlElement, known: Map<HtmlElement, Figures>, isInLink: boolean): Figures {
  if (isBoilerplate(element)) return none;
  const sum = { text: 0, linked: 0 };
  const isLink = isInLink || (element.name === 'a' && element.attributes['href'] !== undefined);
  for (const child of element.children) {
    const found = typeof child === 'string' ? figuresOfText(child, isLink) : measure(child, known, isLink);
    sum.text += found.text;
    sum.linked += found.linked;
  }
  known.set(element, sum);
  return sum;
}

function figuresOfText(text: string, isLink: boolean): Figures {
  const { length } = text.replaceAll(/\s+/g, ' ').trim();
  return { text: length, linked: isLink ? length : 0 };
}

/**
 * Descends from the page while one child has most of the text outside links. The content is the last element on the way
 * that is named as main content, else the body.
 */
function findMain(page: HtmlElement, figuresOf: FiguresOf): HtmlElement {
  const own = (element: HtmlElement): number => figuresOf(element).text - figuresOf(element).linked;
  const all = own(page);
  let main = page;
  for (let at: HtmlElement | undefined = all === 0 ? undefined : page; at !== undefined;) {
    const inside = elementsOf(at);
    const named = inside.find((child) => own(child) >= all * 0.4 && isNamedMain(child));
    const next: HtmlElement | undefined = named ?? inside.find((child) => own(child) >= all * 0.7);
    if (next === undefined || !containers.test(next.name)) break;
    if (named !== undefined || next.name === 'body') main = next;
    at = next;
  }
  return main;
}

function isNamedMain(element: HtmlElement): boolean {
  const { name, attributes } = element;
  return name === 'main' || name === 'article' || attributes['role'] === 'main' || mainWords.test(namesOf(element));
}

/** A list or block that consists mostly of links: unnamed menus, teasers, further reading. */
function isLinkList(element: HtmlElement, figuresOf: FiguresOf): boolean {
  const { name } = element;
  if (name === 'header') return siteHeader.test(namesOf(element)) || !hasTitle(element);
  if (!/^(?:ul|ol|div|table|dl)$/.test(name)) return false;
  const { text, linked } = figuresOf(element);
  if (text === 0) return false;
  const items = elementsOf(element).filter((child) => itemElements.test(child.name));
  const share = linked / text;
  if (isTeasers(items) && share > 0.5) return true;
  return share > 0.75 && (items.length > 1 || text < 200);
}

/** Whether at least three siblings have the same form, such as cards with a link each. */
function isTeasers(items: readonly HtmlElement[]): boolean {
  const counts = new Map<string, number>();
  for (const item of items) {
    const [names, isCard] = [namesOf(item), /^(?:div|article|section)$/.test(item.name)];
    if (isCard && names !== ' ') counts.set(names, (counts.get(names) ?? 0) + 1);
  }
  return [...counts.values()].some((count) => count > 2);
}

function hasTitle(element: HtmlElement): boolean {
  return elementsOf(element).some((child) => child.name === 'h1' || child.name === 'h2' || hasTitle(child));
}
