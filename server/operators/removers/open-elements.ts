/** The elements that are open at the current position, by name: an end tag stays if its start tag does. */
export type OpenElements = {
  open: (name: string) => void;
  /** Records a start tag that stays. */
  mention: (name: string) => void;
  isOpen: (name: string) => boolean;
  /** Whether the current end tag belongs to a start tag that stays. */
  endsMention: (name: string) => boolean;
};

export function createOpenElements(): OpenElements {
  // Number of open elements before the first start tag that stays, between it and the next one, and so on.
  const opened = new Map<string, number[]>();
  const countsOf = (name: string): number[] => {
    let counts = opened.get(name);
    if (counts === undefined) opened.set(name, (counts = [0]));
    return counts;
  };
  const change = (counts: number[], by: number): void => {
    counts.push((counts.pop() ?? 0) + by);
  };
  return {
    open(name) {
      change(countsOf(name), 1);
    },
    mention(name) {
      countsOf(name).push(0);
    },
    isOpen: (name) => (opened.get(name)?.[0] ?? 0) > 0,
    endsMention(name) {
      const counts = opened.get(name);
      if (counts === undefined) return false;
      if (counts.at(-1) !== 0) change(counts, -1);
      else if (counts.length > 1) {
        counts.pop();
        return true;
      }
      return false;
    },
  };
}
