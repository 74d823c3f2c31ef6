import { documentProblems, type Reason } from '../kernel/sentences/index.ts';
import { elementsOf, mainContentOf, readHtml, listLeftOut, writeHtml, type PageLoss } from '../html/index.ts';
import type { Draft } from './draft.ts';

/**
 * Reduces an HTML page to its main content and title; the draft warns about what is left out. A page without main
 * content stays whole.
 */
export function mainPageOf(bytes: Uint8Array, draft: Draft): Uint8Array {
  const page = readHtml(decodeHtml(bytes), { keepsAttributes: true });
  const main = mainContentOf(page);
  const content = writeHtml(main.root, main.skips);
  if (!hasText(content)) return bytes;
  if (main.level !== 'RULES') draft.warn(documentProblems.MAIN_CONTENT_RELAXED.reason({}));
  const leftOut = listLeftOut(page, main);
  if (leftOut.length === 0) return bytes;
  for (const part of leftOut) draft.warn(describe(part));
  const title = writeHtml(titleOf(page) ?? { name: 'title', attributes: {}, children: [] }, () => false);
  return Buffer.from(`<!doctype html><html><head><meta charset="utf-8">${title}</head><body>${content}</body></html>`);
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

/**
 * Decodes a page like the page reader: by its byte order mark, else as UTF-8 if the bytes are valid, else as declared
 * in its first 1,024 bytes.
 */
function decodeHtml(bytes: Uint8Array): string {
  const declared = declaredEncoding(Buffer.from(bytes.subarray(0, 1024)).toString('latin1'));
  const marked =
    bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';
  if (marked !== 'utf-8') return new TextDecoder(marked).decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return decoderOf(declared).decode(bytes);
  }
}

function decoderOf(encoding: string | undefined): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(encoding);
  } catch {
    return new TextDecoder();
  }
}

function declaredEncoding(start: string): string | undefined {
  const xml = /^\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']([^"']+)["']/i.exec(start)?.[1];
  const meta = [...start.matchAll(/<meta\b[^>]*>/gi)].flatMap(
    ([tag]) => /\bcharset\s*=\s*["']?\s*([^"'\s;/>]+)/i.exec(tag)?.[1] ?? [],
  );
  const name = xml ?? meta[0];
  return name !== undefined && /^utf-?16/i.test(name) ? 'utf-8' : name;
}
