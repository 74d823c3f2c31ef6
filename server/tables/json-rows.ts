import { ReasonedError } from '../kernel/reasoned-error.ts';
import { inputProblems } from '../kernel/sentences/index.ts';
import { describeNoText, showPath } from './field-paths.ts';
import { replaceValues } from './json-values.ts';
import {
  openSplice,
  parseNumbersOf,
  parseRow,
  parseRowExactly,
  partsOf,
  type JsonlPart,
  type JsonObject,
} from './jsonl.ts';
import type { LineBlock } from './lines.ts';
import { refuseOverlap } from './row-refusals.ts';
import type { TableLayout } from './table-layout.ts';
import type { RowPart, RowProblem, TableRows } from './table-rows.ts';
import { textOf } from './utf8-text.ts';

/** Rows of JSON Lines or of a JSON array, in UTF-8. */
export function jsonRows(block: LineBlock, { field, isArray }: TableLayout, maxRowBytes: number): TableRows {
  const what = isArray === true ? 'element' : 'line';
  const { bytes, tooLong } = block;
  let current: JsonObject = {};
  let opened: RowPart | undefined;
  const lengthOf = (part: JsonlPart): number =>
    tooLong !== undefined && part.start === tooLong.start ? tooLong.lengthBytes : part.next - part.start;
  function open(part: RowPart): RowProblem | undefined {
    const lengthBytes = lengthOf(part);
    if (lengthBytes > maxRowBytes) {
      const problem = what === 'line' ? inputProblems.LINE_TOO_LONG : inputProblems.ELEMENT_TOO_LONG;
      return { problem: problem.reason({ bytes: lengthBytes, limit: maxRowBytes }), isUnread: true };
    }
    if (opened === part) return undefined;
    const parsed = parseRow(bytes.subarray(part.start, part.end), what);
    if (!parsed.ok) return { problem: parsed.reason, isUnread: true };
    current = parsed.row;
    opened = part;
    return undefined;
  }

  let exact: { part: RowPart; row: JsonObject } | undefined;
  function exactRow(part: RowPart): JsonObject {
    if (exact?.part === part) return exact.row;
    const parsed = parseRowExactly(bytes.subarray(part.start, part.end));
    if (!parsed.ok) throw new ReasonedError(parsed.reason);
    exact = { part, row: parsed.row };
    return parsed.row;
  }

  let spliced: { part: RowPart; write: ReturnType<typeof openSplice> } | undefined;
  const isHeld = ({ start }: RowPart): boolean => start !== tooLong?.start;
  return {
    length: bytes.length,
    source: (start, end) => bytes.subarray(start, end),
    show: ({ start, end }) => textOf(bytes.subarray(start, end)),
    parts: () => (tooLong === undefined ? partsOf(bytes, block.start === 0) : partsWithLong(block)),
    open,
    read(part) {
      const unread = open(part);
      if (unread !== undefined) return unread;
      const text = Object.hasOwn(current, field) ? current[field] : undefined;
      if (typeof text === 'string') return { text };
      if (text === undefined) {
        const problem = inputProblems.FIELD_MISSING.reason({ field: JSON.stringify(field) });
        return { problem, isUnread: false };
      }
      return { problem: describeNoText(field, text, showPath([field])), isUnread: false };
    },
    splice(part, text) {
      if (spliced?.part !== part) spliced = { part, write: openSplice(bytes.subarray(part.start, part.end), field) };
      return spliced.write(text);
    },
    lineEnd: ({ end, next }) => bytes.subarray(end, next),
    values: () => current,
    exactValues: exactRow,
    comparedValues: ({ start, end }) => parseNumbersOf(textOf(bytes.subarray(start, end))),
    hasCells: false,
    refuseValues: (changes) => refuseOverlap(changes),
    replace: (part, changes) => replaceValues(bytes.subarray(part.start, part.end), changes),
    placeOf: (part) => ({
      start: block.start + part.start,
      lengthBytes: isHeld(part) ? part.end - part.start : lengthOf(part),
    }),
    isHeld,
    lineEnds: (part) => (part.next > part.end || !isHeld(part) ? 1 : 0),
    endsFile: (part) => part.next === bytes.length && part.next === part.end,
    standsAlone: () => true,
  };
}

/** A line over the limit is a row, no matter how much of it is in memory. */
function* partsWithLong({ bytes, start, tooLong }: LineBlock): Generator<RowPart> {
  for (const part of partsOf(bytes, start === 0)) {
    yield part.start === tooLong?.start && part.next > part.start ? { ...part, kind: 'row' } : part;
  }
}
