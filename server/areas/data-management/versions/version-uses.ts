import type { Db } from '../../../storage/database/database.ts';

/** How runs use the versions of a dataset. */
export type VersionUses = {
  /** An unfinished run that writes into the dataset. */
  findWriter(db: Db, datasetId: string): Promise<string | undefined>;
  /** Versions that stored runs read. */
  listVersionsRead(db: Db, datasetId: string): Promise<number[]>;
};
