const groupBytes = 8 << 20;
const mostRows = 122_880;
/** The library's vector size; row groups that are not a multiple of it cost 20 % more CPU time. */
const vectorRows = 2_048;

/**
 * How an index is written: row groups of about 8 MiB of text. A reader holds several whole groups in memory, and skips
 * those that a condition on row numbers excludes.
 */
export function indexFormat(sizeBytes: number, rows: number): string {
  return `(format parquet, compression zstd, row_group_size ${groupRowsOf(sizeBytes, rows)})`;
}

export function groupRowsOf(sizeBytes: number, rows: number): number {
  const groupRows = Math.ceil(groupBytes / Math.max(1, sizeBytes / Math.max(1, rows)));
  const wholeVectors = vectorRows * Math.round(groupRows / vectorRows);
  return Math.max(1, Math.min(mostRows, wholeVectors || groupRows));
}
