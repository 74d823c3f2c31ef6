import { isHidden } from './html-text.ts';
import { elementsOf, type HtmlElement } from './html-tree.ts';

/** Elements whose text is no text of a page. */
const unreadNames = new Set('script style template noscript head svg iframe select button textarea'.split(' '));
const aroundNames = new Set('nav footer aside menu'.split(' '));
const boilerplateNames = new Set([...unreadNames, ...aroundNames, 'form', 'dialog']);
const boilerplateRoles = /^(?:navigation|banner|contentinfo|search|complementary|dialog|alert|menu|menubar|toolbar)$/;
/**
 * Words in classes and IDs of menus, footers, side columns, consent notices and the like, also as part of a longer
 * name.
 */
const boilerplateWords = (
  'nav(?:bar|igation|header|footer|links?)? menu docnav side-?bar foot(?:er)? page-?foot(?:er)? masthead topbar toplang quickview ' +
  'bread-?crumbs? cookies? consent share sharing social related recommend(?:ed|ations)? comments? respond promo ' +
  'adverts? ads? advertisement sponsor(?:ed)? banner pagination pager subscribe newsletter skip-?(?:link|to) login ' +
  'signup popup modal widget toolbar tags sphinxsidebar headerlink permalink copyright rel(?:ated)?bar searchbox'
)
  .split(' ')
  .map(wordsIn);
const anyBoilerplateWord = new RegExp(boilerplateWords.map(({ source }) => source).join('|'), 'i');
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
type Rule = (element: HtmlElement) => boolean;
const none: Figures = { text: 0, linked: 0 };

/**
 * How strictly the parts around the main content were left out. RULES: by element, role and name. WRAPPERS: the same, but
 * what holds most of the text of the page is no such part, such as a form around everything. ELEMENTS: by element and role
 * alone. WHOLE: nothing was left out.
 */
export type MainContentLevel = 'RULES' | 'WRAPPERS' | 'ELEMENTS' | 'WHOLE';

export type MainContent = { root: HtmlElement; skips: Rule; level: MainContentLevel };

/** Rules that leave less than this share of the visible text outside links are too strict for a page. */
const leastOfPage = 0.1;
/** A short article with many comments is still the main content, if the page names it. */
const leastOfNamed = 100;
/** An element with this share of the visible text outside links wraps the page. */
const leastOfWrapper = 0.5;

type Found = { content: Omit<MainContent, 'level'>; characters: number };

/**
 * The element with the main content of a page, and which elements within it to leave out. Rules that leave nearly nothing
 * are relaxed level by level.
 */
export function mainContentOf(page: HtmlElement): MainContent {
  const strict = contentBy(page, (element) => isBoilerplate(element));
  const visible = measured(page, isUnread);
  // A page of nothing but links has its text in them.
  const sizeOf = outsideLinks(visible(page)) > 0 ? outsideLinks : ({ text }: Figures): number => text;
  const all = sizeOf(visible(page));
  const isEnough = ({ characters, content }: Found): boolean =>
    characters > 0 && (characters >= all * leastOfPage || (characters >= leastOfNamed && isNamedMain(content.root)));
  if (all === 0 || isEnough(strict)) return { ...strict.content, level: 'RULES' };
  const levels: [MainContentLevel, Rule][] = [
    ['WRAPPERS', besideWrappers(page, (element) => sizeOf(visible(element)) >= all * leastOfWrapper)],
    ['ELEMENTS', (one) => isUnread(one) || aroundNames.has(one.name) || isRoleOfBoilerplate(one)],
  ];
  for (const [level, rule] of levels) {
    const found = contentBy(page, rule);
    if (isEnough(found)) return { ...found.content, level };
  }
  return { ...contentBy(page, isUnread).content, level: 'WHOLE' };
}

/** The rules without those by which a wrapper of the page would be left out: its parts are often named like it. */
function besideWrappers(page: HtmlElement, isWrapper: Rule): Rule {
  const [names, words] = [new Set<string>(), new Set<RegExp>()];
  const visit = (element: HtmlElement): void => {
    if (!isWrapper(element)) return;
    names.add(element.name);
    for (const word of boilerplateWords) if (word.test(namesOf(element))) words.add(word);
    for (const child of elementsOf(element)) visit(child);
  };
  visit(page);
  return (element) => isUnread(element) || (!isWrapper(element) && isBoilerplate(element, { names, words }));
}

