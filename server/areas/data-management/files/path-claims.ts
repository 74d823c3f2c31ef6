import { ancestorsOf, numberedName } from '../../../kernel/file-path.ts';
import type { Tx } from '../../../storage/database/database.ts';
import { together } from '../../../storage/database/together.ts';
import type { FilesTable } from '../../../storage/database/tables/datasets.ts';
import { listCurrentFilesAt } from '../queries/commits.ts';
import { listFoldersAt } from '../queries/folders.ts';

/** Why a path can't be used. */
export type PathRefusal = { refused: 'file' | 'folder' | 'parent' | 'too-long'; at: string };

/** The holder of each path: a stored file, or a claim made since. Nothing is read twice, and `learn` reads many paths at once. */
export type PathClaims<File> = {
  learn(paths: readonly string[]): Promise<void>;
  /** The stored file or the claim at a path; synchronous if already known. */
  holderOf(path: string): FilesTable | File | undefined | Promise<FilesTable | File | undefined>;
  /** Whether any of these (already known) paths is held by a file that passes `test`. */
  areHeldBy(paths: readonly string[], test: (file: FilesTable | File) => boolean): boolean;
  /** What prevents a file at this path, other than a file at the same path. */
  refusalAt(path: string): PathRefusal | undefined | Promise<PathRefusal | undefined>;
  /** A free `name (1).ext`, `name (2).ext`, … beside a taken path: the first one if the numbers have no gaps. */
  findFreeName(path: string): Promise<string | PathRefusal>;
  claim(path: string, file: File): void;
};

/** Numbered names looked up at once. */
const firstLook = 8;

/** Starts from the database; `leaving` are files whose paths count as free although their rows still exist. */
export function createPathClaims<File>(
  tx: Tx,
  datasetId: string,
  leaving: ReadonlySet<string> = new Set(),
): PathClaims<File> {
  const files = new Map<string, FilesTable | File | undefined>();
  const folders = new Map<string, boolean>();
  const nextNumbers = new Map<string, number>();

  async function learn(paths: readonly string[]): Promise<void> {
    const unknown = new Set<string>();
    for (const path of paths) {
      if (!files.has(path)) unknown.add(path);
      for (const ancestor of ancestorsOf(path)) if (!files.has(ancestor)) unknown.add(ancestor);
    }
    if (unknown.size === 0) return;
    const wanted = [...unknown];
    const [stored, foldersThere] = await together([
      listCurrentFilesAt(tx, datasetId, wanted),
      listFoldersAt(tx, datasetId, wanted),
    ]);
    const storedFolders = new Set(foldersThere);
    for (const path of unknown) {
      files.set(path, undefined);
      if (!folders.has(path)) folders.set(path, storedFolders.has(path));
    }
    for (const file of stored) if (!leaving.has(file.file_id)) files.set(file.path, file);
  }

  async function isTaken(path: string): Promise<boolean> {
    await learn([path]);
    return files.get(path) !== undefined || folders.get(path) === true;
  }

  function refusalOf(path: string): PathRefusal | undefined {
    for (const ancestor of ancestorsOf(path))
      if (files.get(ancestor) !== undefined) return { refused: 'parent', at: ancestor };
    return folders.get(path) === true ? { refused: 'folder', at: path } : undefined;
  }

  return {
    learn,

    holderOf: (path) => (files.has(path) ? files.get(path) : learn([path]).then(() => files.get(path))),

    areHeldBy(paths, test) {
      return paths.some((path) => {
        const file = files.get(path);
        return file !== undefined && test(file);
      });
    },

    refusalAt: (path) => (files.has(path) ? refusalOf(path) : learn([path]).then(() => refusalOf(path))),

    async findFreeName(path) {
      const first = nextNumbers.get(path) ?? 1;
      const numbers = Array.from({ length: firstLook }, (_, index) => first + index);
      await learn(numbers.flatMap((number) => numberedName(path, number) ?? []));
      for (const number of numbers) {
        const name = numberedName(path, number);
        if (name === undefined) return { refused: 'too-long', at: path };
        if (await isTaken(name)) continue;
        nextNumbers.set(path, number + 1);
        return name;
      }
      // Double, then bisect: names are usually numbered without gaps, and the millionth must not cost a million lookups.
      let low = first + firstLook - 1;
      let high = low + firstLook;
      while (await isTaken(numberedName(path, high) ?? path)) {
        low = high;
        high *= 2;
      }
      while (high - low > 1) {
        const middle = Math.floor((low + high) / 2);
        if (await isTaken(numberedName(path, middle) ?? path)) low = middle;
        else high = middle;
      }
      nextNumbers.set(path, high + 1);
      return numberedName(path, high) ?? { refused: 'too-long', at: path };
    },

    claim(path, file) {
      files.set(path, file);
      for (const ancestor of ancestorsOf(path)) folders.set(ancestor, true);
    },
  };
}
