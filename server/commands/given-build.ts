import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const option = '--build';

/**
 * Removes `--build FOLDER DIGEST` from the arguments, with which a cluster job names the build of its service. Returns
 * the main module of that build if this node has it with the same digest; a node may have another build, or none.
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
