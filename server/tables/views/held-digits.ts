const zero = 0x30;
const point = 0x2e;
const tailDigits = 8;
const tailUnit = 10 ** tailDigits;
/** Powers of ten that a double holds exactly. */
const powers = Array.from({ length: 23 }, (_, power) => 10 ** power);
const maxDigits = 17;

/** Splits a double into halves whose products are exact (Veltkamp splitting). */
const splitter = 2 ** 27 + 1;
/** Margins around one half: values this close to it are left undecided. */
const nearlyHalf = 0.499_999_9;
const beyondHalf = 1.000_000_1;

const double = new Float64Array(1);
const bits = new Uint32Array(double.buffer);

/**
 * Whether a decimal fraction in `bytes` survives the round trip through a double: it must be the decimal of its length
 * nearest to that double, and no shorter decimal may have the same double. Builds no string, because many files hold
 * floating-point numbers with all their digits. Returns false if undecided.
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
  // The double nearest to the decimal.
  const value = near + distance(near, scale, high, tail) / scale;
  if (Math.abs(distance(value, scale, high, tail)) > nearlyHalf) return false;
  const last = tail % 10;
  if (digits > 16 || last === 0) return true;
  // If a shorter decimal has the same double, the double is written as that one.
  const shorter = last < 5 ? -last : 10 - last;
  return Math.abs(distance(value, scale, high, tail + shorter)) > beyondHalf * (halfStep(value) * scale);
}

/** By how much a decimal exceeds a double, in units of its last digit. */
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

/** Half the distance to the next double. */
function halfStep(value: number): number {
  double[0] = value;
  const exponent = ((bits[1] ?? 0) >>> 20) & 0x7ff;
  return 2 ** (exponent - 1_023 - 53);
}
