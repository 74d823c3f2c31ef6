/**
 * Converts offsets in UTF-16 code units to offsets in code points; takes time proportional to the distance from the
 * previous offset.
 */
export function countCodePoints(text: string): { at(unit: number): number } {
  let [unit, points] = [0, 0];
  return {
    at(wanted) {
      for (; unit < wanted; unit++) if (!isSecondHalf(text, unit)) points += 1;
      for (; unit > wanted; unit--) if (!isSecondHalf(text, unit - 1)) points -= 1;
      return points;
    },
  };
}

/** The second half of a surrogate pair does not count as a character. */
function isSecondHalf(text: string, unit: number): boolean {
  return (text.charCodeAt(unit) & 0xfc00) === 0xdc00;
}
