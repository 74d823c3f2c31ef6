import type { Db } from '../../../storage/database/database.ts';
import {
  recountAnchored,
  recountAnchors,
  recountDataset,
  recountFolders,
  recountStatistics,
  recountVersions,
  type CounterDifference,
} from '../queries/recounts.ts';

const recounts = [
  recountDataset,
  recountStatistics,
  recountFolders,
  recountVersions,
  recountAnchors,
  recountAnchored,
] as const;

/** Compares all counters of a dataset with its files; returns up to `limit` differences of each kind. */
export async function recountCounters(db: Db, datasetId: string, limit: number): Promise<CounterDifference[]> {
  const differences: CounterDifference[] = [];
  for (const recount of recounts) differences.push(...(await recount(db, datasetId, limit)));
  return differences;
}
