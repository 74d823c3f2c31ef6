/** A sample that later ones of its partition are compared with; `position` is its entry's position within its part. */
export type RememberedSample = {
  shard: number;
  index: number;
  crc: number;
  part: number;
  position: number;
  /** Whether it is sure to be dropped: then it is only checked for equal words, not compared. */
  isDropped: boolean;
};

/** The remembered samples by group, each list in the order of the input, in flat arrays. */
export type Remembered = {
  /** -1 if there is none. */
  first(group: number): number;
  next(at: number): number;
  /** A view that is valid until the next call. */
  get(at: number): RememberedSample;
  sizeOf(group: number): number;
  add(group: number, sample: RememberedSample): void;
};

const columnCount = 6;

export function createRemembered(groups: number): Remembered {
  const firsts = new Uint32Array(groups + 1);
  const lasts = new Uint32Array(groups + 1);
  const sizes = new Uint8Array(groups + 1);
  let columns = new Float64Array(columnCount * 256);
  let length = 0;
  const view: RememberedSample = { shard: 0, index: 0, crc: 0, part: 0, position: 0, isDropped: false };
  return {
    first: (group) => (firsts[group] ?? 0) - 1,
    next: (at) => (columns[at * columnCount] ?? 0) - 1,
    get(at) {
      const start = at * columnCount;
      view.shard = columns[start + 1] ?? 0;
      view.index = columns[start + 2] ?? 0;
      view.crc = columns[start + 3] ?? 0;
      const part = columns[start + 4] ?? 0;
      view.part = part >>> 1;
      view.isDropped = (part & 1) === 1;
      view.position = columns[start + 5] ?? 0;
      return view;
    },
    sizeOf: (group) => sizes[group] ?? 0,
    add(group, { shard, index, crc, part, position, isDropped }) {
      const start = length * columnCount;
      if (start === columns.length) {
        const larger = new Float64Array(columns.length * 2);
        larger.set(columns);
        columns = larger;
      }
      columns.set([0, shard, index, crc, part * 2 + (isDropped ? 1 : 0), position], start);
      length += 1;
      const last = lasts[group] ?? 0;
      if (last === 0) firsts[group] = length;
      else columns[(last - 1) * columnCount] = length;
      lasts[group] = length;
      sizes[group] = (sizes[group] ?? 0) + 1;
    },
  };
}
