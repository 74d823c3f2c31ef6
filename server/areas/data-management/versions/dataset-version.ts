import type { Database } from '../../../storage/database/database.ts';
import type { DatasetsTable, VersionsTable } from '../../../storage/database/tables/datasets.ts';
import { dataErrors } from '../errors.ts';
import { findDataset } from '../queries/datasets.ts';
import { findVersion } from '../queries/versions.ts';

export type DatasetVersion = { dataset: DatasetsTable; version: VersionsTable };

/** A dataset with a version of it, the current one by default. Throws DATASET_NOT_FOUND, VERSION_NOT_FOUND. */
export async function getDatasetVersion(
  db: Pick<Database, 'read'>,
  datasetId: string,
  asked: number | undefined,
): Promise<DatasetVersion> {
  const dataset = await findDataset(db.read, datasetId);
  if (dataset === undefined) throw dataErrors.DATASET_NOT_FOUND({ id: datasetId });
  const number = asked ?? dataset.version;
  const version = await findVersion(db.read, datasetId, number);
  if (version === undefined) throw dataErrors.VERSION_NOT_FOUND({ version: number });
  return { dataset, version };
}
