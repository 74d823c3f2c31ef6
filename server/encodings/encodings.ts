/**
 * Encodings in which texts are read and written back: the ASCII-compatible ones of the WHATWG Encoding Standard, and
 * UTF-16.
 */
export const encodings = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'gb18030',
  'big5',
  'shift_jis',
  'euc-jp',
  'euc-kr',
  'koi8-r',
  'koi8-u',
  'ibm866',
  'macintosh',
  'x-mac-cyrillic',
  'iso-8859-2',
  'iso-8859-3',
  'iso-8859-4',
  'iso-8859-5',
  'iso-8859-6',
  'iso-8859-7',
  'iso-8859-8',
  'iso-8859-10',
  'iso-8859-13',
  'iso-8859-14',
  'iso-8859-15',
  'iso-8859-16',
  'windows-874',
  'windows-1250',
  'windows-1251',
  'windows-1252',
  'windows-1253',
  'windows-1254',
  'windows-1255',
  'windows-1256',
  'windows-1257',
  'windows-1258',
] as const;

export type Encoding = (typeof encodings)[number];

/**
 * How certain the encoding of a text is: proved by its byte order mark or all of its bytes; strong evidence; weak
 * evidence.
 */
export type Certainty = 'CERTAIN' | 'LIKELY' | 'UNSURE';

/** The encoding of a file, and the length of its byte order mark in bytes. */
export type DetectedEncoding = { encoding: Encoding; markBytes: number; certainty: Certainty };

/** The encoding of a WHATWG Encoding Standard label (`latin1`, `GBK`, `sjis` …); undefined for others. */
export function encodingOf(name: string): Encoding | undefined {
  let label: string;
  try {
    label = new TextDecoder(name.trim()).encoding;
  } catch {
    return undefined;
  }
  // GB18030 includes all of GBK.
  if (label === 'gbk') return 'gb18030';
  return encodings.find((encoding) => encoding === label);
}

/** How many bytes at the beginning of a file are looked at to guess its encoding. */
export const sampleBytes = 1 << 16;

/** Decodes bytes; undefined if they are invalid. `isCut` allows the last character to be incomplete. */
export function decodeStrictly(encoding: Encoding, bytes: Uint8Array, isCut: boolean): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes, { stream: isCut });
  } catch {
    return undefined;
  }
}
