/** Numbers the values of a key that occur more than once, in the order of their second occurrence. */
export type KeyValues = {
  readonly groups: number;
  count(value: number): void;
  /** Number of the value's group, from 1; 0 for a value that occurs once. */
  groupOf(value: number): number;
};

const once = 0xffff_ffff;

/** Largest initial table, in values; it grows when more are counted. */
const mostExpected = 1 << 21;

/** `expected`: number of values, including repeated ones. Memory: 16 to 32 bytes per distinct value. */
export function createKeyValues(expected: number): KeyValues {
  let capacity = 2 ** Math.ceil(Math.log2(2 * Math.max(512, Math.min(expected, mostExpected))));
  let values = new Uint32Array(capacity);
  // By slot; 0 if the slot is free.
  let groups = new Uint32Array(capacity);
  let used = 0;
  let numbered = 0;

  function slotOf(value: number): number {
    const mask = capacity - 1;
    let at = Math.imul(value ^ (value >>> 15), 0x9e37_79b1) >>> 3;
    for (at &= mask; groups[at] !== 0 && values[at] !== value;) at = (at + 1) & mask;
    return at;
  }

  function grow(): void {
    const [oldValues, oldGroups] = [values, groups];
    capacity *= 2;
    values = new Uint32Array(capacity);
    groups = new Uint32Array(capacity);
    for (const [at, group] of oldGroups.entries()) {
      if (group === 0) continue;
      const value = oldValues[at] ?? 0;
      const slot = slotOf(value);
      values[slot] = value;
      groups[slot] = group;
    }
  }

  return {
    get groups() {
      return numbered;
    },
    count(value) {
      const at = slotOf(value);
      if (groups[at] === once) groups[at] = numbered += 1;
      if (groups[at] !== 0) return;
      values[at] = value;
      groups[at] = once;
      used += 1;
      if (used * 2 > capacity) grow();
    },
    groupOf(value) {
      const group = groups[slotOf(value)] ?? 0;
      return group === once ? 0 : group;
    },
  };
}
