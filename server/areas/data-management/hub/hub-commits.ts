import { storedReason } from '../../../kernel/sentences/index.ts';
import type { Db } from '../../../storage/database/database.ts';
import type { VersionsTable } from '../../../storage/database/tables/datasets.ts';
import { findFolderChange, findHubFiles, findVersionFrom } from '../queries/hub.ts';
import { commitOf } from './hub-names.ts';
import type { HubCommit, HubEntry } from './hub-tree.ts';

type FilesOfVersion = { datasetId: string; version: number };

/** Adds to each entry of a version the commit that last changed it; of a folder, that of anything in it. */
export async function withLastCommits(
  db: Db,
  files: FilesOfVersion,
  entries: readonly HubEntry[],
): Promise<HubEntry[]> {
  const paths = entries.filter(({ type }) => type === 'file').map(({ path }) => path);
  const rows = paths.length === 0 ? [] : await findHubFiles(db, files, paths);
  const changed = new Map(rows.map((row) => [row.path, row.added_version]));
  for (const { type, path } of entries)
    if (type === 'directory')
      changed.set(path, (await findFolderChange(db, { ...files, below: path })) ?? files.version);
  const commits = new Map<number, HubCommit | undefined>();
  for (const number of new Set(changed.values())) {
    const row = await findVersionFrom(db, files.datasetId, number);
    commits.set(number, row === undefined ? undefined : toCommit(row));
  }
  return entries.map((entry) => {
    const lastCommit = commits.get(changed.get(entry.path) ?? files.version);
    return lastCommit === undefined ? entry : { ...entry, lastCommit };
  });
}

function toCommit(row: VersionsTable): HubCommit {
  const title = row.name ?? storedReason('message', row)?.text ?? `Version ${row.version}`;
  return { id: commitOf(row.dataset_id, row.version), title, date: row.created_at };
}
