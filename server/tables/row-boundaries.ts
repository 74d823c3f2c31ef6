import { headerRecords, readRecord, type DelimitedTable, type DelimitedDialect } from './delimited.ts';
import type { Encoding } from '../encodings/encodings.ts';
import { readFully, type ReadAt } from './lines.ts';
import type { TableLayout } from './table-layout.ts';

/** The properties of a table needed to find where its rows start. */
export type RowScan = {
  encoding: Encoding;
  /** Undefined if each line is a row. */
  dialect?: DelimitedTable | undefined;
  sizeBytes: number;
  maxRowBytes: number;
};

/** Whether finding row starts requires a scan from the file's beginning; otherwise each line end ends a row. */
export function needsRowScan({ encoding, delimited }: TableLayout): boolean {
  return encoding.startsWith('utf-16') || delimited !== undefined;
}

const firstWindowBytes = 1 << 20;

/**
 * Row starts: for each multiple of `stepBytes`, the first row that starts there or later. Whether a line end ends a row
 * depends on all quotes before it, so the file is read once from its beginning, in bounded memory. A record over
 * `maxRowBytes` has a boundary at its start and its end. `visit` receives the scan position and may throw to stop the
 * scan.
 */
export function* findRowStarts(
  read: ReadAt,
  scan: RowScan,
  stepBytes: number,
  visit?: (at: number) => void,
): Generator<number> {
  const unitBytes = scan.encoding.startsWith('utf-16') ? 2 : 1;
  const units = Math.floor(scan.sizeBytes / unitBytes);
  const maxUnits = Math.ceil(scan.maxRowBytes / unitBytes);
  // Ensures that two boundaries more than twice the limit apart enclose exactly one row over the limit: `readRows`
  // relies on it.
  const step = Math.max(1, Math.min(maxUnits, Math.ceil(stepBytes / unitBytes)));
  let found: number[] = [];
  let last = 0;
  let next = step;
  const add = (at: number): void => {
    // Half a UTF-16 unit at the very end belongs to the part before it.
    if (at > last && at < units) found.push(at * unitBytes);
    last = Math.max(last, at);
  };
  // The header, and anything before it, stays in the first part.
  let leading = scan.dialect === undefined ? 0 : headerRecords(scan.dialect);
  const endRecord = (start: number, end: number, isBlank: boolean): void => {
    if (leading > 0) {
      if (!isBlank) leading -= 1;
      if (leading > 0 || isBlank) return;
    }
    if (end - start > maxUnits) add(start);
    if (end - start > maxUnits || end >= next) {
      add(end);
      next = end - (end % step) + step;
    }
  };
  let windowUnits = firstWindowBytes;
  // All positions are in units: bytes, or pairs of bytes in UTF-16.
  for (let at = 0; at < units;) {
    visit?.(at);
    const base = at;
    const window = readUnits(read, base, Math.min(windowUnits, units - base), scan.encoding);
    const recordsEnd = lastRecordEnd(window, scan.dialect ?? lines, maxUnits, (start, end, isBlank) => {
      endRecord(base + start, base + end, isBlank);
    });
    if (recordsEnd > 0) {
      at += recordsEnd;
      windowUnits = firstWindowBytes;
    } else if (window.length > maxUnits) {
      // A record over the limit ends at the next line end, inside quotes or not.
      const end = nextLineEnd(read, at + maxUnits, units, scan, visit);
      endRecord(at, end, false);
      at = end;
      windowUnits = firstWindowBytes;
    } else if (base + window.length === units) {
      at = units;
    } else {
      windowUnits *= 2;
    }
    yield* found;
    found = [];
  }
}

/** Reads a line of any table as a record of one cell. */
export const lines: DelimitedDialect = { delimiter: -1, lineEnd: 0x0a, quoting: false };

/** End of the last record that ends within the window; 0 if none does. */
function lastRecordEnd(
  window: Uint8Array,
  dialect: DelimitedDialect,
  maxUnits: number,
  onRecord: (start: number, end: number, isBlank: boolean) => void,
): number {
  let at = 0;
  while (at < window.length) {
    const record = readRecord(window, at, window.length, dialect, maxUnits);
    if (!record.isEnded) break;
    onRecord(record.start, record.next, record.end === record.start);
    at = record.next;
  }
  return at;
}

function nextLineEnd(
  read: ReadAt,
  from: number,
  units: number,
  { encoding, dialect }: RowScan,
  visit: ((at: number) => void) | undefined,
): number {
  for (let at = from; at < units; at += firstWindowBytes) {
    visit?.(at);
    const found = readUnits(read, at, Math.min(firstWindowBytes, units - at), encoding).indexOf(
      (dialect ?? lines).lineEnd,
    );
    if (found !== -1) return at + found + 1;
  }
  return units;
}

/** Units of a file as one byte each; non-ASCII units of UTF-16 become 0xFF, which has no structural meaning. */
export function readUnits(read: ReadAt, at: number, count: number, encoding: Encoding): Uint8Array {
  if (!encoding.startsWith('utf-16')) {
    const bytes = Buffer.alloc(count);
    readFully(read, bytes, at);
    return bytes;
  }
  const bytes = new Uint8Array(count * 2);
  readFully(read, bytes, at * 2);
  const low = encoding === 'utf-16le' ? 0 : 1;
  const units = Buffer.alloc(count);
  for (let index = 0; index < count; index += 1) {
    const unit = bytes[index * 2 + low] ?? 0;
    units[index] = bytes[index * 2 + 1 - low] === 0 && unit < 0x80 ? unit : 0xff;
  }
  return units;
}
