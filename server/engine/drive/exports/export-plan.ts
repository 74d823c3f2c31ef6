/** A piece of an output file: a range of the rows of a shard. */
export type ExportRange = { shardNo: number; start: number; end: number };

/** An output file before it is written. */
export type ExportFile = {
  ranges: ExportRange[];
  sizeBytes: number;
  rows: number;
  /** The folder of its rows; undefined if files are not put into folders. */
  folder?: string;
};

/**
 * Distributes the rows of shards over files in order: a file ends before the unit that would exceed `shardBytes`. Each
 * folder has its own files, in the order of the folders. The result depends only on the shards.
 */
export function planExport(
  shards: readonly {
    shardNo: number;
    units: readonly (readonly [sizeBytes: number, rows: number, folder?: string])[];
  }[],
  shardBytes: number,
): ExportFile[] {
  const folders = new Map<string | undefined, ExportFile[]>();
  for (const { shardNo, units } of shards) {
    let start = 0;
    for (const [sizeBytes, rows, folder] of units) {
      const files = folders.get(folder) ?? [];
      folders.set(folder, files);
      let file = files.at(-1);
      if (file === undefined || file.sizeBytes + sizeBytes > shardBytes) {
        file = { ranges: [], sizeBytes: 0, rows: 0, ...(folder === undefined ? {} : { folder }) };
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
  const named = [...folders].toSorted(([one = ''], [other = '']) => (one < other ? -1 : 1));
  return named.flatMap(([, files]) => files);
}

/** Paths that `load_dataset` recognizes: `data/train-00000-of-00012.parquet`, or `test/00000-of-00001.parquet`. */
export function exportPaths(files: readonly Pick<ExportFile, 'folder'>[], extension: string): string[] {
  const padded = (number: number): string => String(number).padStart(5, '0');
  const totals = new Map<string | undefined, number>();
  for (const { folder } of files) totals.set(folder, (totals.get(folder) ?? 0) + 1);
  const counts = new Map<string | undefined, number>();
  return files.map(({ folder }) => {
    const number = counts.get(folder) ?? 0;
    counts.set(folder, number + 1);
    const start = folder === undefined ? 'data/train-' : `${folder}/`;
    return `${start}${padded(number)}-of-${padded(totals.get(folder) ?? 0)}.${extension}`;
  });
}
