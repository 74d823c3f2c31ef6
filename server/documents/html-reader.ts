import type { OfficeParserAST } from 'officeparser';
import { decodeWhole } from '../encodings/decoded-text.ts';
import type { Draft } from './draft.ts';
import { parseWithLibrary } from './office-library.ts';
import { rewritePage } from './html/page-rewriting.ts';
import { spreadCells } from './html/table-cells.ts';

/** The text of a page: in the encoding that it declares, if its bytes agree. */
export function decodePage(bytes: Uint8Array, draft: Draft, declared?: string): string {
  return draft.takeText(decodeWhole(bytes, [declared, declaredEncoding(bytes)]));
}

/** Reads a page or a chapter. */
export async function parsePage(html: string, draft: Pick<Draft, 'warn'>): Promise<OfficeParserAST> {
  // The mark says that the text is UTF-8, whatever it declares.
  const tree = await parseWithLibrary(
    Buffer.from(`\ufeff${rewritePage(html)}`),
    { fileType: 'html', ignoreInternalLinks: true },
    draft,
  );
  spreadCells(tree.content);
  return tree;
}

/** Declarations are looked for in this many bytes at the beginning. */
const headBytes = 4096;

function declaredEncoding(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, headBytes)).toString('latin1');
  const xml = /^\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']([^"']+)["']/i.exec(start)?.[1];
  if (xml !== undefined) return xml;
  for (const [tag] of start.matchAll(/<meta\b[^>]*>/gi)) {
    const charset = /\bcharset\s*=\s*["']?\s*([^"'\s;/>]+)/i.exec(tag)?.[1];
    if (charset !== undefined) return charset;
  }
  return undefined;
}
