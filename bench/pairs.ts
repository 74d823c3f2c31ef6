/** Runs of each side: `TILTH_BENCH_PAIRS`, 7 unless given. */
export const pairCount = Math.max(1, Number(process.env['TILTH_BENCH_PAIRS'] ?? 7));

/** One side of a comparison; `run` gives its figure, of which more is better unless its title says otherwise. */
export type Side = { name: string; unit: string; run(): Promise<number> };

/**
 * Measures two sides in turn, A B A B: the machine's noise hits both. One run of each beforehand doesn't count. Prints every
 * pair, then the median of the ratios with the smallest and the largest.
 */
export async function comparePairs(title: string, ours: Side, peer: Side): Promise<number> {
  await ours.run();
  await peer.run();
  const ratios: number[] = [];
  const figures: { own: number; other: number }[] = [];
  for (let pair = 0; pair < pairCount; pair++) {
    const own = await ours.run();
    const other = await peer.run();
    ratios.push(own / other);
    figures.push({ own, other });
    console.log(
      `  ${ours.name} ${own.toFixed(2)} ${ours.unit}, ${peer.name} ${other.toFixed(2)} ${peer.unit}: ${(own / other).toFixed(2)}`,
    );
  }
  ratios.sort((left, right) => left - right);
  const median = medianOf(ratios);
  console.log(
    `${title}: ${median.toFixed(2)} (${ratios[0]?.toFixed(2)}–${ratios.at(-1)?.toFixed(2)}), ` +
      `${ours.name} ${medianOf(figures.map(({ own }) => own)).toFixed(2)} ${ours.unit}, ` +
      `${peer.name} ${medianOf(figures.map(({ other }) => other)).toFixed(2)} ${peer.unit}`,
  );
  return median;
}

export function medianOf(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[values.length >> 1] ?? 0;
}
