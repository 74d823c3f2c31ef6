import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exists, syncPath } from './backup-folder.ts';

/**
 * Present in a data folder from a restore until the service has rebuilt the indexes of all knowledge bases: a backup holds their
 * rows and texts, but not the indexes. Meanwhile, chunks missing from an index are not damage.
 */
const markName = 'indexes-to-be-made';

export async function markIndexesToBeMade(dataDirectory: string): Promise<void> {
  const path = join(dataDirectory, markName);
  await writeFile(path, '', { mode: 0o600 });
  await syncPath(path);
}

export function areIndexesToBeMade(dataDirectory: string): Promise<boolean> {
  return exists(join(dataDirectory, markName));
}

export async function noteIndexesMade(dataDirectory: string): Promise<void> {
  await rm(join(dataDirectory, markName), { force: true });
}
