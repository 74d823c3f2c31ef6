import { join } from 'node:path';
import { isMissingFile, type FileOperations } from './file-operations.ts';

/** Paths below the store's folder; the store itself generates every name. */
export type BlobPaths = {
  readonly root: string;
  readonly files: string;
  readonly packs: string;
  readonly beside: string;
  filePath(objectId: string): string;
  packPath(objectId: string): string;
  besidePath(name: string): string;
};

export type BlobFolders = BlobPaths & {
  /** Creates the folder of a file durably; returns its path. */
  ensureFolderOf(objectId: string): Promise<string>;
  /** Names of all blob and assembly files, folder by folder. */
  listFiles(): AsyncIterable<string[]>;
};

/** `files/<last two of the id>/<id>`, `packs/<id>`, `beside/<assembly>-<chunk>-<n>`; does not touch the disk. */
export function blobPaths(root: string): BlobPaths {
  const files = join(root, 'files');
  const packs = join(root, 'packs');
  const beside = join(root, 'beside');
  return {
    root,
    files,
    packs,
    beside,
    filePath: (objectId) => join(files, folderNameOf(objectId), objectId),
    packPath: (objectId) => join(packs, objectId),
    besidePath: (name) => join(beside, name),
  };
}

/** A UUIDv7 starts with the time and ends with random bits, so its end spreads the files evenly. */
function folderNameOf(objectId: string): string {
  return objectId.slice(-2);
}

/** Opens the folders of a store, creating what is missing. */
export async function openBlobFolders(operations: FileOperations, root: string): Promise<BlobFolders> {
  const paths = blobPaths(root);
  const { files, packs, beside } = paths;
  for (const folder of [root, files, packs, beside]) await operations.makeDirectory(folder);
  await operations.syncDirectory(root);
  const known = new Map<string, Promise<string>>();

  async function makeFolder(folder: string): Promise<string> {
    await operations.makeDirectory(folder);
    await operations.syncDirectory(files);
    return folder;
  }

  return {
    ...paths,
    async ensureFolderOf(objectId) {
      const folder = join(files, folderNameOf(objectId));
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
