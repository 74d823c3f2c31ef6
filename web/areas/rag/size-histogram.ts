export type SizeBin = { from: number; to: number; count: number };

/** Counts sizes in at most `most` bins of a round width: (from, to], from 0 to the largest. */
export function binsOf(sizes: readonly number[], most: number): SizeBin[] {
  const largest = Math.max(0, ...sizes);
  if (largest === 0) return [];
  const width = roundUp(largest / most);
  const bins = Array.from({ length: Math.ceil(largest / width) }, (_, at) => ({
    from: at * width,
    to: (at + 1) * width,
    count: 0,
  }));
  for (const size of sizes) {
    const bin = bins[Math.max(0, Math.ceil(size / width) - 1)];
    if (bin !== undefined) bin.count += 1;
  }
  return bins;
}

/** 1, 2 or 5 times a power of ten. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((width) => width >= value) ?? value;
}
