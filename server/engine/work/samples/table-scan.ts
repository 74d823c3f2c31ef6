import { fileNameOf } from '../../../kernel/file-path.ts';
import { inputProblems, type Reason } from '../../../kernel/sentences/index.ts';
import { checksumParts, cutLines, type CheckedParts } from '../../../tables/checksums.ts';
import { findElementCuts } from '../../../tables/json-array.ts';
import type { ReadAt } from '../../../tables/lines.ts';
import { findRowStarts, needsRowScan } from '../../../tables/row-boundaries.ts';
import { noField, readHead, readLayout, type LayoutAnswer, type TableLayout } from '../../../tables/table-layout.ts';
import { describeUnclear } from '../../../tables/text-field.ts';
import type { ScanResult, ScanJob } from '../../orders/scan-jobs.ts';
import { describeDamage, orDamaged, StoredBytesDamaged } from '../../orders/stored-bytes.ts';

/** Reads a whole table and verifies its bytes before it is processed; returns its layout and where to cut it. */
export function scanTable(job: ScanJob, read: ReadAt, visit: (at: number) => void): ScanResult {
  const damage = describeDamage(job.path, { from: 0, to: job.sizeBytes });
  try {
    return orDamaged(damage, () => {
      const layout = layoutOf(job, read);
      const parts = partsOf(job, layout, read, visit);
      if (parts.crc32 !== job.crc32) return { problem: damage, isDamaged: true };
      if ('problem' in layout) return { ...layout, isDamaged: false };
      return { layout, starts: parts.starts, checksums: parts.checksums };
    });
  } catch (error) {
    if (error instanceof StoredBytesDamaged) return { problem: damage, isDamaged: true };
    throw error;
  }
}

function partsOf(
  job: ScanJob,
  layout: ReturnType<typeof layoutOf>,
  read: ReadAt,
  visit: (at: number) => void,
): CheckedParts {
  const { sizeBytes, stepBytes, maxRowBytes } = job;
  if ('problem' in layout) return checksumParts(read, sizeBytes, [0], visit);
  if (layout.isArray === true) {
    const scan = { sizeBytes, markBytes: layout.markBytes, maxRowBytes };
    const { cuts, end } = findElementCuts(read, scan, stepBytes, visit);
    layout.arrayEnd = end;
    return checksumParts(read, sizeBytes, [0, ...cuts], visit);
  }
  // Ensures that a range more than twice as long as the limit ends with a row over the limit: `readRows` relies on it.
  if (!needsRowScan(layout)) return cutLines(read, sizeBytes, Math.min(stepBytes, maxRowBytes), visit);
  const scan = { ...job, encoding: layout.encoding, dialect: layout.delimited };
  return checksumParts(read, sizeBytes, [0, ...findRowStarts(read, scan, stepBytes, visit)], visit);
}

/**
 * The layout of a table, detected from the beginning of its file; a problem if it is not a table or its text column
 * can't be determined.
 */
export function layoutOf(
  {
    path,
    sizeBytes,
    format,
    field,
    mayLackText,
    encoding,
  }: Pick<ScanJob, 'path' | 'sizeBytes' | 'format' | 'field' | 'mayLackText' | 'encoding'>,
  read: ReadAt,
): TableLayout | { problem: Reason } {
  const named = { field: field ?? undefined, encoding: encoding ?? undefined };
  const head = readHead(read, sizeBytes, format);
  const answer = readLayout(head, format, named);
  const isUnclear = !answer.ok && 'candidates' in answer;
  return layoutIn(
    isUnclear && mayLackText === true ? readLayout(head, format, { ...named, field: noField }) : answer,
    path,
  );
}

function layoutIn(answer: LayoutAnswer, path: string): TableLayout | { problem: Reason } {
  if (answer.ok) return answer.layout;
  if ('problem' in answer)
    return { problem: inputProblems.UNSUPPORTED_BECAUSE.reason({ file: fileNameOf(path), why: answer.problem }) };
  return { problem: describeUnclear(fileNameOf(path), answer.candidates) };
}
