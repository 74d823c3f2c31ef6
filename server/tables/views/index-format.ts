const groupBytes = 8 << 20;
const mostRows = 122_880;
/** Rows that the library handles at once: groups that cut them took a fifth more of the processor. */
const vectorRows = 2_048;

/**
 * How an index is written: groups of some 8 MiB of text. A reader holds several whole groups in memory, and skips those that a
 * condition on the numbers of rows leaves out.
 */
export function indexFormat(sizeBytes: number, rows: number): string {
  return `(format parquet, compression zstd, row_group_size ${groupRowsOf(sizeBytes, rows)})`;
}

export function groupRowsOf(sizeBytes: number, rows: number): number {
  const groupRows = Math.ceil(groupBytes / Math.max(1, sizeBytes / Math.max(1, rows)));
  const wholeVectors = vectorRows * Math.round(groupRows / vectorRows);
  return Math.max(1, Math.min(mostRows, wholeVectors || groupRows));
}
