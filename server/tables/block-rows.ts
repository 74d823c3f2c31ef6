import { lineEndsOf } from './delimited.ts';
import { delimitedRows } from './delimited-rows.ts';
import { jsonRows } from './json-rows.ts';
import type { LineBlock } from './lines.ts';
import type { TableLayout } from './table-layout.ts';
import type { TableRows } from './table-rows.ts';
import { transcodedRows, type MarkLengths } from './transcoded-rows.ts';
import { transcodeLines, type TranscodedLines } from './transcoding.ts';

const utf8MarkBytes = 3;

/** Opens whole rows of a table read from its file; a row over `maxRowBytes` is unreadable. */
export function openRows(block: LineBlock, layout: TableLayout, maxRowBytes: number): TableRows {
  const { encoding, delimited } = layout;
  // In all encodings but UTF-16, a structural byte is never part of another character.
  if (delimited !== undefined && !encoding.startsWith('utf-16')) {
    return delimitedRows(block, layout, delimited, maxRowBytes);
  }
  const markBytes = block.start === 0 ? Math.min(layout.markBytes, block.bytes.length) : 0;
  if (encoding === 'utf-8') {
    const tooLong = longLineOf(block, { from: markBytes, to: markBytes }, (start) => start);
    return jsonRows({ ...block, tooLong }, layout, maxRowBytes);
  }
  const lines = transcodeLines(block.bytes, encoding, lineEndsOf(delimited));
  const mark = { from: markBytes, to: markBytes > 0 ? utf8MarkBytes : 0 };
  const transcoded: LineBlock = { ...block, bytes: lines.bytes, tooLong: longLineOf(block, mark, lines.targetOf) };
  const inUtf8 = { ...layout, encoding: 'utf-8' as const, markBytes: mark.to };
  const rows =
    delimited === undefined
      ? jsonRows(transcoded, inUtf8, maxRowBytes)
      : delimitedRows(transcoded, inUtf8, delimited, maxRowBytes);
  return transcodedRows(rows, lines, { block, mark, encoding });
}

/** The over-limit line as a position in UTF-8; the byte order mark before the first line is not part of it. */
function longLineOf(
  { tooLong }: LineBlock,
  mark: MarkLengths,
  targetOf: TranscodedLines['targetOf'],
): LineBlock['tooLong'] {
  if (tooLong === undefined) return undefined;
  if (tooLong.start > 0) return { ...tooLong, start: targetOf(tooLong.start) };
  return { start: mark.to, lengthBytes: tooLong.lengthBytes - mark.from };
}
