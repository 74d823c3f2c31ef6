import { runSentences, type Reason } from '../../../kernel/sentences/index.ts';
import { fileNameOf } from '../../../kernel/file-path.ts';

/** Names of a run's results: the Markdown of `a.pdf` is `a.pdf.md`, which may also exist in the source. */
export type OutputNames = {
  /** The name of an output. Call in path order, so that a converted file comes before an existing one of its name. */
  nameOf(path: string, isMade: boolean): string;
  /** Message about renamed files; undefined if there are none. */
  describe(): Reason | undefined;
};

const shownRenames = 10;
const numberedName = / \(\d+\)(?:\.[^./]*)?$/;

export function createOutputNames(): OutputNames {
  // Files that keep their names never collide with each other. So only these names are stored: new names, names that a
  // picture may get in another format, and names that a renamed file may get. Names of pictures that differ only after
  // the first dot are adjacent in path order.
  const made = new Set<string>();
  let stem = '';
  let kept = new Set<string>();
  const numbered = new Set<string>();
  const renames: string[] = [];
  let renamed = 0;

  /** Whether a file that keeps its name collides with a new name; records the names of files that keep theirs. */
  function keeps(path: string, isMade: boolean): boolean {
    const start = path.length - fileNameOf(path).length;
    const dot = path.indexOf('.', start);
    const ownStem = dot === -1 ? path : path.slice(0, dot);
    if (ownStem !== stem) {
      stem = ownStem;
      kept = new Set();
    }
    if (kept.has(path) && isMade) return true;
    if (isMade) return false;
    kept.add(path);
    if (numberedName.test(path)) numbered.add(path);
    return false;
  }

  return {
    nameOf(path, isMade) {
      const isKept = keeps(path, isMade);
      const name = made.has(path) || isKept ? freeName([made, numbered], path) : path;
      if (isMade || name !== path) made.add(name);
      if (name !== path) {
        renamed += 1;
        if (renames.length < shownRenames) renames.push(`${path} → ${name}`);
      }
      return name;
    },
    describe() {
      if (renamed === 0) return undefined;
      const more = renamed > renames.length ? ' …' : '';
      return runSentences.RENAMED_RESULTS.reason({ count: renamed, renames: `${renames.join(', ')}${more}` });
    },
  };
}

/** `a/b.md` → `a/b (1).md`. */
function freeName(taken: readonly ReadonlySet<string>[], path: string): string {
  const name = fileNameOf(path);
  const dot = name.lastIndexOf('.');
  const stemEnd = path.length - name.length + (dot <= 0 ? name.length : dot);
  for (let number = 1; ; number += 1) {
    const candidate = `${path.slice(0, stemEnd)} (${number})${path.slice(stemEnd)}`;
    if (!taken.some((names) => names.has(candidate))) return candidate;
  }
}
