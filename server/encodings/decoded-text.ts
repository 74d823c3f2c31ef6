import { escapedEncoding, decodeEscaped } from './escaped-encodings.ts';
import { detectEncoding } from './encoding-detection.ts';
import { isPlausible } from './legacy-plausibility.ts';
import { decodeUtf32, utf32Of } from './utf32.ts';

/** A text whatever its bytes are: what could not be decoded is U+FFFD, as the receipt of the text must say. */
export type WholeText = {
  text: string;
  /** The label of the encoding in which it was read. */
  encoding: string;
  /** Whether neither a mark, nor a declaration that fits, nor all of the bytes prove the encoding. */
  isGuess: boolean;
  /** The declared encoding, if the bytes contradict it. */
  contradicted: string | undefined;
};

/**
 * Decodes all bytes of a text, strongest evidence first: byte order mark, UTF-16 by its zeros, escape sequences, valid
 * UTF-8, the first of the declared encodings that fits, the detector's guess. Bytes that fit none are read as UTF-8.
 */
export function decodeWhole(bytes: Uint8Array, declared: readonly (string | undefined)[] = []): WholeText {
  const labels = declared.filter((label) => label !== undefined && label.trim() !== '') as string[];
  const proved = provedText(bytes);
  if (proved !== undefined) return { ...proved, isGuess: false, contradicted: undefined };
  const utf8 = tryDecode('utf-8', bytes);
  if (utf8 !== undefined && hasBeyondAscii(bytes)) return { ...plain(utf8, 'utf-8'), isGuess: false };
  for (const label of labels) {
    const escaped = decodeEscaped(label, bytes);
    if (escaped !== undefined) return { ...plain(escaped, label.toLowerCase()), isGuess: false };
    const encoding = encodingNamed(label);
    const text = encoding === undefined ? undefined : tryDecode(encoding, bytes);
    if (encoding !== undefined && text !== undefined && isPlausible(text, encoding))
      return { ...plain(text, encoding), isGuess: false };
  }
  if (utf8 !== undefined) return { ...plain(utf8, 'utf-8'), isGuess: false };
  const contradicted = labels.find((label) => encodingNamed(label) !== undefined);
  const detected = detectEncoding({ bytes, isWholeFile: true }, true)?.encoding;
  // A declaration that fits but for a few bytes is better evidence than a guess from few bytes.
  const damaged = labels
    .map(encodingNamed)
    .find((encoding) => encoding !== undefined && isMostlyValid(encoding, bytes));
  const guess = damaged ?? detected ?? 'utf-8';
  const text = new TextDecoder(guess).decode(bytes);
  const isDeclared = guess === damaged;
  return { text, encoding: guess, isGuess: !isDeclared, contradicted: isDeclared ? undefined : contradicted };
}

function plain(text: string, encoding: string): Omit<WholeText, 'isGuess'> {
  return { text, encoding, contradicted: undefined };
}

/** The text of bytes in UTF-32, or in an encoding of seven bits with escape sequences; undefined for all others. */
export function decodeUncommon(bytes: Uint8Array): { text: string; encoding: string } | undefined {
  const utf32 = utf32Of(bytes);
  if (utf32 !== undefined) return { text: decodeUtf32(bytes, utf32), encoding: utf32 };
  const escaped = escapedEncoding(bytes);
  const text = escaped === undefined ? undefined : decodeEscaped(escaped, bytes);
  return escaped === undefined || text === undefined ? undefined : { text, encoding: escaped };
}

/** The text of bytes whose encoding does not need a declaration or a guess. */
function provedText(bytes: Uint8Array): { text: string; encoding: string } | undefined {
  const uncommon = decodeUncommon(bytes);
  if (uncommon !== undefined) return uncommon;
  const found = detectEncoding({ bytes, isWholeFile: true }, true);
  if (found === undefined || !(found.markBytes > 0 || found.encoding.startsWith('utf-16'))) return undefined;
  return { text: new TextDecoder(found.encoding).decode(bytes), encoding: found.encoding };
}

/** The encoding of a declaration that can be true of bytes in which the declaration itself can be read. */
function encodingNamed(label: string): string | undefined {
  const name = label.trim().toLowerCase();
  if (/^(?:utf-?(?:16|32)|ucs-?[24]|iso-10646)/.test(name)) return undefined;
  for (const candidate of [name, aliases.get(name.replaceAll(/[-_\s:.]|^x-/g, '')) ?? '', name.replace(/^x-/, '')]) {
    try {
      const { encoding } = new TextDecoder(candidate);
      return encoding === 'gbk' ? 'gb18030' : encoding;
    } catch {
      // Not a label of the Encoding Standard: the next spelling may be one.
    }
  }
  const page = /^(?:cp|windows|ms|ibm|x-cp)[-_]?(\d+)$/.exec(name)?.[1];
  return page === undefined ? undefined : encodingOfCodePage(Number(page));
}

const aliases = new Map([
  ['cp932', 'shift_jis'],
  ['shiftjis', 'shift_jis'],
  ['eucjp', 'euc-jp'],
  ['euckr', 'euc-kr'],
  ['uhc', 'euc-kr'],
  ['big5hkscs', 'big5'],
  ['macroman', 'macintosh'],
  ['maccyrillic', 'x-mac-cyrillic'],
]);

/** The encoding of a code page of Windows, DOS or Macintosh; undefined for one that can't be decoded. */
export function encodingOfCodePage(page: number): string | undefined {
  if ((page >= 1250 && page <= 1258) || page === 874) return `windows-${page}`;
  return codePages.get(page);
}

const codePages = new Map([
  [866, 'ibm866'],
  [932, 'shift_jis'],
  [936, 'gb18030'],
  [949, 'euc-kr'],
  [950, 'big5'],
  [1361, 'euc-kr'],
  [10_000, 'macintosh'],
  [10_001, 'shift_jis'],
  [10_002, 'big5'],
  [10_003, 'euc-kr'],
  [10_007, 'x-mac-cyrillic'],
  [10_008, 'gb18030'],
  [10_017, 'x-mac-cyrillic'],
  [20_866, 'koi8-r'],
  [21_866, 'koi8-u'],
  [28_591, 'windows-1252'],
  [28_592, 'iso-8859-2'],
  [28_595, 'iso-8859-5'],
  [28_597, 'iso-8859-7'],
  [28_605, 'iso-8859-15'],
  [51_932, 'euc-jp'],
  [51_949, 'euc-kr'],
  [54_936, 'gb18030'],
  [65_001, 'utf-8'],
]);

function tryDecode(encoding: string, bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Whether at most one in fifty characters beyond ASCII can't be decoded. */
function isMostlyValid(encoding: string, bytes: Uint8Array): boolean {
  const text = new TextDecoder(encoding).decode(bytes);
  const beyond = text.match(/[^\0-\x7f]/gu)?.length ?? 0;
  const wrong = text.match(/\ufffd/g)?.length ?? 0;
  return wrong * 50 <= beyond && isPlausible(text, encoding);
}

function hasBeyondAscii(bytes: Uint8Array): boolean {
  return bytes.some((byte) => byte >= 0x80);
}
