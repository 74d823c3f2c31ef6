import type { Database } from '../database/database.ts';
import { diskFull, type DiskSpace } from './disk-space.ts';
import { isFreeingSpace } from './freeing.ts';

/**
 * Wraps a database on the disk of the data folder: while the reserve is in use, only deletions may write; a deletion that hits a
 * full disk gets the reserve and is retried.
 */
export function keepReserveForDeletions(db: Database, space: DiskSpace): Database {
  // PostgreSQL stores its data elsewhere; on this disk, only blob bytes need the reserve.
  if (db.dialect !== 'sqlite') return db;
  return {
    ...db,
    write(work, options) {
      if (!space.mayWrite()) return Promise.reject(diskFull());
      return isFreeingSpace() ? space.withReserve(() => db.write(work, options)) : db.write(work, options);
    },
  };
}
