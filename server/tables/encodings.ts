import { guessCharset } from './charset-detector.ts';

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

/** The start of a file: the whole file, or its first bytes, which may end within a character. */
export type FileHead = { bytes: Uint8Array; isWholeFile: boolean };

/**
 * Detects a text's encoding, strongest evidence first: byte order mark; UTF-16 by its zero bytes or its letters; UTF-8
 * if (nearly) every non-ASCII sequence is valid; then chardetng's guess, and where there is too little text for it,
 * GB18030 by pairs of frequent Chinese characters, or windows-1252 (a superset of Latin-1). Undefined for bytes that
 * are not text, or text in none of these encodings. If nothing else indicates a text file (`declared: false`), one zero
 * byte is enough to reject it.
 */
export function detectEncoding({ bytes, isWholeFile }: FileHead, declared: boolean): DetectedEncoding | undefined {
  const mark = byteOrderMark(bytes);
  if (mark !== undefined) return mark;
  const found = (encoding: Encoding, certainty: Certainty): DetectedEncoding => ({ encoding, markBytes: 0, certainty });
  const sample = bytes.subarray(0, sampleBytes);
  const isCut = !isWholeFile || sample.length < bytes.length;
  const byZeros = utf16ByZeros(sample);
  if (byZeros !== undefined) return found(byZeros, 'LIKELY');
  if (!declared && bytes.includes(0)) return undefined;
  const { valid, invalid, broken } = countSequences(bytes, !isWholeFile);
  const isBinary = isMostlyControls(sample);
  const byLetters = invalid > 0 || isBinary ? utf16ByLetters(sample, isCut) : undefined;
  if (byLetters !== undefined) return found(byLetters, 'LIKELY');
  if (invalid === 0) return found('utf-8', 'CERTAIN');
  // Other encodings contain next to no valid UTF-8 by chance: a few invalid bytes among much valid UTF-8 are damage,
  // and so is a truncated sequence.
  if (valid > invalid * 2 || broken === invalid) return found('utf-8', 'LIKELY');
  if (isBinary) return undefined;
  const guess = guessLegacy(bytes, isCut);
  const isDamaged =
    guess?.encoding === 'windows-1252' && invalid <= maxBadBytes && valid * 2 >= invalid && areDoubled(bytes);
  return isDamaged ? found('utf-8', 'UNSURE') : guess;
}

/** In a short text, up to this many invalid UTF-8 bytes may be damage; more indicate another encoding. */
const maxBadBytes = 2;

/**
 * Whether the UTF-8 sequences, read as windows-1252, would be pairs that nobody writes, such as Ã©: then a few of them
 * outweigh a few invalid bytes. Sequences beginning with other letters may be real text: É» ends a quotation.
 */
function areDoubled(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at += 1) {
    const lead = bytes[at] ?? 0;
    if (lead < 0x80) continue;
    const length = sequenceLength(bytes, at);
    if (length === 2 && (lead < 0xc2 || lead > 0xc5)) return false;
    if (length > 0) at += length - 1;
  }
  return true;
}

/** With fewer non-ASCII bytes than this, chardetng's guess is unreliable. */
const fewBytes = 5;

function guessLegacy(bytes: Uint8Array, isCut: boolean): DetectedEncoding | undefined {
  const sample = bytes.subarray(0, sampleBytes);
  const telling = tellingPart(bytes);
  const beyond = telling.reduce((count, byte) => (byte < 0x80 ? count : count + 1), 0);
  if (beyond < fewBytes) {
    const encoding = looksChinese(sample, isCut) ? 'gb18030' : looksLatin(sample) ? 'windows-1252' : undefined;
    return encoding === undefined ? undefined : { encoding, markBytes: 0, certainty: 'UNSURE' };
  }
  const encoding = encodingOf(guessCharset(telling));
  if (encoding === undefined || isMostlyNoText(telling, encoding)) return undefined;
  return { encoding, markBytes: 0, certainty: beyond < 100 ? 'UNSURE' : 'LIKELY' };
}

/** The part of the text given to the detector: from the first line with non-ASCII bytes. */
function tellingPart(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex((byte) => byte >= 0x80);
  const start = bytes.subarray(0, Math.max(0, first)).lastIndexOf(0x0a) + 1;
  return bytes.subarray(start, start + sampleBytes);
}

