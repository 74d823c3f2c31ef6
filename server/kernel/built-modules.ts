// The built service: its modules and most of its packages bundled into a few files, which start in a fifth of the time.
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The folder of the build that this module is part of; set by `scripts/server-build.mjs`. */
declare const buildFolder: string | undefined;

const checkout = fileURLToPath(new URL('../..', import.meta.url));
/** The build that this process runs. */
const ownFolder = typeof buildFolder === 'undefined' ? undefined : buildFolder;
/** The build from which this process starts threads and processes. */
let folder = ownFolder;

/** Starts threads and processes from a build although this process runs the sources; for tests. */
export function useBuild(path: string): void {
  folder = path;
}

/** The build from which this process starts threads and processes, with the digest of its sources; undefined without one. */
export function findBuild(): { folder: string; digest: string } | undefined {
  if (folder === undefined) return undefined;
  try {
    return { folder, digest: readFileSync(join(folder, '.built'), 'utf8') };
  } catch {
    return undefined;
  }
}

/**
 * The module to start a thread or process with: the built one if this process uses a build that contains it, otherwise `source`
 * itself, the URL of the source module.
 */
export function builtModule(source: URL): URL {
  return moduleIn(folder, source);
}

/** The same for a module that this process itself loads by URL, so that it shares the other modules of the process. */
export function ownModule(source: URL): URL {
  return moduleIn(ownFolder, source);
}

function moduleIn(build: string | undefined, source: URL): URL {
  if (build === undefined) return source;
  const built = join(build, relative(checkout, fileURLToPath(source)).replace(/\.ts$/, '.js'));
  return existsSync(built) ? pathToFileURL(built) : source;
}
