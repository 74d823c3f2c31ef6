import type { AppError } from '../../kernel/errors.ts';
import type { Db } from '../database/database.ts';
import { blobErrors } from './errors.ts';
import { countOtherDataFolders } from './queries/data-folders.ts';

/**
 * Says why bytes are not there. Services that share a database have a data folder each: what one of them took in is not lost
 * because another one does not have it.
 */
export type MissingBytes = (blobId: string, cause?: unknown) => Promise<AppError>;

/** `place` names the data folder; undefined where no other can belong to the database. */
export function createMissingBytes(db: Db, place: string | undefined): MissingBytes {
  return async (blobId, cause) => {
    const others = place === undefined ? 0 : await countOtherDataFolders(db, place);
    return others === 0
      ? blobErrors.BLOB_MISSING({ id: blobId }, { cause })
      : blobErrors.BLOB_ELSEWHERE({ id: blobId, folders: others }, { cause });
  };
}
