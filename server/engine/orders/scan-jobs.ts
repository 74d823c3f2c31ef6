import type { Reason } from '../../kernel/sentences/index.ts';
import type { Encoding } from '../../encodings/encodings.ts';
import type { RowFormat, TableLayout } from '../../tables/table-layout.ts';

/** Request for a table's layout and the starts of its parts, made before the table is cut. */
export type ScanJob = {
  place: { path: string; offset: number };
  /** CRC-32 of the whole file. */
  crc32: number;
  path: string;
  sizeBytes: number;
  format: RowFormat;
  field: string | null;
  /** Whether to read a table whose text column is unknown, because no step needs a text. */
  mayLackText?: boolean | undefined;
  /** Null if not configured. */
  encoding: Encoding | null;
  /** Target size of a part in bytes. */
  stepBytes: number;
  maxRowBytes: number;
};

/**
 * Where the parts begin, each at the start of a row, and the checksums of their bytes; or why the file can't be read.
 */
export type ScanResult =
  | { layout: TableLayout; starts: number[]; checksums: number[] }
  | { problem: Reason; isDamaged: boolean };
