import { inputProblems, type Reason } from '../kernel/sentences/index.ts';
import { encodeText } from './encoder.ts';
import type { Encoding } from '../encodings/encodings.ts';
import type { LineBlock } from './lines.ts';
import { notValid, refuseCharacters } from './row-refusals.ts';
import type { RowPart, TableRows } from './table-rows.ts';
import type { TranscodedLines } from './transcoding.ts';
import { textOf } from './utf8-text.ts';

/** Length of the byte order mark in the file, and of the same mark in UTF-8; 0 without one. */
export type MarkLengths = { from: number; to: number };

/** Rows that are read as UTF-8 and written in the file's encoding; lines that can't be decoded are unreadable rows. */
export function transcodedRows(
  rows: TableRows,
  lines: TranscodedLines,
  { block, mark, encoding }: { block: LineBlock; mark: MarkLengths; encoding: Encoding },
): TableRows {
  // The byte order mark is a separate part of the first line.
  const isDamaged = ({ start, next }: RowPart): boolean => holdsAny(lines.damaged, start === mark.to ? 0 : start, next);
  const placeIn = (at: number): number => (at === mark.to && at > 0 ? mark.from : lines.sourceOf(at));
  const written = (bytes: Uint8Array): Uint8Array => {
    const encoded = encodeText(textOf(bytes), encoding);
    if (encoded === undefined) throw new Error(`A row that was not refused can't be written in ${encoding}`);
    return encoded;
  };
  let current: RowPart | undefined;

  /** Never refuses in UTF-16, which can represent any text, in only one way. */
  function refuseEncoding(texts: readonly string[]): Reason | undefined {
    if (encoding.startsWith('utf-16') || current === undefined) return undefined;
    const { start, next } = current;
    const source = block.bytes.subarray(placeIn(start), placeIn(next));
    const again = encodeText(new TextDecoder(encoding).decode(source), encoding);
    if (again === undefined || Buffer.compare(again, source) !== 0) {
      return inputProblems.ENCODING_AMBIGUOUS.reason({ encoding: encoding.toUpperCase() });
    }
    return refuseCharacters(texts, encoding);
  }

  return {
    ...rows,
    source: (start, end) => block.bytes.subarray(placeIn(start), placeIn(end)),
    read(part) {
      if (isDamaged(part)) return { problem: notValid('line', encoding), isUnread: true };
      current = part;
      return rows.read(part);
    },
    open(part) {
      if (isDamaged(part)) return { problem: notValid('line', encoding), isUnread: true };
      current = part;
      return rows.open(part);
    },
    refuse: (texts) => rows.refuse?.(texts) ?? refuseEncoding(texts),
    splice: (part, text) => written(rows.splice(part, text)),
    refuseValues: (changes) => rows.refuseValues(changes) ?? refuseEncoding([JSON.stringify(changes)]),
    replace: (part, changes) => written(rows.replace(part, changes)),
    lineEnd: (part) => written(rows.lineEnd(part)),
    standsAlone: (part) => !isDamaged(part) && rows.standsAlone(part),
    placeOf(part) {
      const start = placeIn(part.start);
      const lineEndBytes = (part.next - part.end) * (encoding.startsWith('utf-16') ? 2 : 1);
      const { lengthBytes } = rows.placeOf(part);
      const length = rows.isHeld(part) ? lines.sourceOf(part.next) - lineEndBytes - start : lengthBytes;
      return { start: block.start + start, lengthBytes: length };
    },
  };
}

/** Whether one of the sorted positions is in `[start, next)`. */
function holdsAny(positions: readonly number[], start: number, next: number): boolean {
  let low = 0;
  let high = positions.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((positions[middle] ?? 0) < start) low = middle + 1;
    else high = middle;
  }
  return low < positions.length && (positions[low] ?? next) < next;
}
