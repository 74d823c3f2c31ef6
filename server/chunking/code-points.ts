/** Offsets in code points of offsets in UTF-16 code units; takes as long as the way from the offset asked before. */
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

/** The second half of a surrogate pair is no character of its own. */
function isSecondHalf(text: string, unit: number): boolean {
  return (text.charCodeAt(unit) & 0xfc00) === 0xdc00;
}
