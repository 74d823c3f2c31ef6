/** A piece of an output file: a range of the rows of a shard. */
export type ExportRange = { shardNo: number; start: number; end: number };

/** An output file before it is written. */
export type ExportFile = { ranges: ExportRange[]; sizeBytes: number; rows: number };

/**
 * Distributes the rows of shards over files in order: a file ends before the unit that would carry it past `shardBytes`.
 * The result depends on the shards alone.
 */
export function planExport(
  shards: readonly { shardNo: number; units: readonly (readonly [sizeBytes: number, rows: number])[] }[],
  shardBytes: number,
): ExportFile[] {
  const files: ExportFile[] = [];
  for (const { shardNo, units } of shards) {
    let start = 0;
    for (const [sizeBytes, rows] of units) {
      let file = files.at(-1);
      if (file === undefined || file.sizeBytes + sizeBytes > shardBytes) {
        file = { ranges: [], sizeBytes: 0, rows: 0 };
        files.push(file);
      }
      const last = file.ranges.at(-1);
      if (last?.shardNo === shardNo) last.end += sizeBytes;
      else file.ranges.push({ shardNo, start, end: start + sizeBytes });
      file.sizeBytes += sizeBytes;
      file.rows += rows;
      start += sizeBytes;
    }
  }
  return files;
}

/** The path in which `load_dataset` finds a file: `data/train-00000-of-00012.parquet`. */
export function exportPath(fileNo: number, files: number, extension: string): string {
  const padded = (number: number): string => String(number).padStart(5, '0');
  return `data/train-${padded(fileNo)}-of-${padded(files)}.${extension}`;
}
