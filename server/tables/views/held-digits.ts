const zero = 0x30;
const point = 0x2e;
const tailDigits = 8;
const tailUnit = 10 ** tailDigits;
/** Those that are doubles. */
const powers = Array.from({ length: 23 }, (_, power) => 10 ** power);
const maxDigits = 17;

/** Splits a double into halves whose products are exact. */
const splitter = 2 ** 27 + 1;
/** What is so close to the middle is not told here. */
const nearlyHalf = 0.499_999_9;
const beyondHalf = 1.000_000_1;

const double = new Float64Array(1);
const bits = new Uint32Array(double.buffer);

/**
 * Whether a fraction, which stands in some bytes, is one that its double is written as: of all decimals with so many digits, that next to it. Told without
 * making a text of it, as many numbers are floating-point ones with all of their digits. False where it is not told surely.
 */
export function isHeld(bytes: Uint8Array, start: number, end: number): boolean {
  let [at, places, digits] = [start, 0, 0];
  while (bytes[at] === zero || bytes[at] === point) at += 1;
  for (let next = at; next < end; next += 1) if (bytes[next] !== point) digits += 1;
  if (digits < 16) return true;
  if (digits > maxDigits) return false;
  let [head, tail, left] = [0, 0, digits];
  for (; at < end; at += 1) {
    const digit = (bytes[at] ?? zero) - zero;
    if (digit === point - zero) continue;
    if (left > tailDigits) head = head * 10 + digit;
    else tail = tail * 10 + digit;
    left -= 1;
  }
  for (at = end - 1; at >= start && bytes[at] !== point; at -= 1) places += 1;
  const scale = powers[places];
  if (scale === undefined || at < start) return false;
  const high = head * tailUnit;
  const near = (high + tail) / scale;
  // The double next to the decimal.
  const value = near + distance(near, scale, high, tail) / scale;
  if (Math.abs(distance(value, scale, high, tail)) > nearlyHalf) return false;
  const last = tail % 10;
  if (digits > 16 || last === 0) return true;
  // A decimal with fewer digits may have the same double, and would be the one that it is written as.
  const shorter = last < 5 ? -last : 10 - last;
  return Math.abs(distance(value, scale, high, tail + shorter)) > beyondHalf * (halfStep(value) * scale);
}

/** By how much a decimal is greater than a double, in units of its last digit. */
function distance(value: number, scale: number, high: number, tail: number): number {
  const product = value * scale;
  const [a, b] = [upper(value), upper(scale)];
  const [c, d] = [value - a, scale - b];
  const rest = c * d - (product - a * b - c * b - a * d);
  return high - product + tail - rest;
}

function upper(value: number): number {
  const product = value * splitter;
  return product - (product - value);
}

/** Half of the way to the next double. */
function halfStep(value: number): number {
  double[0] = value;
  const exponent = ((bits[1] ?? 0) >>> 20) & 0x7ff;
  return 2 ** (exponent - 1_023 - 53);
}
