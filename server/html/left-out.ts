import { elementsOf, type HtmlElement } from './html-tree.ts';

/** Kinds of page parts besides the main content. */
export type PageLossKind = 'MENU' | 'HEAD_OR_FOOT' | 'SIDE_COLUMN' | 'FORM' | 'LINKS' | 'OTHER';

/** How many parts of a kind were left out, and how many characters of text they have. */
export type PageLoss = { kind: PageLossKind; parts: number; characters: number };

const kinds: readonly (readonly [kind: PageLossKind, names: RegExp, words: RegExp])[] = [
  [
    'MENU',
    /^(?:nav|menu|navigation|menubar|toolbar)$/,
    /(?:^|[\s_-])(?:nav\w*|menu\w*|docnav|bread-?crumbs?|toolbar|pagination|pager|skip-?(?:link|to)|rel(?:ated)?bar)(?:$|[\s_-])/i,
  ],
  [
    'SIDE_COLUMN',
    /^(?:aside|complementary)$/,
    /(?:^|[\s_-])(?:side-?bar|sphinxsidebar|related|recommend\w*|comments?|respond|promo|adverts?|ads?|advertisement|widget|tags)(?:$|[\s_-])/i,
  ],
  [
    'FORM',
    /^(?:form|dialog|search|alert|select|button)$/,
    /(?:^|[\s_-])(?:cookies?|consent|share|sharing|social|subscribe|newsletter|login|signup|popup|modal|searchbox)(?:$|[\s_-])/i,
  ],
  [
    'HEAD_OR_FOOT',
    /^(?:header|footer|banner|contentinfo)$/,
    /(?:^|[\s_-])(?:\w*foot(?:er)?|site-?header|page-?header|header|masthead|topbar|toplang|banner|branding|logo|copyright)(?:$|[\s_-])/i,
  ],
];
const unread = /^(?:head|script|style|template|noscript|svg|iframe)$/;

/** The parts of a page that are left out: those around `root`, and the skipped ones within it. */
export function listLeftOut(
  page: HtmlElement,
  { root, skips }: { root: HtmlElement; skips: (element: HtmlElement) => boolean },
): PageLoss[] {
  const found = new Map<PageLossKind, PageLoss>();
  const leaveOut = (element: HtmlElement, otherwise: PageLossKind): void => {
    const characters = charactersOf(element);
    if (characters === 0) return;
    const kind = kindOf(element) ?? otherwise;
    const known = found.get(kind) ?? { kind, parts: 0, characters: 0 };
    found.set(kind, { kind, parts: known.parts + 1, characters: known.characters + characters });
  };
  const inRoot = (element: HtmlElement): void => {
    for (const child of elementsOf(element)) {
      if (skips(child)) leaveOut(child, 'LINKS');
      else inRoot(child);
    }
  };
  const path = pathTo(page, root);
  for (const [depth, element] of path.slice(0, -1).entries()) {
    for (const child of elementsOf(element)) if (child !== path[depth + 1]) leaveOut(child, 'OTHER');
  }
  inRoot(root);
  return [...found.values()].toSorted((one, other) => other.characters - one.characters);
}

function kindOf({ name, attributes }: HtmlElement): PageLossKind | undefined {
  const names = `${attributes['class'] ?? ''} ${attributes['id'] ?? ''}`;
  const byName = kinds.find(([, known]) => known.test(name) || known.test(attributes['role'] ?? ''));
  return (byName ?? kinds.find(([, , words]) => words.test(names)))?.[0];
}

function pathTo(element: HtmlElement, target: HtmlElement): HtmlElement[] {
  if (element === target) return [element];
  for (const child of elementsOf(element)) {
    const path = pathTo(child, target);
    if (path.length > 0) return [element, ...path];
  }
  return [];
}

function charactersOf(element: HtmlElement): number {
  if (unread.test(element.name)) return 0;
  return element.children.reduce(
    (sum, child) =>
      sum + (typeof child === 'string' ? [...child.replaceAll(/\s+/g, ' ').trim()].length : charactersOf(child)),
    0,
  );
}
