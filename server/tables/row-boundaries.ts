import { readRecord, type DelimitedTable, type DelimitedDialect } from './delimited.ts';
import type { Encoding } from './encodings.ts';
import { readFully, type ReadAt } from './lines.ts';
import type { TableLayout } from './table-layout.ts';

/** What must be known of a table to tell where its rows start. */
export type RowScan = {
  encoding: Encoding;
  /** Missing where each line is a row. */
  dialect?: DelimitedTable | undefined;
  sizeBytes: number;
  maxRowBytes: number;
};

/** Whether it takes a scan from the file's beginning to tell where rows start; otherwise each line end ends one. */
export function needsRowScan({ encoding, delimited }: TableLayout): boolean {
  return encoding.startsWith('utf-16') || delimited !== undefined;
}

const firstWindowBytes = 1 << 20;

/**
 * Starts of rows, one for each multiple of `stepBytes`: the first row that starts there or behind. Whether a line end ends a row
 * depends on all quotes before it, so the file is read from its beginning, once, in bounded memory. A record over `maxRowBytes` has a
 * boundary at its start and its end. `visit` hears how far the scan is and may throw to end it.
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
  // So that two neighbours over twice the limit apart are a row over the limit and nothing else: `readRows` relies on it.
  const step = Math.max(1, Math.min(maxUnits, Math.ceil(stepBytes / unitBytes)));
  let found: number[] = [];
  let last = 0;
  let next = step;
  const add = (at: number): void => {
    // Half a unit at the very end belongs to what is before it.
    if (at > last && at < units) found.push(at * unitBytes);
    last = Math.max(last, at);
  };
  // The header, and what stands before it, stays in the first part.
  let leading = scan.dialect === undefined ? 0 : scan.dialect.separatorLine ? 2 : 1;
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
  // All positions are in units: bytes, or pairs of them in UTF-16.
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
      // Over the limit a record ends at the next line end, within quotes or not.
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

/** A line of any table as a record of one cell. */
const lines: DelimitedDialect = { delimiter: -1, lineEnd: 0x0a, quoting: false };

/** End of the last record that ends within the window; 0 when none does. */
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

/** Units of a file as bytes; what is no ASCII in UTF-16 becomes 0xFF, which no structure is made of. */
function readUnits(read: ReadAt, at: number, count: number, encoding: Encoding): Uint8Array {
  if (!encoding.startsWith('utf-16')) {
    const bytes = new Uint8Array(count);
    readFully(read, bytes, at);
    return bytes;
  }
  const bytes = new Uint8Array(count * 2);
  readFully(read, bytes, at * 2);
  const low = encoding === 'utf-16le' ? 0 : 1;
  const units = new Uint8Array(count);
  for (let index = 0; index < count; index += 1) {
    const unit = bytes[index * 2 + low] ?? 0;
    units[index] = bytes[index * 2 + 1 - low] === 0 && unit < 0x80 ? unit : 0xff;
  }
  return units;
}
