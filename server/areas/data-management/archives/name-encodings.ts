import { isAscii, isUtf8 } from 'node:buffer';
import { guessCharset } from '../../../encodings/charset-detector.ts';
import { encodingOf, type Encoding } from '../../../encodings/encodings.ts';
import { invalid } from '../../../kernel/errors.ts';
import { parameterProblems } from '../../../kernel/parameter-problems.ts';

/** Encoding of the names in an archive that are not declared as Unicode. */
export type NameEncoding = Exclude<Encoding, 'utf-16le' | 'utf-16be'> | 'cp437';

/** The encoding in which the undeclared names were read, whether it was guessed, and the number of names. */
export type NameEncodingReceipt = { encoding: NameEncoding; guessed: boolean; entries: number };

/** Reads the undeclared names of one archive. */
export type NameReading = {
  /** The text of a name; undefined when its bytes are invalid in the encoding that the caller set. */
  decode(raw: Buffer): string | undefined;
  /** Undefined when all names are ASCII, or UTF-8 without a guess. */
  receipt: NameEncodingReceipt | undefined;
};

/** Collects the undeclared non-ASCII names of an archive: an encoding is detected better from all than from each alone. */
export type UndeclaredNames = {
  /** Copies the bytes if it needs them. */
  add(raw: Buffer): void;
  /** How to read the names: in the caller's encoding, or else in the detected one. */
  reading(chosen: NameEncoding | undefined): NameReading;
};

const maxSampleBytes = 64 * 1024;

/** Windows names of code pages, in addition to the labels of the WHATWG Encoding Standard. */
const codePages: Readonly<Record<string, NameEncoding>> = {
  cp437: 'cp437',
  ibm437: 'cp437',
  cp932: 'shift_jis',
  cp936: 'gb18030',
  cp949: 'euc-kr',
  cp950: 'big5',
};

/** Encodings that programs use in zips without declaring them: code pages of systems neither Western nor Unicode. */
const writtenUndeclared = ['gb18030', 'shift_jis', 'big5', 'euc-kr', 'ibm866'] as const;

function isWrittenUndeclared(encoding: Encoding): encoding is (typeof writtenUndeclared)[number] {
  return (writtenUndeclared as readonly string[]).includes(encoding);
}

/** Parses the encoding that a caller sets for names; throws INVALID_PARAMETER. */
export function parseNameEncoding(label: string): NameEncoding {
  const encoding = codePages[label.trim().toLowerCase()] ?? encodingOf(label);
  if (encoding === undefined || encoding === 'utf-16le' || encoding === 'utf-16be')
    throw invalid('nameEncoding', parameterProblems.IS_NO_NAME_ENCODING.reason({}));
  return encoding;
}

export function collectUndeclaredNames(): UndeclaredNames {
  const unicode = createSample();
  const other = createSample();

  return {
    add: (raw) => (isUtf8(raw) ? unicode : other).add(raw),
    reading(chosen) {
      const entries = unicode.count() + other.count();
      if (chosen !== undefined) {
        const receipt = entries === 0 ? undefined : { encoding: chosen, guessed: false, entries };
        return { decode: createDecoder(chosen), receipt };
      }
      // Other encodings hardly ever form valid UTF-8 by chance.
      if (other.count() === 0) return { decode: createDecoder('utf-8'), receipt: undefined };
      // Names of two Chinese characters sometimes do: they are read like the majority.
      const isMostlyUnicode = unicode.count() >= other.count();
      const encoding = guess(isMostlyUnicode ? other.bytes() : Buffer.concat([other.bytes(), unicode.bytes()]));
      const legacy = createDecoder(encoding);
      const utf8 = createDecoder('utf-8');
      const [likelier, otherwise] = isMostlyUnicode ? [utf8, legacy] : [legacy, utf8];
      return {
        decode: (raw) => likelier(raw) ?? otherwise(raw) ?? decodeCp437(raw),
        receipt: { encoding, guessed: true, entries: isMostlyUnicode ? other.count() : entries },
      };
    },
  };
}

/** The first names, one per line. */
function createSample(): { add(raw: Buffer): void; count(): number; bytes(): Buffer } {
  const parts: Buffer[] = [];
  let sampleBytes = 0;
  let count = 0;
  return {
    add(raw) {
      count++;
      if (sampleBytes + raw.length >= maxSampleBytes) return;
      sampleBytes += raw.length + 1;
      parts.push(Buffer.from(raw), lineEnd);
    },
    count: () => count,
    bytes: () => Buffer.concat(parts),
  };
}

const lineEnd = Buffer.from('\n');

/**
 * Guesses the encoding of names: the detector's choice if zips use it; else, since the detector fails on short names, the first
 * encoding in which all characters are common; else code page 437, the zip format's own.
 */
function guess(names: Buffer): NameEncoding {
  const detected = encodingOf(guessCharset(names));
  const candidates: [NameEncoding, RegExp][] = [...probableFor(detected), ...commonCharacters];
  for (const [encoding, characters] of candidates) {
    const text = createDecoder(encoding)(names);
    if (text !== undefined && characters.test(text) && !isAmongLetters(text, encoding)) return encoding;
  }
  return 'cp437';
}

/** The encoding that a zip may use when the detector reports `detected`; all its characters are accepted. */
function probableFor(detected: Encoding | undefined): [NameEncoding, RegExp][] {
  // Systems that write zips have never written EUC-JP; the same bytes are Chinese.
  if (detected === 'euc-jp') return [['gb18030', /^/]];
  return detected !== undefined && isWrittenUndeclared(detected) ? [[detected, /^/]] : [];
}

/** The most frequent characters of encodings that the detector misses in short names. */
const commonCharacters: readonly [NameEncoding, RegExp][] = [
  ['shift_jis', /^[\0-\x7f\u3001-\u30ff\uff01-\uff9f\u4e00-\u9fff]*$/u],
  ['gb18030', /^[\0-\x7f\u3001-\u301f\uff01-\uff5e\u4e00-\u9fff]*$/u],
];

/** Whether many characters stand alone beside Latin letters: accented letters of another encoding. */
function isAmongLetters(text: string, encoding: NameEncoding): boolean {
  const beyond = text.match(/[^\0-\x7f]/gu)?.length ?? 0;
  const alone = text.match(/(?<![^\0-\x7f])(?:(?<=[a-z])[^\0-\x7f]|[^\0-\x7f](?=[a-z]))(?![^\0-\x7f])/giu)?.length ?? 0;
  return alone * (encoding === 'ibm866' ? 5 : 2) > beyond;
}

/** Decodes names; undefined for bytes that are invalid in the encoding. */
export function createDecoder(encoding: NameEncoding): (raw: Buffer) => string | undefined {
  if (encoding === 'cp437') return decodeCp437;
  if (encoding === 'utf-8') return (raw) => (isUtf8(raw) ? raw.toString('utf8') : undefined);
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
  return (raw) => {
    if (isAscii(raw)) return raw.toString('latin1');
    try {
      return decoder.decode(raw);
    } catch {
      return undefined;
    }
  };
}

/** The upper half of code page 437, the oldest encoding of names in a zip (APPNOTE, appendix D). */
const cp437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀' +
  'αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0';

export function decodeCp437(bytes: Buffer): string {
  let text = '';
  for (const byte of bytes) text += byte < 0x80 ? String.fromCharCode(byte) : (cp437[byte - 0x80] ?? '');
  return text;
}
