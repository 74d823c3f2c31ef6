/** Latin text in UTF-16 has a zero in every other byte, nearly always on the same side; plain text has none. */
export function utf16ByZeros(sample: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const length = sample.length & ~1;
  if (length < 4) return undefined;
  const zeros = [0, 0];
  for (let at = 0; at < length; at += 1) if (sample[at] === 0) zeros[at & 1] = (zeros[at & 1] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const units = length / 2;
  // Short samples are weak evidence: nearly all bytes must agree.
  const least = units * (units < 8 ? 0.7 : 0.3);
  if (odd > least && even < units * 0.02) return 'utf-16le';
  if (even > least && odd < units * 0.02) return 'utf-16be';
  return undefined;
}

/** UTF-16 of other scripts: all units are letters, signs or line ends in one byte order but not in the other. */
export function utf16ByLetters(sample: Uint8Array, isCut: boolean): 'utf-16le' | 'utf-16be' | undefined {
  if (sample.length < 8 || (sample.length % 2 !== 0 && !isCut)) return undefined;
  const even = sample.subarray(0, sample.length & ~1);
  const [little, big] = [plainUnitShare(even, 0), plainUnitShare(even, 1)];
  if (little > 0.95 && big < 0.7) return 'utf-16le';
  return big > 0.95 && little < 0.7 ? 'utf-16be' : undefined;
}

function plainUnitShare(even: Uint8Array, lowByte: 0 | 1): number {
  let plain = 0;
  let breaks = 0;
  for (let at = 0; at < even.length; at += 2) {
    const unit = (even[at + lowByte] ?? 0) | ((even[at + 1 - lowByte] ?? 0) << 8);
    if (isPlainUnit(unit)) plain += 1;
    if (unit === 0x0a || unit === 0x20 || unit === 0x3002 || unit === 0xff0c || unit === 0x3001) breaks += 1;
  }
  // Without any space, line end or comma, it may be anything.
  return breaks === 0 ? 0 : (plain * 2) / even.length;
}

function isPlainUnit(unit: number): boolean {
  if (unit < 0x80) return unit >= 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;
  return (
    (unit >= 0xa0 && unit < 0x530) ||
    (unit >= 0x5d0 && unit < 0x700) ||
    (unit >= 0x900 && unit < 0xe80) ||
    (unit >= 0x2010 && unit < 0x2040) ||
    (unit >= 0x3000 && unit < 0x3100) ||
    (unit >= 0x4e00 && unit < 0x9fff) ||
    (unit >= 0xac00 && unit < 0xd7a4) ||
    (unit >= 0xff00 && unit < 0xfff0)
  );
}
