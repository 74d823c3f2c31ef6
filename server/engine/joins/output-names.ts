import { runSentences } from '../../kernel/sentences.ts';
import { fileNameOf } from '../../kernel/file-path.ts';

/** Names of a run's results: the Markdown of `a.pdf` is `a.pdf.md`, which may also exist in the source. */
export type OutputNames = {
  /** The name of an output. Call in path order, so that a converted file comes before an existing one of its name. */
  nameOf(path: string, isMade: boolean): string;
  /** Message about renamed files; undefined if there are none. */
  describe(): string | undefined;
};

const shownRenames = 10;

export function createOutputNames(): OutputNames {
  // Files that keep their name never collide with each other: only new names are remembered.
  const made = new Set<string>();
  const renames: string[] = [];
  let renamed = 0;
  return {
    nameOf(path, isMade) {
      const name = made.has(path) ? freeName(made, path) : path;
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
      return runSentences.RENAMED_RESULTS({ count: renamed, renames: `${renames.join(', ')}${more}` });
    },
  };
}

/** `a/b.md` → `a/b (1).md`. */
function freeName(taken: ReadonlySet<string>, path: string): string {
  const name = fileNameOf(path);
  const dot = name.lastIndexOf('.');
  const stemEnd = path.length - name.length + (dot <= 0 ? name.length : dot);
  for (let number = 1; ; number += 1) {
    const candidate = `${path.slice(0, stemEnd)} (${number})${path.slice(stemEnd)}`;
    if (!taken.has(candidate)) return candidate;
  }
}
