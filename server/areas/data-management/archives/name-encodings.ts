import { isAscii, isUtf8 } from 'node:buffer';
import { encodingOf } from '../../../encodings/encodings.ts';
import { invalid } from '../../../kernel/errors.ts';
import { parameterProblems } from '../../../kernel/parameter-problems.ts';
import { rankNameEncodings, type NameDecoder } from './name-guesses.ts';
import type { NameEncoding } from './name-languages.ts';
import { decodeSingleByte, isSingleBytePage } from './single-byte-pages.ts';

export type { NameEncoding };

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
  /**
   * How to read the names: in the caller's encoding, or else in the likeliest one for a reader of these languages (BCP 47 tags,
   * the preferred one first).
   */
  reading(chosen: NameEncoding | undefined, languages?: readonly string[]): NameReading;
};

/** About a hundred names: more would not change the guess. */
const maxSampleBytes = 4 * 1024;

/** Windows names of code pages, in addition to the labels of the WHATWG Encoding Standard. */
const codePages: Readonly<Record<string, NameEncoding>> = {
  ibm437: 'cp437',
  cp932: 'shift_jis',
  cp936: 'gb18030',
  cp949: 'euc-kr',
  cp950: 'big5',
  cp874: 'windows-874',
  ibm850: 'cp850',
  ibm852: 'cp852',
  ibm857: 'cp857',
};

/** Parses the encoding that a caller sets for names; throws INVALID_PARAMETER. */
export function parseNameEncoding(label: string): NameEncoding {
  const name = label.trim().toLowerCase();
  const encoding = codePages[name] ?? (isSingleBytePage(name) ? name : encodingOf(label));
  if (encoding === undefined || encoding === 'utf-16le' || encoding === 'utf-16be')
    throw invalid('nameEncoding', parameterProblems.IS_NO_NAME_ENCODING.reason({}));
  return encoding;
}

export function collectUndeclaredNames(): UndeclaredNames {
  const unicode = createSample();
  const other = createSample();

  return {
    add: (raw) => (isUtf8(raw) ? unicode : other).add(raw),
    reading(chosen, languages = []) {
      const entries = unicode.count() + other.count();
      if (chosen !== undefined) {
        const receipt = entries === 0 ? undefined : { encoding: chosen, guessed: false, entries };
        return { decode: createDecoder(chosen), receipt };
      }
      // Other encodings hardly ever form valid UTF-8 by chance.
      if (other.count() === 0) return { decode: createDecoder('utf-8'), receipt: undefined };
      // Names of two Chinese characters sometimes do: they are read like the majority.
      const isMostlyUnicode = unicode.count() >= other.count();
      const ranked = rankNameEncodings(
        isMostlyUnicode ? other.names() : [...other.names(), ...unicode.names()],
        languages,
        createDecoder,
      );
      const [encoding = 'cp437'] = ranked;
      const decoders = ranked.map(createDecoder);
      const order = isMostlyUnicode ? [createDecoder('utf-8'), ...decoders] : [...decoders, createDecoder('utf-8')];
      return {
        decode: (raw) => decodeUsable(raw, order),
        receipt: { encoding, guessed: true, entries: isMostlyUnicode ? other.count() : entries },
      };
    },
  };
}

/**
 * The name in the first encoding that gives one that can be a path: a wrong guess must not cost a file. The second byte of a
 * character may be that of a backslash.
 */
function decodeUsable(raw: Buffer, decoders: readonly NameDecoder[]): string {
  for (const decode of decoders) {
    const name = decode(raw);
    if (name !== undefined && !/[\\\p{Cc}\ufffd]/u.test(name)) return name;
  }
  return decodeCp437(raw);
}

/** The first names. */
function createSample(): { add(raw: Buffer): void; count(): number; names(): Buffer[] } {
  const names: Buffer[] = [];
  let sampleBytes = 0;
  let count = 0;
  return {
    add(raw) {
      count++;
      if (sampleBytes + raw.length >= maxSampleBytes) return;
      sampleBytes += raw.length + 1;
      names.push(Buffer.from(raw));
    },
    count: () => count,
    names: () => names,
  };
}

/** Decodes names; undefined for bytes that are invalid in the encoding. */
export function createDecoder(encoding: NameEncoding): NameDecoder {
  if (isSingleBytePage(encoding))
    return (raw) => {
      const text = decodeSingleByte(encoding, raw);
      return text.includes('\ufffd') ? undefined : text;
    };
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

export function decodeCp437(bytes: Buffer): string {
  return decodeSingleByte('cp437', bytes);
}
