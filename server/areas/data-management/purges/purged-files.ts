import { fileTypeOf } from '../../../kernel/file-path.ts';
import type { Db } from '../../../storage/database/database.ts';
import { countPurges, listPurges } from '../queries/purges.ts';
import type { SourceSelection } from '../queries/source-files.ts';
import type { PurgeReport } from '../schemas/purges.ts';

/** A stored purge, with each erased state: the version that added it, and the first version without it (null: none). */
export type StoredPurge = PurgeReport & { erased: { path: string; from: number; before: number | null }[] };

const purgesAtOnce = 50;

/** Paths of selected files of a version that were erased by the dataset's purges after the first `known`. */
export async function* walkPurged(
  db: Db,
  { datasetId, version, prefix, fileTypes }: SourceSelection,
  known: number,
): AsyncGenerator<string[]> {
  const later = (await countPurges(db, datasetId)) - known;
  for (let offset = 0; offset < later; offset += purgesAtOnce) {
    const rows = await listPurges(db, datasetId, { limit: Math.min(purgesAtOnce, later - offset), offset });
    for (const { report } of rows) {
      // The previous release stored no states.
      const { erased = [] } = JSON.parse(report) as Partial<StoredPurge>;
      yield erased
        .filter(({ from, before }) => from <= version && (before === null || before > version))
        .map(({ path }) => path)
        .filter((path) => prefix === '' || path.startsWith(`${prefix}/`))
        .filter((path) => fileTypes.length === 0 || fileTypes.includes(fileTypeOf(path)));
    }
  }
}
