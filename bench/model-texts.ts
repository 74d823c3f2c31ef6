const words =
  'soil field harrow wheat spring farmer root seed water plough meadow barley clover drainage furrow harvest'.split(
    ' ',
  );

/** Generated texts of about 1,000 characters, the same in every run. */
export function corpusTexts(count: number): string[] {
  let state = 12_345;
  const next = (): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state >>> 8;
  };
  return Array.from({ length: count }, () =>
    Array.from({ length: 160 }, () => `${words[next() % words.length]}${next() % 40 === 0 ? next() % 1000 : ''}`).join(
      ' ',
    ),
  );
}
