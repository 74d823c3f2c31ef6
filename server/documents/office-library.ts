import { parseOffice, type OfficeParserAST, type OfficeParserConfig } from 'officeparser';
import { foreign } from '../kernel/sentences/index.ts';
import type { Draft } from './draft.ts';

/** Reads bytes with officeparser; the draft warns of what it warns of. */
export async function parseWithLibrary(
  bytes: Uint8Array,
  options: OfficeParserConfig,
  draft: Pick<Draft, 'warn'>,
): Promise<OfficeParserAST> {
  const tree = await parseOffice(bytes, options);
  for (const { type, code, message } of tree.warnings) {
    if (type !== 'info' && !toldElsewhere.has(code)) draft.warn(foreign(plainWords(message)));
  }
  return tree;
}

/** Warnings that the receipt words differently, or that only concern this program. */
const toldElsewhere = new Set<string>([
  'PAGE_LOAD_FAILED',
  'PDF_NO_TEXT_EXTRACTED',
  'NO_SLIDES_FOUND',
  'NO_WORKSHEETS_FOUND',
  'BUFFER_TYPE_MISMATCH',
  'DEPENDENCY_LOAD_FAILED',
  'PERFORMANCE_TIP',
]);

/** The library's message in one line, without its name and its advice to programmers. */
export function plainWords(message: string): string {
  return message
    .replaceAll(/\s+/g, ' ')
    .replace(/^(?:\[?officeparser\]?:? ?)+/i, '')
    .replaceAll(/ ?\([^()]*[a-z][A-Z][^()]*\)/g, '')
    .replace(/[.,;:] (?:raise|increase|set|use|if you|please)\b.*$/i, '')
    .trim()
    .slice(0, 300);
}
