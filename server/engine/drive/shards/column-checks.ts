import type { CheckedParts, CheckedRange } from '../../../tables/checksums.ts';
import type { ParquetFacts } from '../../../tables/parquet/index.ts';

/** Where to cut the file for its checksums: around the values of the column in each row group. */
export function startsOf(facts: ParquetFacts, columns: readonly string[], sizeBytes: number): number[] {
  const edges = chunksOf(facts, columns)
    .flat()
    .flatMap(({ from, to }) => [from, to]);
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
  facts: ParquetFacts,
  columns: readonly string[],
  checks: readonly CheckedRange[],
): { checks?: CheckedRange[] } {
  const footer = checks.at(-1);
  if (footer === undefined) return {};
  const wanted = [footer];
  for (const chunks of chunksOf(facts, columns)) {
    let row = 0;
    for (const chunk of chunks) {
      if (row < to && row + chunk.rows > from) {
        wanted.push(...checks.filter((check) => check !== footer && check.from >= chunk.from && check.to <= chunk.to));
      }
      row += chunk.rows;
    }
  }
  return { checks: wanted };
}

/** Uncompressed size of the values of some columns, in bytes. */
export function bytesOf({ columnBytes }: ParquetFacts, columns: readonly string[]): number {
  const isOfThem = belongsTo(columns);
  return Object.entries(columnBytes).reduce((sum, [path, bytes]) => sum + (isOfThem(path) ? bytes : 0), 0);
}

function chunksOf({ columnChunks }: ParquetFacts, columns: readonly string[]): ParquetFacts['columnChunks'][string][] {
  const isOfThem = belongsTo(columns);
  return Object.entries(columnChunks).flatMap(([path, chunks]) => (isOfThem(path) ? [chunks] : []));
}

/**
 * Whether a path belongs to one of the columns: values of a nested column have paths below its name. A file may have
 * tens of thousands of paths and columns, so only prefixes as long as some name are looked up.
 */
function belongsTo(columns: readonly string[]): (path: string) => boolean {
  const names = new Set(columns);
  const lengths = new Set(columns.map(({ length }) => length));
  return (path) => {
    if (names.has(path)) return true;
    for (let end = path.indexOf(', '); end !== -1; end = path.indexOf(', ', end + 1))
      if (lengths.has(end) && names.has(path.slice(0, end))) return true;
    return false;
  };
}
