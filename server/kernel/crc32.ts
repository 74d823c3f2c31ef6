import { crc32 as nativeCrc32 } from '@node-rs/crc32';

/** CRC-32 (IEEE 802.3, as in ZIP) of `bytes` after those whose CRC-32 is `before`; unsigned. */
export function crc32(bytes: Uint8Array, before = 0): number {
  return nativeCrc32(bytes, before);
}

const polynomial = 0xedb88320;

/** Product of two polynomials over GF(2) modulo the CRC's, bits reflected. */
function multiply(a: number, b: number): number {
  let product = 0;
  let rest = b;
  for (let bit = 0x80000000; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) product ^= rest;
    rest = (rest & 1) === 0 ? rest >>> 1 : (rest >>> 1) ^ polynomial;
  }
  return product >>> 0;
}

/** x^(2^k) for k = 0, 1, 2, …; the order of x divides 2^32 - 1, so the list repeats after 32 entries. */
const powers: readonly number[] = (() => {
  const list = [0x40000000];
  for (let k = 1; k < 32; k++) {
    const last = list[k - 1] ?? 0;
    list.push(multiply(last, last));
  }
  return list;
})();

/** x^(8 · sizeBytes): the effect of appending that many bytes on a CRC. */
function shiftOperator(sizeBytes: number): number {
  let operator = 0x80000000;
  let rest = sizeBytes;
  for (let k = 3; rest > 0; k++) {
    if (rest % 2 === 1) operator = multiply(powers[k % 32] ?? 0, operator);
    rest = Math.floor(rest / 2);
  }
  return operator;
}

/**
 * Returns a function that computes the CRC-32 of A followed by B from their CRCs and the size of B, as zlib's `crc32_combine`
 * does; the operator of the last size is cached, so that many pieces of one size cost 32 steps each.
 */
export function createCrc32Combiner(): (crcA: number, crcB: number, sizeB: number) => number {
  let knownSize = -1;
  let operator = 0;
  return (crcA, crcB, sizeB) => {
    if (sizeB !== knownSize) {
      operator = shiftOperator(sizeB);
      knownSize = sizeB;
    }
    return (multiply(operator, crcA) ^ crcB) >>> 0;
  };
}
