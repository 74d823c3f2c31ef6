const groupBytes = 8 << 20;
const mostRows = 122_880;

/**
 * How an index is written: groups of some 8 MiB of text. A reader holds several whole groups in memory, and skips those that a
 * condition on the numbers of rows leaves out.
 */
export function indexFormat(sizeBytes: number, rows: number): string {
  const groupRows = Math.ceil(groupBytes / Math.max(1, sizeBytes / Math.max(1, rows)));
  return `(format parquet, compression zstd, row_group_size ${Math.max(1, Math.min(mostRows, groupRows))})`;
}