/** The main content by a rule for what surrounds it, and its characters outside links. */
function contentBy(page: HtmlElement, isAround: Rule): Found {
  const figuresOf = measured(page, isAround);
  const root = findMain(page, figuresOf);
  const isSkipped: Rule = (element) => element !== root && (isAround(element) || isLinkList(element, figuresOf));
  // A page of nothing but links, such as an index, keeps them.
  const isText =
    textWithout(root, isSkipped, figuresOf) >= Math.min(leastCharacters, figuresOf(root).text * leastShare);
  const skips: Rule = isText ? isSkipped : (element) => element !== root && isAround(element);
  const { text } = figuresOf(root);
  return { content: { root, skips }, characters: isText ? outsideLinks(figuresOf(root)) : text };
}

const outsideLinks = ({ text, linked }: Figures): number => text - linked;

function measured(page: HtmlElement, isAround: Rule): FiguresOf {
  const known = new Map<HtmlElement, Figures>();
  measure(page, { known, isAround }, false);
  return (element) => known.get(element) ?? none;
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

/**
 * Whether most of the text of an element is in one part that is named as main content: its class then says what a page has
 * beside it, as `has-sidebar` does. Comments and teasers are several such parts.
 */
function holdsMain(element: HtmlElement): boolean {
  const { text, mains, mainText } = heldBy(element);
  return mains === 1 && mainText > text / 2;
}

/** Characters of an element, the outermost parts in it that are named as main content, and their characters. */
type Held = { text: number; mains: number; mainText: number };

/** Nested elements ask for the same parts: each is looked at once. */
const held = new WeakMap<HtmlElement, Held>();

function heldBy(element: HtmlElement): Held {
  const known = held.get(element);
  if (known !== undefined) return known;
  const found: Held = { text: 0, mains: 0, mainText: 0 };
  for (const child of isUnread(element) ? [] : element.children) {
    if (typeof child === 'string') {
      found.text += child.trim().length;
      continue;
    }
    const inside = heldBy(child);
    found.text += inside.text;
    if (boilerplateNames.has(child.name) || isRoleOfBoilerplate(child)) continue;
    const isMain = /^(?:main|article)$/.test(child.name) || child.attributes['role'] === 'main';
    found.mains += isMain ? 1 : inside.mains;
    found.mainText += isMain ? inside.text : inside.mainText;
  }
  held.set(element, found);
  return found;
}

function namesOf({ attributes }: HtmlElement): string {
  return `${attributes['class'] ?? ''} ${attributes['id'] ?? ''}`;
}

function isUnread({ name }: HtmlElement): boolean {
  return unreadNames.has(name);
}

function isRoleOfBoilerplate({ attributes }: HtmlElement): boolean {
  return boilerplateRoles.test(attributes['role'] ?? '');
}

/** `except`: names of elements, and words, that are no sign of boilerplate on this page. */
function isBoilerplate(
  element: HtmlElement,
  except?: { names: ReadonlySet<string>; words: ReadonlySet<RegExp> },
): boolean {
  const { name } = element;
  if (boilerplateNames.has(name) && except?.names.has(name) !== true) return true;
  if (isRoleOfBoilerplate(element)) return true;
  const names = namesOf(element);
  if (names === ' ' || /^(?:body|html|main|article)$/.test(name)) return false;
  if (textElements.test(name)) return linkSigns.test(names);
  if (!anyBoilerplateWord.test(names) || contentWords.test(names) || holdsMain(element)) return false;
  return except === undefined || boilerplateWords.some((word) => !except.words.has(word) && word.test(names));
}

/** Measures an element and its descendants, excluding what is around the content. */
function measure(
  element: HtmlElement,
  by: { known: Map<HtmlElement, Figures>; isAround: Rule },
  isInLink: boolean,
): Figures {
  if (by.isAround(element)) return none;
  const sum = { text: 0, linked: 0 };
  const isLink = isInLink || (element.name === 'a' && element.attributes['href'] !== undefined);
  for (const child of element.children) {
    const found = typeof child === 'string' ? figuresOfText(child, isLink) : measure(child, by, isLink);
    sum.text += found.text;
    sum.linked += found.linked;
  }
  by.known.set(element, sum);
  return sum;
}

function figuresOfText(text: string, isLink: boolean): Figures {
  const { length } = text.replaceAll(/\s+/g, ' ').trim();
  return { text: length, linked: isLink ? length : 0 };
}

/**
 * Descends from the page while one child has most of the text outside links. The content is the last element on the way
 * that is named as main content or hidden until a script shows the page, else the body.
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
    if (named !== undefined || next.name === 'body' || isHidden(next)) main = next;
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
