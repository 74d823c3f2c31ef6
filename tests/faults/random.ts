/** Random numbers from a seed: the same seed gives the same campaign. */
export type Random = {
  /** 0 ≤ x < 1. */
  next(): number;
  /** An integer from `low` to `high`, inclusive. */
  integer(low: number, high: number): number;
  pick<T>(items: readonly T[]): T;
  /** A shuffled copy. */
  shuffle<T>(items: readonly T[]): T[];
  bytes(length: number): Buffer;
};

/** mulberry32 (Tommy Ettinger, public domain) over a hash of the parts of the seed. */
export function createRandom(...seed: readonly (number | string)[]): Random {
  let state = hash(seed.join('/'));

  function word(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  const next = (): number => word() / 2 ** 32;
  const integer = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  return {
    next,
    integer,
    pick(items) {
      const item = items[integer(0, items.length - 1)];
      if (item === undefined) throw new RangeError('Nothing to pick from');
      return item;
    },
    shuffle(items) {
      const rest = [...items];
      return items.flatMap(() => rest.splice(integer(0, rest.length - 1), 1));
    },
    bytes(length) {
      const words = Uint32Array.from({ length: Math.ceil(length / 4) }, word);
      return Buffer.from(words.buffer, 0, length);
    },
  };
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  return value;
}
