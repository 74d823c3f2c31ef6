import { ancestorsOf } from '../../../server/kernel/file-path.ts';
import type { ConflictMode } from './plan.ts';

export type ModelFile = { id: string; bytes: Buffer };

/** Contents of a dataset below the folder of one client, by the rules of the contract. */
export type Contents = {
  readonly files: ReadonlyMap<string, ModelFile>;
  isFolder(path: string): boolean;
  /** The final path of a new file; undefined if it conflicts. */
  resolve(path: string, mode: ConflictMode): string | undefined;
  put(path: string, file: ModelFile): void;
  /** Whether the file may be moved to the other path. */
  canMove(from: string, to: string): boolean;
  move(from: string, to: string): void;
  remove(path: string): void;
  canMakeFolder(path: string): boolean;
  makeFolder(path: string): void;
  removeFolder(path: string): void;
  copy(): Contents;
};

export function createContents(files = new Map<string, ModelFile>(), folders = new Set<string>()): Contents {
  const isBelow = (path: string, folder: string): boolean => path.startsWith(`${folder}/`);
  const isFolder = (path: string): boolean =>
    folders.has(path) ||
    [...folders].some((other) => isBelow(other, path)) ||
    [...files.keys()].some((other) => isBelow(other, path));
  const canHold = (path: string): boolean =>
    !isFolder(path) && !ancestorsOf(path).some((ancestor) => files.has(ancestor));

  function freeName(path: string): string {
    const dot = path.lastIndexOf('.');
    const cut = dot > path.lastIndexOf('/') + 1 ? dot : path.length;
    for (let number = 1; ; number += 1) {
      const free = `${path.slice(0, cut)} (${number})${path.slice(cut)}`;
      if (!files.has(free) && !isFolder(free)) return free;
    }
  }

  return {
    files,
    isFolder,
    resolve(path, mode) {
      if (!canHold(path)) return undefined;
      if (!files.has(path) || mode === 'REPLACE') return path;
      return mode === 'RENAME' ? freeName(path) : undefined;
    },
    put: (path, file) => void files.set(path, file),
    canMove(from, to) {
      if (from === to) return true;
      const file = files.get(from);
      files.delete(from);
      const possible = canHold(to) && !files.has(to);
      if (file !== undefined) files.set(from, file);
      return possible;
    },
    move(from, to) {
      const file = files.get(from);
      if (file === undefined) return;
      files.delete(from);
      files.set(to, file);
    },
    remove: (path) => void files.delete(path),
    canMakeFolder: (path) => canHold(path) && !files.has(path),
    makeFolder: (path) => void folders.add(path),
    removeFolder(path) {
      for (const file of files.keys()) if (isBelow(file, path)) files.delete(file);
      for (const folder of folders) if (folder === path || isBelow(folder, path)) folders.delete(folder);
    },
    copy: () => createContents(new Map(files), new Set(folders)),
  };
}
