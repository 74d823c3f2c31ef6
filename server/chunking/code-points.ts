/** Offsets in code points of offsets in UTF-16 code units; quick for offsets that are asked in about ascending order. */
export function countCodePoints(text: string): { at(unit: number): number } {
  // Every so many units, so that an offset behind the last one costs no more than one step.
  const step = 4096;
  const known: number[] = [0];
  return {
    at(unit) {
      const index = Math.min(Math.floor(unit / step), Math.floor(text.length / step));
      while (known.length <= index) {
        const from = (known.length - 1) * step;
        known.push((known.at(-1) ?? 0) + between(text, from, from + step));
      }
      return (known[index] ?? 0) + between(text, index * step, unit);
    },
  };
}

function between(text: string, from: number, to: number): number {
  let count = 0;
  // The second half of a surrogate pair is no character of its own.
  for (let at = from; at < to; at++) if ((text.charCodeAt(at) & 0xfc00) !== 0xdc00) count += 1;
  return count;
}
