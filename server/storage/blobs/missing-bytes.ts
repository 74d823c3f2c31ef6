import type { AppError } from '../../kernel/errors.ts';
import type { Db } from '../database/database.ts';
import { blobErrors } from './errors.ts';
import { countOtherDataFolders } from './queries/data-folders.ts';

/**
 * Explains why bytes are missing. Services that share a database have one data folder each: bytes that another service received
 * are not lost because this folder lacks them.
 */
export type MissingBytes = (blobId: string, cause?: unknown) => Promise<AppError>;

/** `place` identifies the data folder; undefined where no other folder can belong to the database. */
export function createMissingBytes(db: Db, place: string | undefined): MissingBytes {
  return async (blobId, cause) => {
    const others = place === undefined ? 0 : await countOtherDataFolders(db, place);
    return others === 0
      ? blobErrors.BLOB_MISSING({ id: blobId }, { cause })
      : blobErrors.BLOB_ELSEWHERE({ id: blobId, folders: others }, { cause });
  };
}
