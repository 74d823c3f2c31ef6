import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const option = '--build';

/**
 * Takes `--build FOLDER DIGEST` out of the arguments, with which a job of a cluster names the build of its service. Returns the main module
 * of that build if it is here, made of the same sources: a node may have another build, or none.
 */
export function takeGivenBuild(args: string[]): string | undefined {
  const at = args.indexOf(option);
  if (at < 0) return undefined;
  const [, folder = '', digest = ''] = args.splice(at, 3);
  const main = join(folder, 'server', 'main.js');
  try {
    if (digest === '' || !existsSync(main) || readFileSync(join(folder, '.built'), 'utf8') !== digest) return undefined;
  } catch {
    return undefined;
  }
  return pathToFileURL(main).href;
}
