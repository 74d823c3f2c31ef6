import { utf16ByZeros, utf16ByLetters } from './utf16-guess.ts';
import { countSequences, sequenceLength } from './utf8-sequences.ts';
import { guessLegacy } from './legacy-guess.ts';
import { type Encoding, type Certainty, type DetectedEncoding, sampleBytes } from './encodings.ts';

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

/** Whether more than a tenth of the bytes are control codes that text does not use, as in an image or a program. */
export function isMostlyControls(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, sampleBytes);
  let controls = 0;
  for (const byte of sample) {
    if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0c && byte !== 0x0d && byte !== 0x1b) controls += 1;
  }
  return controls > sample.length / 10;
}
