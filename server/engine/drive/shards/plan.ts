import { fileTypeOf } from '../../../kernel/file-path.ts';
import type { Reason } from '../../../kernel/sentences/index.ts';
import { formatOf, isRowFormat } from '../../../tables/formats.ts';
import type { RowFormat, TableLayout } from '../../../tables/table-layout.ts';
import type { InputFile } from '../job.ts';
import { type ChosenColumns, type ColumnPart, formatPathOf, type Piece, storedProblem } from '../../orders/shard.ts';

/** A shard before it is processed. */
export type PlannedShard = {
  pieces: Piece[];
  filePart: number;
  fileParts: number;
  /** Bytes of input, at least one per file: the shard's share of the progress. */
  bytes: number;
};

/** Why a file can't be read; the bytes of a damaged file never go into a result. */
export type Unreadable = { problem: Reason; isDamaged: boolean };

/**
 * Where the parts of a large table begin, each at the start of a row, and the checksums of their bytes; or why it can't
 * be read.
 */
export type TableCuts = { layout: TableLayout; starts: readonly number[]; checksums: readonly number[] } | Unreadable;

/**
 * Where a columnar table is cut: its text column and its parts; for rows in another format, also which of its types
 * that format can't keep. Or why it can't be read.
 */
export type ColumnCuts =
  | {
      column: ChosenColumns;
      parts: readonly Omit<ColumnPart, keyof ChosenColumns>[];
      rows?: number;
      lostTypes?: readonly string[];
    }
  | Unreadable;

/** Limits of the input of one shard. */
export type ShardSizes = { shardBytes: number; shardFiles: number };

export type PlanOptions = ShardSizes & {
  /** Scans a large table before it is cut; if it returns nothing, each part finds its own row starts. */
  cutTable: (file: InputFile, format: RowFormat) => Promise<TableCuts | undefined>;
  /** Inspects a columnar table (Parquet) of any size. */
  cutColumn: (file: InputFile) => Promise<ColumnCuts>;
};

/**
 * Cuts input into shards, in path order: neighbouring small files of one dataset together, a large table by byte ranges
 * (a row belongs to the range that contains its first byte), any other large file alone.
 */
export async function* planShards(
  inputs: AsyncIterable<readonly InputFile[]>,
  options: PlanOptions,
): AsyncGenerator<PlannedShard> {
  const { shardBytes } = options;
  let group: PlannedShard | undefined;
  for await (const slice of inputs) {
    for (const file of slice) {
      const bytes = Math.max(1, file.sizeBytes);
      if (group !== undefined && (isFull(group, bytes, options) || group.pieces[0]?.source !== file.source)) {
        yield group;
        group = undefined;
      }
      const format = formatOf(fileTypeOf(formatPathOf(file)));
      if (file.blobId !== null && file.problem === undefined && isRowFormat(format) && file.sizeBytes > shardBytes) {
        yield* cut(file, await options.cutTable(file, format), shardBytes);
        continue;
      }
      if (file.blobId !== null && file.problem === undefined && format === 'parquet') {
        if (group !== undefined) yield group;
        group = undefined;
        yield* cutByRows(file, await options.cutColumn(file));
        continue;
      }
      group ??= { pieces: [], filePart: 0, fileParts: 1, bytes: 0 };
      group.pieces.push(file);
      group.bytes += bytes;
    }
  }
  if (group !== undefined) yield group;
}

function isFull({ bytes, pieces }: PlannedShard, added: number, { shardBytes, shardFiles }: ShardSizes): boolean {
  return bytes + added > shardBytes || pieces.length >= shardFiles;
}

function* cut(file: InputFile, cuts: TableCuts | undefined, shardBytes: number): Generator<PlannedShard> {
  if (cuts !== undefined && 'problem' in cuts) {
    yield unreadable(file, cuts);
    return;
  }
  const starts = cuts?.starts ?? [0, ...everyStep(file.sizeBytes, shardBytes)];
  const layout = cuts === undefined ? {} : { layout: cuts.layout };
  for (const [filePart, from] of starts.entries()) {
    const crc32 = cuts?.checksums[filePart];
    const range = { from, to: starts[filePart + 1] ?? file.sizeBytes, ...(crc32 === undefined ? {} : { crc32 }) };
    yield { pieces: [{ ...file, ...layout, range }], filePart, fileParts: starts.length, bytes: range.to - from };
  }
}

function* cutByRows(file: InputFile, cuts: ColumnCuts): Generator<PlannedShard> {
  if ('problem' in cuts) {
    yield unreadable(file, cuts);
    return;
  }
  const { column, parts } = cuts;
  for (const [filePart, part] of parts.entries()) {
    const share = (part: number): number => Math.floor((file.sizeBytes * part) / parts.length);
    const bytes = share(filePart + 1) - share(filePart);
    yield { pieces: [{ ...file, column: { ...column, ...part } }], filePart, fileParts: parts.length, bytes };
  }
}

function unreadable(file: InputFile, { problem, isDamaged }: Unreadable): PlannedShard {
  const piece = { ...file, ...storedProblem(problem), ...(isDamaged ? { blobId: null } : {}) };
  return { pieces: [piece], filePart: 0, fileParts: 1, bytes: Math.max(1, file.sizeBytes) };
}

function everyStep(sizeBytes: number, stepBytes: number): number[] {
  return Array.from({ length: Math.ceil(sizeBytes / stepBytes) - 1 }, (_, index) => (index + 1) * stepBytes);
}
