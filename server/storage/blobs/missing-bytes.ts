import type { AppError } from '../../kernel/errors.ts';
import type { Db } from '../database/database.ts';
import { blobErrors } from './errors.ts';
import type { BlobRow } from './queries/blobs.ts';
import { countOtherDataFolders, findDataFolderNo, insertDataFolder } from './queries/data-folders.ts';

/**
 * Explains why bytes are missing. Services that share a database have one data folder each, so bytes that this folder lacks are
 * not lost if another service received them.
 */
export type MissingBytes = (blob: Pick<BlobRow, 'id' | 'folder_no'>, cause?: unknown) => Promise<AppError>;

/** `folderNo` is the number of the data folder; undefined where no other folder can belong to the database. */
export function createMissingBytes(db: Db, folderNo: number | undefined): MissingBytes {
  return async ({ id, folder_no: receivedBy }, cause) => {
    const isOwn = folderNo === undefined || receivedBy === folderNo;
    const others = isOwn ? 0 : await countOtherDataFolders(db, folderNo);
    return others === 0
      ? blobErrors.BLOB_MISSING({ id }, { cause })
      : blobErrors.BLOB_ELSEWHERE({ id, folders: others }, { cause });
  };
}

/** The number of a data folder in the database, assigned on first use. */
export async function recordDataFolder(db: Db, place: string): Promise<number> {
  for (;;) {
    const known = await findDataFolderNo(db, place);
    if (known !== undefined) return known;
    await insertDataFolder(db, place, new Date().toISOString());
  }
}
