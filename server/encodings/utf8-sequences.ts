/**
 * Counts non-ASCII sequences that are valid UTF-8, and invalid ones; `broken` are the invalid ones that are truncated.
 */
export function countSequences(bytes: Uint8Array, isCut: boolean): { valid: number; invalid: number; broken: number } {
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
export function sequenceLength(bytes: Uint8Array, at: number): 0 | 2 | 3 | 4 {
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
