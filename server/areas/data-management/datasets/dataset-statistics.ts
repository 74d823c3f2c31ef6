import type { DatasetCountsTable, DatasetsTable } from '../../../storage/database/tables/datasets.ts';
import type { Statistics } from '../schemas/datasets.ts';

type Totals = Pick<DatasetsTable, 'file_count' | 'completed_count' | 'total_size_bytes'>;

export function statisticsOf(
  totals: Totals,
  counts: readonly Pick<DatasetCountsTable, 'file_type' | 'status' | 'file_count'>[],
): Statistics {
  const types = new Map<string, number>();
  const statusDistribution = { COMPLETED: 0, PROCESSING: 0, ERROR: 0 };
  for (const { file_type, status, file_count } of counts) {
    types.set(file_type, (types.get(file_type) ?? 0) + file_count);
    statusDistribution[status as keyof typeof statusDistribution] += file_count;
  }
  return {
    totalFiles: totals.file_count,
    completedFiles: totals.completed_count,
    totalSize: totals.total_size_bytes,
    completionRate: completionRate(totals),
    fileTypeDistribution: Object.fromEntries(types),
    statusDistribution,
  };
}

/** Percentage with two decimals; 100 means all of them. */
export function completionRate({
  completed_count,
  file_count,
}: Pick<DatasetsTable, 'completed_count' | 'file_count'>): number {
  if (file_count === 0) return 0;
  const rate = Math.round((completed_count / file_count) * 10_000) / 100;
  return rate === 100 && completed_count < file_count ? 99.99 : rate;
}
