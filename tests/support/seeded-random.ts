import assert from 'node:assert/strict';

export type Random = {
  integer(below: number): number;
  pick<T>(from: readonly T[]): T;
  digits(count: number): string;
  /** Characters of an alphabet. */
  text(alphabet: string, count: number): string;
};

/** mulberry32. */
export function seededRandom(seed: number): Random {
  let state = seed;
  const integer = (below: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
  const text = (alphabet: string, count: number): string =>
    Array.from({ length: count }, () => alphabet.charAt(integer(alphabet.length))).join('');
  return {
    integer,
    pick: (from) => from[integer(from.length)] ?? assert.fail('nothing to pick from'),
    digits: (count) => text('0123456789', count),
    text,
  };
}
