import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';
import { invalid } from '../kernel/errors.ts';
import { reasonOf } from '../kernel/reasoned-error.ts';
import type { SchemaProblem } from '../kernel/schema-problem.ts';
import type { Reason } from '../kernel/sentences/index.ts';
import { SourceError } from './connector.ts';
import { configProblems, sourceSentences } from './sentences.ts';

const setting = 'TILTH_COLLECTION_ROOTS';

/** What is wrong with the text of a path; undefined if nothing is. */
export function findPathProblem(field: string, path: string, roots: readonly string[]): SchemaProblem | undefined {
  if (!isAbsolute(path)) return { field, problem: configProblems.MUST_BE_ABSOLUTE.reason({}) };
  if (roots.length === 0) return { field, problem: configProblems.NEEDS_ALLOWED_FOLDERS.reason({ setting }) };
  if (!roots.some((root) => isWithin(path, root)))
    return { field, problem: configProblems.IS_NOT_ALLOWED.reason({ setting }) };
  return undefined;
}

/** Resolves all links of a path; it must be within an allowed folder. Throws SourceError. */
export async function allowedPath(path: string, roots: readonly string[]): Promise<string> {
  const problem = findPathProblem(path, path, roots);
  if (problem !== undefined) throw new SourceError(reasonOf(invalid(path, problem.problem)));
  const real = await realpath(path).catch((error: unknown) => {
    throw new SourceError(fileProblem(path, error), { cause: error });
  });
  // A root may itself be a link, as the mount of a NAS often is.
  const realRoots = await Promise.all(roots.map((root) => realpath(root).catch(() => root)));
  if (!realRoots.some((root) => isWithin(real, root)))
    throw new SourceError(sourceSentences.PATH_LEADS_OUT.reason({ path }));
  return real;
}

export function isWithin(path: string, root: string): boolean {
  const way = relative(root, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** Why a file or folder can not be read. */
export function fileProblem(path: string, error: unknown): Reason {
  const { code } = error as { code?: unknown };
  switch (code) {
    case 'ENOENT':
      return sourceSentences.PATH_NOT_THERE.reason({ path });
    case 'EACCES':
    case 'EPERM':
      return sourceSentences.PATH_FORBIDDEN.reason({ path });
    case 'ELOOP':
      return sourceSentences.PATH_IS_LINK.reason({ path });
    case 'ENOTDIR':
      return sourceSentences.PATH_NO_FOLDER.reason({ path });
    case 'EISDIR':
      return sourceSentences.PATH_IS_FOLDER.reason({ path });
    case 'EIO':
    case 'ESTALE':
    case 'ETIMEDOUT':
      return sourceSentences.PATH_SILENT.reason({ path, code });
    default:
      return sourceSentences.PATH_UNREADABLE.reason({
        path,
        code: typeof code === 'string' ? code : 'unknown error',
      });
  }
}
