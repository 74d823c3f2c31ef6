import { decodeStrictly, detectEncoding, type Encoding } from './encodings.ts';

export type { Encoding } from './encodings.ts';

/** A document's text without its byte order mark, and how it was written. */
export type DecodedText = { text: string; encoding: Encoding; byteOrderMark: boolean };

/** Decodes a whole document (see `detectEncoding`); undefined for bytes that are no text. */
export function decodeText(bytes: Uint8Array, declared: boolean): DecodedText | undefined {
  const detected = detectEncoding({ bytes, isWholeFile: true }, declared);
  if (detected === undefined) return undefined;
  const { encoding, markBytes } = detected;
  const text = decodeStrictly(encoding, bytes.subarray(markBytes), false);
  return text === undefined ? undefined : { text, encoding, byteOrderMark: markBytes > 0 };
}
