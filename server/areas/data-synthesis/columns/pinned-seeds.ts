import type { RunDataset } from '../../../runs/index.ts';
import type { Tx } from '../../../storage/database/database.ts';
import type { DatasetAccess } from '../../data-management/index.ts';
import type { SynthesisDefinition } from '../definition.ts';
import { synthesisErrors } from '../errors.ts';
import { rowColumns } from './seed-rows.ts';

/** Pins the versions of the datasets that columns draw rows from: those of an earlier run, otherwise the latest. */
export async function pinSeeds(
  tx: Tx,
  datasets: Pick<DatasetAccess, 'lock' | 'commit'>,
  columns: SynthesisDefinition['template']['columns'],
  earlier: Readonly<Record<string, number>> = {},
): Promise<Record<string, number>> {
  const versions: Record<string, number> = {};
  for (const { name: column, datasetId: id } of rowColumns(columns)) {
    const seed = await datasets.lock(tx, id);
    if (seed === undefined) throw synthesisErrors.SYNTHESIS_SEED_NOT_FOUND({ id, column });
    versions[column] = earlier[column] ?? seed.version;
    await datasets.commit.closeVersion(tx, id, versions[column]);
  }
  return versions;
}

/** The datasets that a run draws rows from, each once, apart from its source. */
export function seedsOf(
  columns: SynthesisDefinition['template']['columns'],
  versions: Readonly<Record<string, number>>,
  sourceId: string,
): RunDataset[] {
  const found = new Map<string, RunDataset>();
  for (const { name, datasetId } of rowColumns(columns))
    if (datasetId !== sourceId) found.set(datasetId, { datasetId, role: 'SOURCE', version: versions[name] ?? null });
  return [...found.values()];
}
