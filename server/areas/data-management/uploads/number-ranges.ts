/** A set of whole numbers, mostly consecutive: stored as runs, so its cost is their number. */
export type NumberRanges = {
  has(number: number): boolean;
  add(number: number): void;
  delete(number: number): void;
  /** Number of runs. */
  readonly runs: number;
};

export function createNumberRanges(): NumberRanges {
  // Run i is starts[i]..ends[i], both included; runs are apart by at least one number.
  const starts: number[] = [];
  const ends: number[] = [];

  /** Index of the first run that starts after `number`. */
  function runBehind(number: number): number {
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((starts[middle] ?? Infinity) > number) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  function endBefore(run: number): number {
    return ends[run - 1] ?? -Infinity;
  }

  return {
    get runs() {
      return starts.length;
    },

    has: (number) => endBefore(runBehind(number)) >= number,

    add(number) {
      const behind = runBehind(number);
      const end = endBefore(behind);
      if (end >= number) return;
      const joinsBefore = end === number - 1;
      const joinsBehind = starts[behind] === number + 1;
      if (joinsBefore && joinsBehind) {
        ends[behind - 1] = ends[behind] ?? number;
        starts.splice(behind, 1);
        ends.splice(behind, 1);
      } else if (joinsBefore) {
        ends[behind - 1] = number;
      } else if (joinsBehind) {
        starts[behind] = number;
      } else {
        starts.splice(behind, 0, number);
        ends.splice(behind, 0, number);
      }
    },

    delete(number) {
      const run = runBehind(number) - 1;
      const start = starts[run];
      const end = ends[run];
      if (start === undefined || end === undefined || end < number) return;
      if (start === end) {
        starts.splice(run, 1);
        ends.splice(run, 1);
      } else if (start === number) {
        starts[run] = number + 1;
      } else if (end === number) {
        ends[run] = number - 1;
      } else {
        starts.splice(run + 1, 0, number + 1);
        ends.splice(run, 0, number - 1);
      }
    },
  };
}

/** Ascending numbers as ranges: 1, 2, 3, 7 → 1–3, 7–7. */
export function toRanges(numbers: readonly number[]): { from: number; to: number }[] {
  const ranges: { from: number; to: number }[] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last !== undefined && last.to === number - 1) last.to = number;
    else ranges.push({ from: number, to: number });
  }
  return ranges;
}
