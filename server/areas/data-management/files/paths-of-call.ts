import type { Reason } from '../../../kernel/reason.ts';
import type { AppError } from '../../../kernel/errors.ts';
import { ancestorsOf } from '../../../kernel/file-path.ts';
import { pathConflicts } from '../../../kernel/sentences/index.ts';
import { dataErrors } from '../errors.ts';

/** The paths of the files of one call, each claimed by one of them. */
export type PathsOfCall = {
  /**
   * Claims a path for a file, which `claimant` names; returns the error that names both files if an earlier one has the path, or
   * if one of them would have to be a folder that contains the other.
   */
  claim(path: string, claimant: Reason): AppError | undefined;
};

/** `sharesPaths`: files of the same path are renamed later, so only files in the place of folders conflict. */
export function createPathsOfCall({ sharesPaths }: { sharesPaths: boolean }): PathsOfCall {
  const files = new Map<string, Reason>();
  /** Each folder with the first file inside. */
  const folders = new Map<string, Reason>();

  function conflictOf(path: string, claimant: Reason): AppError | undefined {
    const same = sharesPaths ? undefined : files.get(path);
    if (same !== undefined) return taken(path, pathConflicts.IN_THIS_CALL.reason({ first: same, second: claimant }));
    const inside = folders.get(path);
    if (inside !== undefined)
      return taken(path, pathConflicts.FOLDER_IN_THIS_CALL.reason({ first: claimant, second: inside }));
    for (const ancestor of ancestorsOf(path)) {
      const file = files.get(ancestor);
      if (file !== undefined)
        return taken(ancestor, pathConflicts.FOLDER_IN_THIS_CALL.reason({ first: file, second: claimant }));
    }
    return undefined;
  }

  return {
    claim(path, claimant) {
      const conflict = conflictOf(path, claimant);
      if (conflict !== undefined) return conflict;
      if (!files.has(path)) files.set(path, claimant);
      for (const ancestor of ancestorsOf(path)) if (!folders.has(ancestor)) folders.set(ancestor, claimant);
      return undefined;
    },
  };
}

function taken(path: string, detail: Reason): AppError {
  return dataErrors.FILE_ALREADY_EXISTS({ path, detail });
}