/** Whether more than 2 % of the non-ASCII characters are undefined or control codes, which is too much for damage. */
function isMostlyNoText(bytes: Uint8Array, encoding: Encoding): boolean {
  const text = new TextDecoder(encoding).decode(bytes);
  let beyond = 0;
  let wrong = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    beyond += 1;
    if (unit === 0xfffd || unit < 0xa0) wrong += 1;
  }
  return wrong > 1 + beyond / 50;
}

/** The encoding by the byte order mark at the beginning of a file. */
export function byteOrderMark(bytes: Uint8Array): DetectedEncoding | undefined {
  const marked = (encoding: Encoding, markBytes: number): DetectedEncoding => {
    return { encoding, markBytes, certainty: 'CERTAIN' };
  };
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return marked('utf-8', 3);
  // FF FE 00 00 is UTF-32, which is not used for documents; as UTF-16 it would be full of NULs.
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return marked('utf-16le', 2);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return marked('utf-16be', 2);
  return undefined;
}

const sampleBytes = 1 << 16;

/** Latin text in UTF-16 has a zero in every other byte, nearly always on the same side; plain text has none. */
function utf16ByZeros(sample: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const length = sample.length & ~1;
  if (length < 4) return undefined;
  const zeros = [0, 0];
  for (let at = 0; at < length; at += 1) if (sample[at] === 0) zeros[at & 1] = (zeros[at & 1] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const units = length / 2;
  // Short samples are weak evidence: nearly all bytes must agree.
  const least = units * (units < 8 ? 0.7 : 0.3);
  if (odd > least && even < units * 0.02) return 'utf-16le';
  if (even > least && odd < units * 0.02) return 'utf-16be';
  return undefined;
}

/** UTF-16 of other scripts: all units are letters, signs or line ends in one byte order but not in the other. */
function utf16ByLetters(sample: Uint8Array, isCut: boolean): 'utf-16le' | 'utf-16be' | undefined {
  if (sample.length < 8 || (sample.length % 2 !== 0 && !isCut)) return undefined;
  const even = sample.subarray(0, sample.length & ~1);
  const [little, big] = [plainUnitShare(even, 0), plainUnitShare(even, 1)];
  if (little > 0.95 && big < 0.7) return 'utf-16le';
  return big > 0.95 && little < 0.7 ? 'utf-16be' : undefined;
}

function plainUnitShare(even: Uint8Array, lowByte: 0 | 1): number {
  let plain = 0;
  let breaks = 0;
  for (let at = 0; at < even.length; at += 2) {
    const unit = (even[at + lowByte] ?? 0) | ((even[at + 1 - lowByte] ?? 0) << 8);
    if (isPlainUnit(unit)) plain += 1;
    if (unit === 0x0a || unit === 0x20 || unit === 0x3002 || unit === 0xff0c || unit === 0x3001) breaks += 1;
  }
  // Without any space, line end or comma, it may be anything.
  return breaks === 0 ? 0 : (plain * 2) / even.length;
}

function isPlainUnit(unit: number): boolean {
  if (unit < 0x80) return unit >= 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;
  return (
    (unit >= 0xa0 && unit < 0x530) ||
    (unit >= 0x5d0 && unit < 0x700) ||
    (unit >= 0x900 && unit < 0xe80) ||
    (unit >= 0x2010 && unit < 0x2040) ||
    (unit >= 0x3000 && unit < 0x3100) ||
    (unit >= 0x4e00 && unit < 0x9fff) ||
    (unit >= 0xac00 && unit < 0xd7a4) ||
    (unit >= 0xff00 && unit < 0xfff0)
  );
}

/**
 * Counts non-ASCII sequences that are valid UTF-8, and invalid ones; `broken` are the invalid ones that are truncated.
 */
function countSequences(bytes: Uint8Array, isCut: boolean): { valid: number; invalid: number; broken: number } {
  let valid = 0;
  let invalid = 0;
  let broken = 0;
  for (let at = 0; at < bytes.length;) {
    const lead = bytes[at] ?? 0;
    if (lead < 0x80) {
      at += 1;
      continue;
    }
    const length = sequenceLength(bytes, at);
    if (length > 0) {
      valid += 1;
      at += length;
    } else if (isCut && at + 4 > bytes.length) {
      return { valid, invalid, broken };
    } else {
      const tails = tailsOfBroken(bytes, at);
      invalid += 1;
      if (tails > 0) broken += 1;
      at += 1 + tails;
    }
  }
  return { valid, invalid, broken };
}

/**
 * Length of the UTF-8 sequence at `at`, 0 if it is invalid (RFC 3629: no overlong forms, no surrogates, up to
 * U+10FFFF).
 */
function sequenceLength(bytes: Uint8Array, at: number): 0 | 2 | 3 | 4 {
  const lead = bytes[at] ?? 0;
  const second = bytes[at + 1] ?? 0;
  if (lead >= 0xc2 && lead <= 0xdf) return isTail(second) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    if (!isTail(second) || !isTail(bytes[at + 2])) return 0;
    if ((lead === 0xe0 && second < 0xa0) || (lead === 0xed && second > 0x9f)) return 0;
    return 3;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    if (!isTail(second) || !isTail(bytes[at + 2]) || !isTail(bytes[at + 3])) return 0;
    return (lead === 0xf0 && second < 0x90) || (lead === 0xf4 && second > 0x8f) ? 0 : 4;
  }
  return 0;
}

