import { join } from 'node:path';
import { isMissingFile, type FileOperations } from './file-operations.ts';

/** Where things stand below the store's directory; every name is made by the store itself. */
export type BlobFolders = {
  readonly root: string;
  readonly packs: string;
  readonly beside: string;
  filePath(objectId: string): string;
  packPath(objectId: string): string;
  besidePath(name: string): string;
  /** Makes sure that the folder of a file is there and stays there; gives its path. */
  ensureFolderOf(objectId: string): Promise<string>;
  /** Names of all files of blobs and assemblies, folder by folder. */
  listFiles(): AsyncIterable<string[]>;
};

/** Creates what is missing: `files/<last two of the id>/<id>`, `packs/<id>`, `beside/<assembly>-<chunk>-<n>`. */
export async function openBlobFolders(operations: FileOperations, root: string): Promise<BlobFolders> {
  const files = join(root, 'files');
  const packs = join(root, 'packs');
  const beside = join(root, 'beside');
  for (const folder of [root, files, packs, beside]) await operations.makeDirectory(folder);
  await operations.syncDirectory(root);
  const known = new Map<string, Promise<string>>();

  // The end of a UUIDv7 is random, its beginning is the time: by its end the files spread evenly.
  const folderOf = (objectId: string): string => join(files, objectId.slice(-2));

  async function makeFolder(folder: string): Promise<string> {
    await operations.makeDirectory(folder);
    await operations.syncDirectory(files);
    return folder;
  }

  return {
    root,
    packs,
    beside,
    filePath: (objectId) => join(folderOf(objectId), objectId),
    packPath: (objectId) => join(packs, objectId),
    besidePath: (name) => join(beside, name),
    async ensureFolderOf(objectId) {
      const folder = folderOf(objectId);
      let making = known.get(folder);
      if (making === undefined) {
        making = makeFolder(folder);
        known.set(folder, making);
        making.catch(() => known.delete(folder));
      }
      return making;
    },
    async *listFiles() {
      for (const name of await operations.list(files)) {
        try {
          yield await operations.list(join(files, name));
        } catch (error) {
          if (!isMissingFile(error)) throw error;
        }
      }
    },
  };
}
