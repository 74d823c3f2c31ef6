// The build of the service: its modules and most of its packages in a few files, which start in a fifth of the time.
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The folder of the build that this module is part of; set by `scripts/server-build.mjs`. */
declare const buildFolder: string | undefined;

const checkout = fileURLToPath(new URL('../..', import.meta.url));
/** The build that this process runs. */
const ownFolder = typeof buildFolder === 'undefined' ? undefined : buildFolder;
/** The build that its threads and processes start from. */
let folder = ownFolder;

/** Has threads and processes start from a build although this process runs the sources, as tests do. */
export function useBuild(path: string): void {
  folder = path;
}

/** The build that this process starts threads and processes from, and the digest of its sources; undefined if there is none. */
export function findBuild(): { folder: string; digest: string } | undefined {
  if (folder === undefined) return undefined;
  try {
    return { folder, digest: readFileSync(join(folder, '.built'), 'utf8') };
  } catch {
    return undefined;
  }
}

/**
 * The module that a thread or process starts with: as built, in a process that runs a build, if the build has it; else the source itself.
 * Give it the address of the source.
 */
export function builtModule(source: URL): URL {
  return moduleIn(folder, source);
}

/** The same of a module that this process itself loads by its address, so that it has the other modules of this process. */
export function ownModule(source: URL): URL {
  return moduleIn(ownFolder, source);
}

function moduleIn(build: string | undefined, source: URL): URL {
  if (build === undefined) return source;
  const built = join(build, relative(checkout, fileURLToPath(source)).replace(/\.ts$/, '.js'));
  return existsSync(built) ? pathToFileURL(built) : source;
}
