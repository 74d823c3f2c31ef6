import { parsePrefix } from '../../../kernel/file-path.ts';
import { offsetOf, toPage } from '../../../kernel/page.ts';
import type { Database } from '../../../storage/database/database.ts';
import { dataErrors } from '../errors.ts';
import { findDataset } from '../queries/datasets.ts';
import { countVersionChanges, listVersionChanges, type ChangeRow } from '../queries/version-changes.ts';
import { findVersion } from '../queries/versions.ts';
import type { VersionDiff, VersionDiffQuery, VersionFile, VersionFileChange } from '../schemas/version-diffs.ts';

/** Compares the files of two versions. */
export type VersionDiffs = {
  /** In path order; throws DATASET_NOT_FOUND, VERSION_NOT_FOUND. */
  compare(datasetId: string, query: VersionDiffQuery): Promise<VersionDiff>;
};

export function createVersionDiffs({ db }: { db: Database }): VersionDiffs {
  return {
    async compare(datasetId, query) {
      const dataset = await findDataset(db.read, datasetId);
      if (dataset === undefined) throw dataErrors.DATASET_NOT_FOUND({ id: datasetId });
      const { from, to = dataset.version } = query;
      const found = await Promise.all([from, to].map((version) => findVersion(db.read, datasetId, version)));
      if (found[0] === undefined) throw dataErrors.VERSION_NOT_FOUND({ version: from });
      if (found[1] === undefined) throw dataErrors.VERSION_NOT_FOUND({ version: to });
      const pair = { datasetId, from, to };
      const below = parsePrefix('prefix', query.prefix ?? '');
      const counts = await countVersionChanges(db.scan, pair, { below });
      const filesOf = (change: string): number => counts.find((count) => count.change === change)?.files ?? 0;
      const summary = {
        added: filesOf('ADDED'),
        changed: filesOf('CHANGED'),
        moved: filesOf('MOVED'),
        removed: filesOf('REMOVED'),
        bytesBefore: counts.reduce((sum, { beforeBytes }) => sum + beforeBytes, 0),
        bytesAfter: counts.reduce((sum, { afterBytes }) => sum + afterBytes, 0),
      };
      const { change } = query;
      const total = change === undefined ? counts.reduce((sum, { files }) => sum + files, 0) : filesOf(change);
      const offset = offsetOf(query);
      const rows =
        offset >= total
          ? []
          : await listVersionChanges(db.scan, pair, { change, below }, { limit: query.size, offset });
      return { from, to, summary, ...toPage(rows.map(toChange), query, total) };
    },
  };
}

function toChange(row: ChangeRow): VersionFileChange {
  return {
    change: row.change,
    filePath: row.path,
    before: toVersionFile(row, 'before'),
    after: toVersionFile(row, 'after'),
  };
}

function toVersionFile(row: ChangeRow, side: 'before' | 'after'): VersionFile | null {
  const id = row[`${side}_file_id`];
  if (id === null) return null;
  return {
    id,
    filePath: row[`${side}_path`] ?? '',
    fileSize: row[`${side}_size_bytes`] ?? 0,
    sha256: row[`${side}_sha256`],
    uploadTime: row[`${side}_uploaded_at`] ?? '',
    uploadedBy: row[`${side}_uploaded_by`] ?? '',
  };
}
