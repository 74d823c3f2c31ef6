import { fileNameOf } from '../kernel/file-path.ts';
import { readFully, type ReadAt } from '../tables/lines.ts';
import { findRowStarts, needsRowScan } from '../tables/row-boundaries.ts';
import { headBytes, readLayout, type LayoutAnswer, type RowFormat, type TableLayout } from '../tables/table-layout.ts';
import { SetupError } from './setup-error.ts';

/** What is asked of a table before it is cut: its layout, and rows that parts may begin with. */
export type ScanJob = {
  place: { path: string; offset: number };
  path: string;
  sizeBytes: number;
  format: RowFormat;
  field: string | null;
  /** Parts are to have about so many bytes. */
  stepBytes: number;
  maxRowBytes: number;
};

/** `starts` is missing where a part may begin anywhere: each line end ends a row. */
export type ScanResult = { layout: TableLayout; starts?: number[] } | { problem: string };

/** Tells a table's layout and where it can be cut; throws SetupError when its text column can't be told. */
export function scanTable(job: ScanJob, read: ReadAt, visit: (at: number) => void): ScanResult {
  const layout = layoutOf(job, read);
  if ('problem' in layout || !needsRowScan(layout)) return 'problem' in layout ? layout : { layout };
  const scan = { ...job, encoding: layout.encoding, dialect: layout.delimited };
  return { layout, starts: [...findRowStarts(read, scan, job.stepBytes, visit)] };
}

/** The layout of a table, told from the beginning of its file; a problem when it is no table. Throws SetupError. */
export function layoutOf(
  file: Pick<ScanJob, 'path' | 'sizeBytes' | 'format' | 'field'>,
  read: ReadAt,
): TableLayout | { problem: string } {
  const bytes = new Uint8Array(Math.min(file.sizeBytes, headBytes));
  readFully(read, bytes, 0);
  const head = { bytes, isWholeFile: bytes.length === file.sizeBytes };
  return layoutIn(readLayout(head, file.format, file.field ?? undefined), file.path);
}

function layoutIn(answer: LayoutAnswer, path: string): TableLayout | { problem: string } {
  if (answer.ok) return answer.layout;
  if ('problem' in answer) return { problem: `UNSUPPORTED_FORMAT: ${fileNameOf(path)}: ${answer.problem}` };
  const { candidates } = answer;
  const found = candidates.length === 0 ? 'it has no string column' : `it has ${candidates.join(', ')}`;
  throw new SetupError(`${path}: can't tell which column holds the text (${found}); set input.textField`);
}
