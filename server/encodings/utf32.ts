export type Utf32 = 'utf-32le' | 'utf-32be';

/** UTF-32 by its byte order mark, or by its zeros: no character is above 10FFFF. */
export function utf32Of(bytes: Uint8Array): Utf32 | undefined {
  if (bytes.length < 4 || bytes.length % 4 !== 0) return undefined;
  const [a, b, c, d] = bytes;
  if (a === 0xff && b === 0xfe && c === 0 && d === 0 && isUtf32(bytes, 'utf-32le')) return 'utf-32le';
  if (a === 0 && b === 0 && c === 0xfe && d === 0xff && isUtf32(bytes, 'utf-32be')) return 'utf-32be';
  if (bytes.length < 8) return undefined;
  return (['utf-32le', 'utf-32be'] as const).find((encoding) => isUtf32(bytes, encoding));
}

/** This many characters are evidence enough. */
const sampleCharacters = 4096;

function isUtf32(bytes: Uint8Array, encoding: Utf32): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const end = Math.min(bytes.length, 4 * sampleCharacters);
  for (let at = 0; at < end; at += 4) {
    const code = view.getUint32(at, encoding === 'utf-32le');
    if (!isCharacter(code) || (code < 0x20 && code !== 9 && code !== 10 && code !== 12 && code !== 13)) return false;
  }
  return true;
}

/** Decodes UTF-32 without its mark; codes that are no character become U+FFFD. */
export function decodeUtf32(bytes: Uint8Array, encoding: Utf32): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const parts: string[] = [];
  for (let at = 0; at + 4 <= bytes.length; at += 4) {
    const code = view.getUint32(at, encoding === 'utf-32le');
    if (at > 0 || code !== 0xfeff) parts.push(isCharacter(code) ? String.fromCodePoint(code) : '\ufffd');
  }
  return parts.join('');
}

function isCharacter(code: number): boolean {
  return code <= 0x10_ffff && (code < 0xd800 || code > 0xdfff);
}
