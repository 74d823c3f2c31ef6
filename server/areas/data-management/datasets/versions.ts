import { toPage, type Page } from '../../../kernel/page.ts';
import { coded } from '../../../kernel/sentences.ts';
import type { Database } from '../../../storage/database/database.ts';
import type { VersionsTable } from '../../../storage/database/tables/datasets.ts';
import { dataErrors } from '../errors.ts';
import { closeVersion, lockDataset } from '../queries/commits.ts';
import { findDataset } from '../queries/datasets.ts';
import { countVersions, findVersion, listVersions, updateVersionName } from '../queries/versions.ts';
import type { Version, VersionName, VersionsQuery } from '../schemas/versions.ts';
import { offsetOf } from './sorts.ts';
import { parseName, parseText } from '../../../kernel/text-fields.ts';

export type Versions = {
  /** Newest first; throws DATASET_NOT_FOUND. */
  list(datasetId: string, query: VersionsQuery): Promise<Page<Version>>;
  /** Names the current version, replacing any earlier name; throws DATASET_NOT_FOUND. */
  nameCurrent(datasetId: string, name: VersionName): Promise<Version>;
};

export function createVersions({ db }: { db: Database }): Versions {
  return {
    async list(datasetId, query) {
      const dataset = await findDataset(db.read, datasetId);
      if (dataset === undefined) throw dataErrors.DATASET_NOT_FOUND({ id: datasetId });
      const total = await countVersions(db.scan, datasetId);
      const offset = offsetOf(query);
      if (offset >= total) return toPage([], query, total);
      const ascending = query.sort === 'version,asc';
      const rows = await listVersions(db.scan, datasetId, { limit: query.size, offset, ascending });
      return toPage(
        rows.map((row) => toVersion(row, dataset.open_upload_id !== null && row.version === dataset.version)),
        query,
        total,
      );
    },

    async nameCurrent(datasetId, given) {
      const name = parseName('name', given.name, 100);
      const message = given.message === undefined ? undefined : parseText('message', given.message, 500);
      return db.write(async (tx) => {
        const dataset = await lockDataset(tx, datasetId);
        if (dataset === undefined) throw dataErrors.DATASET_NOT_FOUND({ id: datasetId });
        const { version } = dataset;
        // A named version must not change any more.
        await closeVersion(tx, datasetId, version);
        await updateVersionName(tx, datasetId, version, message === undefined ? { name } : { name, message });
        const row = await findVersion(tx, datasetId, version);
        if (row === undefined) throw dataErrors.VERSION_NOT_FOUND({ version });
        return toVersion(row, false);
      });
    },
  };
}

function toVersion(row: VersionsTable, open: boolean): Version {
  return {
    version: row.version,
    name: row.name,
    ...coded('message', row.message),
    uploadId: row.upload_id,
    open,
    filesAdded: row.files_added,
    filesEnded: row.files_ended,
    fileCount: row.file_count,
    totalSize: row.total_size_bytes,
    createdAt: row.created_at,
    createdBy: row.created_by,
  };
}
