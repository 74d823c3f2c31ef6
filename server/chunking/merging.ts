/** A range of the text that is not split further, and its length in units. */
export type Atom = { start: number; end: number; size: number };

/**
 * Joins neighbouring atoms into ranges of at most `size` units; a larger atom is a range of its own. Each range begins
 * with as many of the previous range's last atoms as fit into `overlap`. Holds only the atoms of one range in memory.
 */
export function* mergeAtoms(
  atoms: Iterable<Atom>,
  limits: { size: number; overlap: number },
): Generator<{ start: number; end: number }> {
  let open: Atom[] = [];
  let size = 0;
  for (const atom of atoms) {
    if (open.length > 0 && size + atom.size > limits.size) {
      yield rangeOf(open);
      // The overlap must leave room for the new atom, or the range would only repeat.
      const room = Math.min(limits.overlap, limits.size - atom.size);
      size = 0;
      let first = open.length;
      for (let before = open[first - 1]; before !== undefined && size + before.size <= room; before = open[first - 1]) {
        size += before.size;
        first -= 1;
      }
      open = open.slice(first);
    }
    open.push(atom);
    size += atom.size;
  }
  if (open.length > 0) yield rangeOf(open);
}

function rangeOf(atoms: readonly Atom[]): { start: number; end: number } {
  return { start: atoms[0]?.start ?? 0, end: atoms.at(-1)?.end ?? 0 };
}
