import { documentProblems, type Reason } from '../kernel/sentences/index.ts';
import { elementsOf, mainContentOf, readHtml, listLeftOut, writeHtml, type PageLoss } from '../html/index.ts';
import type { Draft } from './draft.ts';

/**
 * Reduces an HTML page to its main content and title; the draft warns about what is left out. A page without main
 * content stays whole.
 */
export function mainPageOf(html: string, draft: Draft): string {
  const page = readHtml(html, { keepsAttributes: true });
  const main = mainContentOf(page);
  const content = writeHtml(main.root, main.skips);
  if (!hasText(content)) return html;
  if (main.level === 'WRAPPERS' || main.level === 'ELEMENTS')
    draft.warn(documentProblems.MAIN_CONTENT_RELAXED.reason({}));
  const leftOut = listLeftOut(page, main);
  if (leftOut.length === 0) return html;
  for (const part of leftOut) draft.warn(describe(part));
  const title = writeHtml(titleOf(page) ?? { name: 'title', attributes: {}, children: [] }, () => false);
  return `<!doctype html><html><head>${title}</head><body>${content}</body></html>`;
}

function describe({ kind, parts: count, characters }: PageLoss): Reason {
  switch (kind) {
    case 'MENU':
      return documentProblems.MENUS_LEFT_OUT.reason({ count, characters });
    case 'SIDE_COLUMN':
      return documentProblems.SIDE_COLUMNS_LEFT_OUT.reason({ count, characters });
    case 'FORM':
      return documentProblems.FORMS_LEFT_OUT.reason({ count, characters });
    case 'HEAD_OR_FOOT':
      return documentProblems.HEADS_LEFT_OUT.reason({ count, characters });
    case 'LINKS':
      return documentProblems.LINK_LISTS_LEFT_OUT.reason({ count, characters });
    case 'OTHER':
      return documentProblems.OTHER_PARTS_LEFT_OUT.reason({ count, characters });
  }
}

type Element = ReturnType<typeof readHtml>;

function titleOf(element: Element): Element | undefined {
  for (const child of elementsOf(element)) {
    if (child.name === 'title') return child;
    const found = child.name === 'html' || child.name === 'head' ? titleOf(child) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function hasText(html: string): boolean {
  return html.replaceAll(/<[^>]*>/g, '').trim() !== '';
}