/** Whether non-ASCII bytes are UTF-8, and too many of them for coincidence. */
export function looksUtf8(bytes: Uint8Array): boolean {
  const { valid, invalid } = countSequences(bytes, false);
  return invalid === 0 && valid >= 3;
}

/** Number of bytes before a sequence of three or four breaks off; 0 if only its first byte exists. */
function tailsOfBroken(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0;
  if (lead < 0xe0 || lead > 0xf4 || !isTail(bytes[at + 1])) return 0;
  return lead >= 0xf0 && isTail(bytes[at + 2]) ? 2 : 1;
}

function isTail(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** Whether more than a tenth of the bytes are control codes that text does not use, as in an image or a program. */
export function isMostlyControls(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, sampleBytes);
  let controls = 0;
  for (const byte of sample) {
    if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0c && byte !== 0x0d && byte !== 0x1b) controls += 1;
  }
  return controls > sample.length / 10;
}

/**
 * Chinese text in a GB encoding consists of pairs in the rows of GB 2312's frequent characters and signs; in Latin-1,
 * an accented letter is next to ASCII letters. The rows are sorted by pinyin, and those from S to Z contain nearly half
 * of any text; Korean (EUC-KR) uses the same bytes but none of these rows, Japanese (EUC-JP) has kana in every
 * sentence.
 */
function looksChinese(sample: Uint8Array, isCut: boolean): boolean {
  let frequentRows = 0;
  let rowsFromS = 0;
  let signs = 0;
  let kana = 0;
  let others = 0;
  for (let at = 0; at < sample.length; at += 1) {
    const lead = sample[at] ?? 0;
    if (lead < 0x80) continue;
    const trail = sample[at + 1] ?? 0;
    if (trail >= 0xa1 && trail <= 0xfe) {
      const isAmongLetters = isLetter(sample[at - 1]) && isLetter(sample[at + 2]);
      if (isAmongLetters) others += 1;
      else if (lead >= 0xb0 && lead <= 0xd7) frequentRows += 1;
      else if (lead >= 0xa1 && lead <= 0xa3) signs += 1;
      else others += 0.5;
      if (lead >= 0xc9 && lead <= 0xd7) rowsFromS += 1;
      if (lead === 0xa4 || lead === 0xa5) kana += 1;
      at += 1;
    } else {
      others += 1;
      if (trail >= 0x40 && trail <= 0xfe) at += 1;
      else if (trail >= 0x30 && trail <= 0x39) at += 3;
    }
  }
  if (frequentRows === 0 || others > (frequentRows + signs) * 0.6) return false;
  if (kana * 5 > frequentRows || (frequentRows >= 12 && rowsFromS * 12 < frequentRows)) return false;
  return decodeStrictly('gb18030', sample, isCut) !== undefined;
}

/** Western European text: few letters are non-ASCII, and few bytes are undefined controls. */
function looksLatin(sample: Uint8Array): boolean {
  let letters = 0;
  let accents = 0;
  let marks = 0;
  for (const byte of sample) {
    if (byte >= 0xc0) accents += 1;
    else if (byte >= 0x80) marks += 1;
    else if (isLetter(byte)) letters += 1;
  }
  const isShort = accents + marks <= 6;
  return isShort || accents + marks <= (letters + accents + marks) * 0.45;
}

function isLetter(byte: number | undefined): boolean {
  return byte !== undefined && (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
}

/** Decodes bytes; undefined if they are invalid. `isCut` allows the last character to be incomplete. */
export function decodeStrictly(encoding: Encoding, bytes: Uint8Array, isCut: boolean): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes, { stream: isCut });
  } catch {
    return undefined;
  }
}
