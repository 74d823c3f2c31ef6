import { isUtf8 } from 'node:buffer';

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'gb18030' | 'windows-1252';

/** A document's text without its byte order mark, and how it was written. */
export type DecodedText = { text: string; encoding: Encoding; byteOrderMark: boolean };

/**
 * Decodes a document: by its byte order mark, else UTF-8 where valid, else UTF-16 told by its zero bytes, GB18030 told by
 * pairs of the common Chinese characters, and at last windows-1252 (which holds Latin-1). Undefined for bytes that are no text;
 * where nothing else says that they are (`declared: false`) a single zero byte is enough for that.
 */
export function decodeText(bytes: Uint8Array, declared: boolean): DecodedText | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return decodeAs('utf-8', bytes, 3);
  // FF FE 00 00 is UTF-32, which nobody writes documents in; as UTF-16 it would be full of NULs.
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return decodeAs('utf-16le', bytes, 2);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return decodeAs('utf-16be', bytes, 2);
  const utf16 = utf16ByZeros(bytes);
  if (utf16 !== undefined) return decodeAs(utf16, bytes, 0);
  if (!declared && bytes.includes(0)) return undefined;
  if (isUtf8(bytes)) return decodeAs('utf-8', bytes, 0);
  if (isMostlyControls(bytes)) return undefined;
  return (looksChinese(bytes) ? decodeAs('gb18030', bytes, 0) : undefined) ?? decodeAs('windows-1252', bytes, 0);
}

/** Decodes strictly; undefined when the bytes are no such text. */
function decodeAs(encoding: Encoding, bytes: Uint8Array, markBytes: number): DecodedText | undefined {
  try {
    const text = new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes.subarray(markBytes));
    return { text, encoding, byteOrderMark: markBytes > 0 };
  } catch {
    return undefined;
  }
}

const sampleBytes = 1 << 16;

/** Text of Latin letters in UTF-16 has a zero in every other byte, nearly always on the same side; plain text has none. */
function utf16ByZeros(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const length = Math.min(bytes.length, sampleBytes) & ~1;
  if (length < 16 || bytes.length % 2 !== 0) return undefined;
  const zeros = [0, 0];
  for (let at = 0; at < length; at += 1) if (bytes[at] === 0) zeros[at & 1] = (zeros[at & 1] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const units = length / 2;
  if (odd > units * 0.3 && even < units * 0.02) return 'utf-16le';
  if (even > units * 0.3 && odd < units * 0.02) return 'utf-16be';
  return undefined;
}

/** More than a tenth of control codes that text doesn't use: an image, a program, anything but text. */
function isMostlyControls(bytes: Uint8Array): boolean {
  const length = Math.min(bytes.length, sampleBytes);
  let controls = 0;
  for (let at = 0; at < length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0c && byte !== 0x0d && byte !== 0x1b) controls += 1;
  }
  return controls > length / 10;
}

/**
 * Chinese text in a GB encoding is made of pairs of two high bytes in the rows of GB 2312; in Latin-1 an accented letter
 * nearly always stands beside ASCII.
 */
function looksChinese(bytes: Uint8Array): boolean {
  const length = Math.min(bytes.length, sampleBytes);
  let pairs = 0;
  let others = 0;
  for (let at = 0; at < length; at += 1) {
    const lead = bytes[at] ?? 0;
    if (lead < 0x80) continue;
    const trail = bytes[at + 1] ?? 0;
    if (((lead >= 0xa1 && lead <= 0xa9) || (lead >= 0xb0 && lead <= 0xf7)) && trail >= 0xa1 && trail <= 0xfe)
      pairs += 1;
    else others += 1;
    if (trail >= 0x80 || (lead >= 0x81 && trail >= 0x40)) at += 1;
  }
  return pairs > 0 && others <= pairs * 0.2;
}
