import type { CheckedParts, CheckedRange } from '../../tables/checksums.ts';
import type { ParquetFacts } from '../../tables/parquet/index.ts';

/** Where to cut the file for its checksums: around the values of the column in each row group. */
export function startsOf({ columnChunks }: ParquetFacts, column: string, sizeBytes: number): number[] {
  const edges = (columnChunks[column] ?? []).flatMap(({ from, to }) => [from, to]);
  return [...new Set([0, ...edges])]
    .filter((at) => at === 0 || (at > 0 && at < sizeBytes))
    .sort((one, other) => one - other);
}

/** The parts of a file as ranges. */
export function rangesOf(
  { starts, checksums }: Pick<CheckedParts, 'starts' | 'checksums'>,
  sizeBytes: number,
): CheckedRange[] {
  return checksums.map((crc32, index) => ({ from: starts[index] ?? 0, to: starts[index + 1] ?? sizeBytes, crc32 }));
}

/** The checksums of the row groups with the given rows, and of the metadata that locates them. */
export function checksOf(
  { from, to }: { from: number; to: number },
  { columnChunks }: ParquetFacts,
  column: string,
  checks: readonly CheckedRange[],
): { checks?: CheckedRange[] } {
  const footer = checks.at(-1);
  if (footer === undefined) return {};
  let row = 0;
  const wanted = [footer];
  for (const chunk of columnChunks[column] ?? []) {
    if (row < to && row + chunk.rows > from) {
      wanted.push(...checks.filter((check) => check !== footer && check.from >= chunk.from && check.to <= chunk.to));
    }
    row += chunk.rows;
  }
  return { checks: wanted };
}
