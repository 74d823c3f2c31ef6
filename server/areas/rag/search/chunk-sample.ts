/** Chooses chunks spread evenly over units; the same ones each time. */
export function spreadOver(
  units: readonly { unit: number; chunks: number }[],
  count: number,
): { unit: number; ordinal: number }[] {
  const total = units.reduce((sum, { chunks }) => sum + chunks, 0);
  const wanted = Math.min(count, total);
  const places: { unit: number; ordinal: number }[] = [];
  let [before, index] = [0, 0];
  for (let drawn = 0; drawn < wanted; drawn++) {
    const at = Math.floor(((drawn + 0.5) * total) / wanted);
    while (at >= before + (units[index]?.chunks ?? total)) before += units[index++]?.chunks ?? total;
    places.push({ unit: units[index]?.unit ?? 0, ordinal: at - before });
  }
  return places;
}
