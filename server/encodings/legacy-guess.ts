import { guessCharset } from './charset-detector.ts';
import { guessMacintosh } from './legacy-plausibility.ts';
import { type Encoding, type DetectedEncoding, encodingOf, sampleBytes, decodeStrictly } from './encodings.ts';

/** With fewer non-ASCII bytes than this, chardetng's guess is unreliable. */
const fewBytes = 5;

/** The encoding of text that is neither UTF-8 nor UTF-16; undefined for bytes that are not text. */
export function guessLegacy(bytes: Uint8Array, isCut: boolean): DetectedEncoding | undefined {
  const sample = bytes.subarray(0, sampleBytes);
  const telling = tellingPart(bytes);
  const beyond = telling.reduce((count, byte) => (byte < 0x80 ? count : count + 1), 0);
  if (beyond < fewBytes) {
    const likely = looksChinese(sample, isCut) ? 'gb18030' : looksLatin(sample) ? 'windows-1252' : undefined;
    const encoding = guessMacintosh(telling, likely) ?? likely;
    return encoding === undefined ? undefined : { encoding, markBytes: 0, certainty: 'UNSURE' };
  }
  const encoding = encodingOf(guessCharset(telling));
  const macintosh = guessMacintosh(telling, encoding);
  if (macintosh !== undefined) return { encoding: macintosh, markBytes: 0, certainty: 'UNSURE' };
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
