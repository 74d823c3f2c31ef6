import type { Database } from '../../../storage/database/database.ts';
import type { DatasetAccess } from '../../data-management/index.ts';
import type { RecordColumn } from '../schemas/columns.ts';
import { synthesisErrors } from '../errors.ts';
import { defaultChunking, type SourceSamples } from '../source-samples.ts';

/** A row of a dataset that a sampler draws. */
export type SeedRow = Readonly<Record<string, unknown>>;

/** Rows by the name of the column that draws them. */
export type SeedRows = ReadonlyMap<string, readonly SeedRow[]>;

/** Limits, since the rows stay in memory while records are made. */
const mostRows = 10_000;
const mostBytes = 32 << 20;

/** The columns that draw rows, with their source datasets. */
export function rowColumns(
  columns: readonly RecordColumn[] = [],
): { name: string; datasetId: string; prefix: string }[] {
  return columns.flatMap(({ name, sampler, datasetId, prefix = '' }) =>
    sampler === 'ROW' && datasetId !== undefined ? [{ name, datasetId, prefix }] : [],
  );
}

/**
 * Reads the rows that columns draw from, at the latest versions of their datasets. Throws SYNTHESIS_SEED_NOT_FOUND,
 * SYNTHESIS_SEED_EMPTY.
 */
export async function readLatestSeedRows(
  { db, datasets, samples }: { db: Database; datasets: Pick<DatasetAccess, 'find'>; samples: SourceSamples },
  columns: readonly RecordColumn[] | undefined,
): Promise<SeedRows> {
  const versions: Record<string, number> = {};
  for (const { name: column, datasetId: id } of rowColumns(columns)) {
    const seed = await datasets.find(db.read, id);
    if (seed === undefined) throw synthesisErrors.SYNTHESIS_SEED_NOT_FOUND({ id, column });
    versions[column] = seed.version;
  }
  return readSeedRows(samples, columns, versions);
}

/** Reads the rows that columns draw from, at given versions of their datasets. Throws SYNTHESIS_SEED_EMPTY. */
export async function readSeedRows(
  samples: SourceSamples,
  columns: readonly RecordColumn[] | undefined,
  versions: Readonly<Record<string, number>>,
): Promise<SeedRows> {
  const found = new Map<string, readonly SeedRow[]>();
  for (const { name, datasetId, prefix } of rowColumns(columns)) {
    const rows: SeedRow[] = [];
    let bytes = 0;
    const input = { prefix, fileTypes: [], textField: null };
    const source = { datasetId, version: versions[name] ?? 1, input, chunking: defaultChunking };
    for await (const item of samples.read(source)) {
      if (!('sample' in item) || item.sample.row === null) continue;
      rows.push(item.sample.row);
      bytes += JSON.stringify(item.sample.row).length;
      if (rows.length === mostRows || bytes > mostBytes) break;
    }
    if (rows.length === 0) throw synthesisErrors.SYNTHESIS_SEED_EMPTY({ id: datasetId, column: name });
    found.set(name, rows);
  }
  return found;
}
