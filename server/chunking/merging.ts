import type { Atom, Limits } from './splitting.ts';

/**
 * Joins neighbouring atoms into ranges of at most `size` units; an atom that is larger is a range of its own. A range
 * begins with the last atoms of the one before that fit into `overlap`.
 */
export function mergeAtoms(text: string, atoms: readonly Atom[], limits: Limits): { start: number; end: number }[] {
  const ranges: { start: number; end: number }[] = [];
  let [first, size] = [0, 0];
  atoms.forEach((atom, index) => {
    if (index > first && size + atom.size > limits.size) {
      ranges.push(rangeOf(atoms, first, index));
      first = index;
      size = 0;
      let repeated = 0;
      for (let at = index - 1; at >= 0; at--) {
        const { size: before } = atoms[at] ?? atom;
        // What is repeated must leave room for what is new, or the range would only repeat.
        if (repeated + before > limits.overlap || repeated + before + atom.size > limits.size) break;
        repeated += before;
        first = at;
      }
      size = repeated;
    }
    size += atom.size;
  });
  if (first < atoms.length) ranges.push(rangeOf(atoms, first, atoms.length));
  return ranges.filter(({ start, end }) => text.slice(start, end).trim() !== '');
}

function rangeOf(atoms: readonly Atom[], from: number, to: number): { start: number; end: number } {
  return { start: atoms[from]?.start ?? 0, end: atoms[to - 1]?.end ?? 0 };
}
