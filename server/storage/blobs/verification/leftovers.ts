import { join } from 'node:path';
import type { ReadOnlyDatabase } from '../../database/read-only-database.ts';
import { besideAssemblyId } from '../assemblies/beside-names.ts';
import { blobPaths } from '../files/blob-folders.ts';
import { fileOperations, isMissingFile } from '../files/file-operations.ts';
import { findBesideNames } from '../queries/assemblies.ts';
import { findPointedObjects } from '../queries/blobs.ts';

/** A file without a row: its bytes are being written or about to be erased. */
export type Leftover = { path: string; sizeBytes: number };

const namesPerBatch = 500;

/** Yields the files in the store's folders that belong to no blob and no upload. */
export async function* listLeftovers(options: {
  directory: string;
  db: ReadOnlyDatabase;
}): AsyncGenerator<Leftover, void, void> {
  const { directory, db } = options;
  const paths = blobPaths(directory);
  const pointed = (names: readonly string[]): Promise<Set<string>> => findPointedObjects(db.scan, names);
  const beside = (names: readonly string[]): Promise<Set<string>> =>
    findBesideNames(db.scan, [...new Set(names.map(besideAssemblyId))]);
  yield* unknownFiles(paths.packs, pointed);
  yield* unknownFiles(paths.beside, beside);
  for (const folder of await listNames(paths.files)) yield* unknownFiles(join(paths.files, folder), pointed);
}

async function* unknownFiles(
  folder: string,
  findKnown: (names: readonly string[]) => Promise<Set<string>>,
): AsyncGenerator<Leftover> {
  const names = await listNames(folder);
  for (let from = 0; from < names.length; from += namesPerBatch) {
    const batch = names.slice(from, from + namesPerBatch);
    const known = await findKnown(batch);
    for (const name of batch) {
      if (known.has(name)) continue;
      const path = join(folder, name);
      const sizeBytes = await findSize(path);
      if (sizeBytes !== undefined) yield { path, sizeBytes };
    }
  }
}

async function listNames(folder: string): Promise<string[]> {
  try {
    return await fileOperations.list(folder);
  } catch (error) {
    if (isMissingFile(error)) return [];
    throw error;
  }
}

async function findSize(path: string): Promise<number | undefined> {
  try {
    return await fileOperations.sizeOf(path);
  } catch (error) {
    if (isMissingFile(error)) return undefined;
    throw error;
  }
}
