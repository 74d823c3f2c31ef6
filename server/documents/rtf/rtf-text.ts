import { decodeWhole, encodingOfCodePage } from '../../encodings/decoded-text.ts';
import { decodeDos } from '../../encodings/dos-encodings.ts';
import { documentProblems } from '../../kernel/sentences/index.ts';
import type { Draft } from '../draft.ts';
import { characterOfSymbol } from '../word/symbols.ts';
import { rtfTokens } from './rtf-tokens.ts';
import { codePageOfCharset, symbolCharset } from './rtf-words.ts';

export type RtfFont = { name: string; charset: number; page: number | undefined };

/** Decodes the bytes of texts by their font and the code page of the document. */
export type RtfDecoder = {
  decode(bytes: string, font: RtfFont | undefined, isEscaped: boolean): string;
  /** Signs of a font that are not known, by the font's name. */
  readonly unknownSymbols: ReadonlyMap<string, number>;
};

export const beyondAscii = /[\x80-\xff]/;

export function createRtfDecoder(rtf: string, draft: Draft): RtfDecoder {
  const declared = /\\ansicpg(\d{1,5})/.exec(rtf)?.[1];
  const page = declared === undefined ? pageOfSystem(rtf) : Number(declared);
  const isUtf8 = isRawUtf8(rtf);
  const label = page === undefined || page === 0 ? guessLabel(rtf, draft) : undefined;
  const symbols = new Map<string, number>();
  const unknownPages = new Set<number>();

  function decodePage(bytes: Uint8Array, wanted: number): string {
    const dos = decodeDos(bytes, wanted);
    if (dos !== undefined) return dos;
    const encoding = encodingOfCodePage(wanted);
    if (encoding === undefined && !unknownPages.has(wanted)) {
      unknownPages.add(wanted);
      draft.warn(documentProblems.CODE_PAGE_UNKNOWN.reason({ page: wanted }));
    }
    return new TextDecoder(encoding ?? 'windows-1252').decode(bytes);
  }

  return {
    unknownSymbols: symbols,
    decode(bytes, font, isEscaped) {
      if (font?.charset === symbolCharset) return [...bytes].map((one) => symbolOf(one, font.name, symbols)).join('');
      if (!beyondAscii.test(bytes)) return bytes;
      const raw = Buffer.from(bytes, 'latin1');
      if (!isEscaped && isUtf8) return raw.toString('utf8');
      const own = font?.page ?? codePageOfCharset.get(font?.charset ?? 1);
      // The first character set is Western by itself, but of old programs the default of the document.
      const isOwn = own !== undefined && (font?.charset !== 0 || label === undefined);
      if (isOwn) return decodePage(raw, own);
      return label === undefined ? decodePage(raw, page ?? 1252) : new TextDecoder(label).decode(raw);
    },
  };
}

function symbolOf(byte: string, font: string, unknown: Map<string, number>): string {
  const code = byte.charCodeAt(0);
  const found = code < 0x20 ? byte : characterOfSymbol(font, code);
  if (found === undefined) unknown.set(font, (unknown.get(font) ?? 0) + 1);
  return found ?? '';
}

/** The code page of the system that the header names instead of a number. */
function pageOfSystem(rtf: string): number | undefined {
  const system = /\\(mac|pca?)(?![a-z])/.exec(rtf.slice(0, 200))?.[1];
  return system === 'mac' ? 10_000 : system === 'pc' ? 437 : system === 'pca' ? 850 : undefined;
}

/** Where no code page is named, it is Western, unless the bytes say otherwise. */
function guessLabel(rtf: string, draft: Draft): string | undefined {
  const bytes = textBytes(rtf, true);
  if (!beyondAscii.test(bytes)) return undefined;
  const whole = decodeWhole(Buffer.from(bytes, 'latin1'), ['windows-1252']);
  if (whole.encoding === 'windows-1252') return undefined;
  draft.takeText({ ...whole, contradicted: undefined });
  return whole.encoding;
}

/** Whether bytes that should be escaped are there as UTF-8. */
function isRawUtf8(rtf: string): boolean {
  const bytes = beyondAscii.test(rtf) ? textBytes(rtf, false) : '';
  if (!beyondAscii.test(bytes)) return false;
  const raw = Buffer.from(bytes, 'latin1');
  return Buffer.from(raw.toString('utf8')).equals(raw);
}

function textBytes(rtf: string, withEscaped: boolean): string {
  const parts: string[] = [];
  for (const token of rtfTokens(rtf)) {
    if (token.kind === 'text' && (withEscaped || !token.isEscaped)) parts.push(token.bytes);
  }
  return parts.join('');
}
