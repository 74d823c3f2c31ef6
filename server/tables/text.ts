import { inputProblems, type Reason } from '../kernel/sentences/index.ts';
import { decodeStrictly, type Certainty, type Encoding } from '../encodings/encodings.ts';
import { decodeUncommon } from '../encodings/decoded-text.ts';
import { byteOrderMark, detectEncoding } from '../encodings/encoding-detection.ts';

export type { Encoding } from '../encodings/encodings.ts';

/**
 * A document's text without its byte order mark, and its encoding; or why it can't be read in the encoding that it
 * appears to have.
 */
export type DecodedText =
  | { text: string; encoding: Encoding; certainty: Certainty | 'GIVEN'; byteOrderMark: boolean }
  | { encoding: Encoding; certainty: Certainty | 'GIVEN'; problem: Reason };

/**
 * Decodes a whole document in the encoding of its byte order mark, the encoding `named`, or the detected one (see
 * `detectEncoding`); undefined for bytes that are not text.
 */
export function decodeText(bytes: Uint8Array, declared: boolean, named?: Encoding): DecodedText | undefined {
  const uncommon = named === undefined ? decodeUncommon(bytes)?.encoding : undefined;
  if (uncommon !== undefined) {
    const problem = inputProblems.ENCODING_NOT_WRITTEN.reason({ encoding: uncommon.toUpperCase() });
    return { encoding: 'utf-8', certainty: 'CERTAIN', problem };
  }
  const detected =
    named === undefined
      ? detectEncoding({ bytes, isWholeFile: true }, declared)
      : (byteOrderMark(bytes) ?? { encoding: named, markBytes: 0, certainty: 'GIVEN' as const });
  if (detected === undefined) return undefined;
  const { encoding, markBytes, certainty } = detected;
  const text = decodeStrictly(encoding, bytes.subarray(markBytes), false);
  if (text !== undefined) return { text, encoding, certainty, byteOrderMark: markBytes > 0 };
  return { encoding, certainty, problem: inputProblems.NOT_VALID_IN.reason({ encoding: encoding.toUpperCase() }) };
}
