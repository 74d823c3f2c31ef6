import { join } from 'node:path';
import type { ReadOnlyDatabase } from '../../database/read-only-database.ts';
import { besideAssemblyId } from '../beside-names.ts';
import { blobPaths } from '../files/blob-folders.ts';
import { fileOperations, isMissingFile, type FileOperations } from '../files/file-operations.ts';
import { findBesideNames } from '../queries/assemblies.ts';
import { findPointedObjects } from '../queries/blobs.ts';
import type { StoredObjects } from './stored-objects.ts';

/** A file without a row: its bytes are being written or are about to be erased. */
export type Leftover = { path: string; sizeBytes: number };

const namesPerBatch = 500;

/** Yields the files in the store's folders that belong to no blob and no upload. */
export async function* listLeftovers(options: {
  directory: string;
  db: ReadOnlyDatabase;
  objects?: StoredObjects | undefined;
}): AsyncGenerator<Leftover, void, void> {
  const { directory, db, objects } = options;
  const operations = objects?.operations ?? fileOperations;
  const paths = blobPaths(directory);
  const pointed = (names: readonly string[]): Promise<Set<string>> => findPointedObjects(db.scan, names);
  const beside = (names: readonly string[]): Promise<Set<string>> =>
    findBesideNames(db.scan, [...new Set(names.map(besideAssemblyId))]);
  yield* unknownFiles(operations, paths.packs, pointed);
  yield* unknownFiles(operations, paths.beside, beside);
  for (const folder of await listNames(operations, paths.files))
    yield* unknownFiles(operations, join(paths.files, folder), pointed);
}

async function* unknownFiles(
  operations: FileOperations,
  folder: string,
  findKnown: (names: readonly string[]) => Promise<Set<string>>,
): AsyncGenerator<Leftover> {
  const names = await listNames(operations, folder);
  for (let from = 0; from < names.length; from += namesPerBatch) {
    const batch = names.slice(from, from + namesPerBatch);
    const known = await findKnown(batch);
    for (const name of batch) {
      if (known.has(name)) continue;
      const path = join(folder, name);
      const sizeBytes = await findSize(operations, path);
      if (sizeBytes !== undefined) yield { path, sizeBytes };
    }
  }
}

async function listNames(operations: FileOperations, folder: string): Promise<string[]> {
  try {
    return await operations.list(folder);
  } catch (error) {
    if (isMissingFile(error)) return [];
    throw error;
  }
}

async function findSize(operations: FileOperations, path: string): Promise<number | undefined> {
  try {
    return await operations.sizeOf(path);
  } catch (error) {
    if (isMissingFile(error)) return undefined;
    throw error;
  }
}
