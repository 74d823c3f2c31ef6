import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';
import type { SchemaProblem } from '../kernel/schema-problem.ts';
import { SourceError } from './connector.ts';

const setting = 'TILTH_COLLECTION_ROOTS';

/** What is wrong with the text of a path; undefined if nothing is. */
export function findPathProblem(field: string, path: string, roots: readonly string[]): SchemaProblem | undefined {
  if (!isAbsolute(path)) return { field, problem: 'must be an absolute path' };
  if (roots.length === 0)
    return { field, problem: `cannot be read: an administrator must first allow folders with ${setting}` };
  if (!roots.some((root) => isWithin(path, root)))
    return { field, problem: `is not in a folder that an administrator has allowed (${setting})` };
  return undefined;
}

/** Resolves all links of a path; it must be within an allowed folder. Throws SourceError. */
export async function allowedPath(path: string, roots: readonly string[]): Promise<string> {
  const problem = findPathProblem(path, path, roots);
  if (problem !== undefined) throw new SourceError(`${path} ${problem.problem}`);
  const real = await realpath(path).catch((error: unknown) => {
    throw new SourceError(fileProblem(path, error), { cause: error });
  });
  // A root may itself be a link, as the mount of a NAS often is.
  const realRoots = await Promise.all(roots.map((root) => realpath(root).catch(() => root)));
  if (!realRoots.some((root) => isWithin(real, root)))
    throw new SourceError(`${path} leads by a link to a place that is not allowed`);
  return real;
}

export function isWithin(path: string, root: string): boolean {
  const way = relative(root, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** Why a file or folder can not be read. */
export function fileProblem(path: string, error: unknown): string {
  const { code } = error as { code?: unknown };
  switch (code) {
    case 'ENOENT':
      return `${path} does not exist`;
    case 'EACCES':
    case 'EPERM':
      return `the service may not read ${path}`;
    case 'ELOOP':
      return `${path} is a link, and links are not followed`;
    case 'ENOTDIR':
      return `${path} is no folder`;
    case 'EISDIR':
      return `${path} is a folder`;
    case 'EIO':
    case 'ESTALE':
    case 'ETIMEDOUT':
      return `the storage of ${path} does not answer (${code})`;
    default:
      return `${path} can not be read (${typeof code === 'string' ? code : 'unknown error'})`;
  }
}
