import { listRunTraces, type RunTrace } from '../../../runs/index.ts';
import { invalid } from '../../../kernel/errors.ts';
import { parameterProblems } from '../../../kernel/parameter-problems.ts';
import { offsetOf, parseDirection, toPage, type Page } from '../../../kernel/page.ts';
import { codedReason, foreign, reasonColumns, storedReason } from '../../../kernel/sentences/index.ts';
import type { Database } from '../../../storage/database/database.ts';
import type { VersionsTable } from '../../../storage/database/tables/datasets.ts';
import { dataErrors } from '../errors.ts';
import { closeVersion, lockDataset } from '../queries/commits.ts';
import { findDataset } from '../queries/datasets.ts';
import { countVersions, findVersion, listVersions, updateVersionName } from '../queries/versions.ts';
import { findOpenUpload } from '../queries/uploads.ts';
import type { FileCommits } from '../files/file-commits.ts';
import { isReservedName } from './version-names.ts';
import type { VersionUses } from './version-uses.ts';
import type { RestoreRequest, Version, VersionName, VersionsQuery } from '../schemas/versions.ts';
import { parseName, parseText } from '../../../kernel/text-fields.ts';

export type Versions = {
  /** Newest first; throws DATASET_NOT_FOUND. */
  list(datasetId: string, query: VersionsQuery): Promise<Page<Version>>;
  /** Names the current version, replacing any earlier name; throws DATASET_NOT_FOUND. */
  nameCurrent(datasetId: string, name: VersionName): Promise<Version>;
  /**
   * Makes the files of a version current again, as a new version without copies of their bytes; returns the current version,
   * which stays the same if nothing differs. Throws DATASET_NOT_FOUND, VERSION_NOT_FOUND, DATASET_ARCHIVED, and DATASET_WRITTEN
   * or UPLOAD_OPEN while a run or an upload adds files.
   */
  restore(datasetId: string, request: RestoreRequest, by: string): Promise<Version>;
};

export function createVersions({
  db,
  commits,
  uses,
}: {
  db: Database;
  commits: Pick<FileCommits, 'restore'>;
  uses: VersionUses;
}): Versions {
  /** The runs that made the given versions of one dataset. */
  async function runsOf(rows: readonly VersionsTable[]): Promise<Map<number, RunTrace>> {
    const [first] = rows;
    if (first === undefined) return new Map();
    const { dataset_id: datasetId } = first;
    const numbers = rows.map(({ version }) => version);
    const span = { datasetId, from: Math.min(...numbers), to: Math.max(...numbers) };
    const traces = await listRunTraces(db.scan, 'out', [span], rows.length);
    return new Map(
      traces.flatMap((trace) =>
        trace.datasets
          .filter((link) => link.datasetId === datasetId && link.role === 'TARGET')
          .map((link) => [link.version, trace] as const),
      ),
    );
  }

  return {
    async list(datasetId, query) {
      const dataset = await findDataset(db.read, datasetId);
      if (dataset === undefined) throw dataErrors.DATASET_NOT_FOUND({ id: datasetId });
      const total = await countVersions(db.scan, datasetId);
      const offset = offsetOf(query);
      if (offset >= total) return toPage([], query, total);
      const ascending = parseDirection(query.sort) === 'asc';
      const rows = await listVersions(db.scan, datasetId, { limit: query.size, offset, ascending });
      const runs = await runsOf(rows);
      return toPage(
        rows.map((row) => {
          const isOpen = dataset.open_upload_id !== null && row.version === dataset.version;
          return toVersion(row, isOpen, runs.get(row.version));
        }),
        query,
        total,
      );
    },

    async nameCurrent(datasetId, given) {
      const name = parseName('name', given.name, 100);
      if (isReservedName(name)) throw invalid('name', parameterProblems.IS_RESERVED_VERSION_NAME.reason({ name }));
      const message = given.message === undefined ? undefined : parseText('message', given.message, 500);
      return db.write(async (tx) => {
        const dataset = await lockDataset(tx, datasetId);
        if (dataset === undefined) throw dataErrors.DATASET_NOT_FOUND({ id: datasetId });
        const { version } = dataset;
        // A named version must not change any more.
        await closeVersion(tx, datasetId, version);
        await updateVersionName(tx, datasetId, version, {
          name,
          ...(message === undefined ? {} : reasonColumns('message', foreign(message))),
        });
        const row = await findVersion(tx, datasetId, version);
        if (row === undefined) throw dataErrors.VERSION_NOT_FOUND({ version });
        return toVersion(row, false, (await runsOf([row])).get(version));
      });
    },

    async restore(datasetId, { version, message }, by) {
      const given = message === undefined ? {} : { message: foreign(parseText('message', message, 500)) };
      return db.write(async (tx) => {
        if ((await lockDataset(tx, datasetId)) === undefined) throw dataErrors.DATASET_NOT_FOUND({ id: datasetId });
        if ((await findVersion(tx, datasetId, version)) === undefined) throw dataErrors.VERSION_NOT_FOUND({ version });
        const run = await uses.findWriter(tx, datasetId);
        if (run !== undefined) throw dataErrors.DATASET_WRITTEN({ run, id: datasetId });
        const upload = await findOpenUpload(tx, datasetId);
        if (upload !== undefined)
          throw dataErrors.UPLOAD_OPEN({ upload: upload.id, user: upload.created_by, id: datasetId });
        const current = await commits.restore(tx, { datasetId, by, version, ...given });
        const row = await findVersion(tx, datasetId, current);
        if (row === undefined) throw dataErrors.VERSION_NOT_FOUND({ version: current });
        return toVersion(row, false);
      });
    },
  };
}

function toVersion(row: VersionsTable, open: boolean, run?: RunTrace): Version {
  return {
    version: row.version,
    name: row.name,
    nameIsReserved: row.name !== null && isReservedName(row.name),
    ...codedReason('message', storedReason('message', row)),
    uploadId: row.upload_id,
    open,
    filesAdded: row.files_added,
    filesEnded: row.files_ended,
    fileCount: row.file_count,
    totalSize: row.total_size_bytes,
    createdAt: row.created_at,
    createdBy: row.created_by,
    run:
      run === undefined
        ? null
        : {
            id: run.runId,
            area: run.area,
            taskId: run.taskId,
            taskName: run.ingredients.taskName,
            number: run.number,
            isStored: run.isStored,
          },
  };
}
