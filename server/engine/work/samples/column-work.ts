import { ReasonedError } from '../../../kernel/reasoned-error.ts';
import { inputProblems, type Reason } from '../../../kernel/sentences/index.ts';
import { findTexts, parseFieldPath, type FieldText } from '../../../tables/field-paths.ts';
import { endOfString } from '../../../tables/json-spans.ts';
import { replaceValues } from '../../../tables/json-values.ts';
import { parseNumbersOf, parseRow, parseRowExactly, type JsonObject, type ParsedRow } from '../../../tables/jsonl.ts';
import { readLines, type ReadAt } from '../../../tables/lines.ts';
import { textsByPattern, withoutNonFinite } from '../../../tables/parquet/index.ts';
import { createSchemaCollector, type RowSchema } from '../../../tables/row-schema.ts';
import { columnsIn, type WrittenColumns } from './column-changes.ts';
import type { ChainInput } from './chain.ts';
import { changesOf, rowSource, textColumnsOf } from './row-parts.ts';
import { outputsOf } from './row-sample.ts';
import { createRowFilter } from '../../orders/row-filter.ts';
import { fieldsOf, leadsToSeveralTexts } from '../../orders/row-texts.ts';
import type { RowOutput } from './row-output.ts';
import { createRowPicks } from './row-picks.ts';
import type { SampleSource } from '../../orders/sample-parts.ts';
import type { RawBytes, ShardContext } from './shard-context.ts';
import type { PieceRead, PlacedPiece, Recipe } from '../../orders/shard.ts';

const lineFeed = 0x0a;
const openBracket = 0x5b;
const blockBytes = 4 << 20;

const removedRow = Buffer.from('{"t":[]}\n');

/** For runs planned before steps could read columns other than text columns. */
const otherColumns = inputProblems.PARQUET_TEXT_ONLY.reason({});

function refuseColumns(): never {
  throw new ReasonedError(otherColumns);
}

const noColumns: SampleSource = { fields: refuseColumns, columns: refuseColumns, messages: refuseColumns };

/**
 * Processes the rows of columns that were extracted as JSON Lines `{"t":…}`. The output has one line per row with its
 * new texts; the file is rewritten from these when all its parts are done. A part without changes has no output. For a
 * chosen output format, whole rows were extracted, and the output is the kept ones.
 */
export function processColumn(context: ShardContext, piece: PlacedPiece, index: number, read: ReadAt): PieceRead {
  const { rowOutput } = context;
  const { recipe, limits } = context.job;
  const { path, sizeBytes, column } = piece;
  const outputStart = context.bytes.length;
  const isTextOnly = [...context.parts].every((part) => part === 'text');
  let isUntouched = true;
  const picks = createRowPicks(piece);
  let row = 0;
  let passed = 0;

  const reader = createRowReader(recipe, piece);
  const filter = createRowFilter(recipe);

  function remove(): void {
    if (rowOutput !== undefined) return;
    context.bytes.append(removedRow);
    isUntouched = false;
  }

  let isDeclared = false;

  function appendRows(output: RowOutput, rows: readonly Uint8Array[]): number {
    if (!isDeclared && rows.length > 0) output.declare(column?.rows?.kinds ?? []);
    isDeclared ||= rows.length > 0;
    for (const one of rows) output.append(one);
    return rows.length;
  }

  function bring(given: Uint8Array, tooLong: Reason | undefined): void {
    const nonFinite: string[] = [];
    const invalid = tooLong === undefined ? invalidTextIn(given) : undefined;
    const problem = tooLong ?? invalid?.problem;
    // Parquet can hold these numbers; a rewritten file keeps them.
    const isParquet = recipe.output?.format === 'PARQUET';
    const line =
      problem === undefined && column?.rows !== undefined && !isParquet
        ? withoutNonFinite(given, (name) => nonFinite.push(name))
        : given;
    let places: readonly FieldText[] = [];
    context.sample({
      piece: index,
      row,
      ...(filter === undefined
        ? {}
        : {
            skip: () => {
              // Conditions can't be checked on a row that can't be read: it fails.
              const reason = problem === undefined ? filter.whyNot(reader, line) : undefined;
              if (reason !== undefined) remove();
              return reason;
            },
          }),
      read: () => {
        const found = problem === undefined ? reader.read(line) : { problem };
        if ('problem' in found) return found;
        ({ places } = found);
        if (isTextOnly) return found;
        const { kinds, types } = column?.rows ?? {};
        const isWholeRow = kinds !== undefined || types !== undefined;
        const source = isWholeRow ? rowSource(() => reader.exactValues(line), textColumnsOf(places)) : noColumns;
        return { ...found, source };
      },
      raw: () => (invalid === undefined ? reader.raw(line) : setAside(invalid.row)),
      refuse: (judgement) => {
        if (judgement.written === undefined) return undefined;
        return reader.refuse(line, places, judgement);
      },
      write({ verdict, texts, written }) {
        const asItCame = verdict === 'KEPT' || (verdict === 'FAILED' && recipe.onError === 'KEEP');
        // Replacement texts must be valid UTF-8, which a lone surrogate is not.
        const newTexts = texts.map((text) => text.toWellFormed());
        if (rowOutput !== undefined) {
          const rows = asItCame ? [reader.source(line)] : reader.rows(line, places, { texts: newTexts, written });
          const count = problem === undefined || !asItCame ? appendRows(rowOutput, rows) : 0;
          for (let one = 0; one < count; one += 1) for (const name of nonFinite) rowOutput.countNonFinite(name);
          return count;
        }
        const outputs = asItCame ? null : reader.outputs(line, places, { texts: newTexts, written });
        if (!asItCame) isUntouched = false;
        context.bytes.append(Buffer.from(`${JSON.stringify({ t: outputs })}\n`));
        return outputs?.length ?? 1;
      },
    });
    row += 1;
  }

  function leaveOut(): void {
    remove();
    passed += 1;
    row += 1;
  }

  for (let from = 0; from < sizeBytes; from += blockBytes) {
    const to = Math.min(from + blockBytes, sizeBytes);
    const { bytes, tooLong } = readLines(read, { from, to, sizeBytes, maxLineBytes: limits.maxRowBytes });
    for (let at = 0; at < bytes.length;) {
      const found = bytes.indexOf(lineFeed, at);
      const line = bytes.subarray(at, found === -1 ? bytes.length : found);
      const isTooLong = tooLong?.start === at;
      if (picks !== undefined && !picks.takes((column?.from ?? 0) + row)) {
        leaveOut();
        at += line.length + 1;
        continue;
      }
      bring(
        line,
        isTooLong
          ? inputProblems.TEXT_TOO_LONG.reason({ bytes: tooLong.lengthBytes, limit: limits.maxRowBytes })
          : undefined,
      );
      at += line.length + 1;
    }
  }
  picks?.finish();
  if (rowOutput !== undefined) return { lineEnds: 0, passed, outputs: [] };
  const written = reader.written();
  const output = isUntouched
    ? { path, from: 'source' as const, start: 0, end: 0 }
    : {
        path,
        from: 'result' as const,
        start: outputStart,
        end: context.bytes.length,
        ...(written.length > 0 && { written }),
      };
  return { lineEnds: 0, passed, outputs: [output] };
}

type RowTextsAndParts = Parameters<typeof outputsOf>[0];

/** Reads the extracted rows of a piece. */
type RowReader = {
  read(line: Uint8Array): (ChainInput & { places: readonly FieldText[] }) | { problem: Reason };
  /** The columns that were extracted. */
  values(line: Uint8Array): JsonObject;
  /** The same; numbers that a double can't represent keep their digits. */
  exactValues(line: Uint8Array): JsonObject;
  /** The same, with NaN and infinities, as conditions compare them. */
  comparedValues(line: Uint8Array): JsonObject;
  hasCells: boolean;
  /** The replacements of a row: items with all its new texts, as in `RewriteRequest`. */
  outputs(line: Uint8Array, places: readonly FieldText[], result: RowTextsAndParts): unknown[];
  /** The columns besides texts that `outputs` wrote so far. */
  written(): RowSchema;
  /** The row with all its columns as JSON. */
  source(line: Uint8Array): Uint8Array;
  /** The replacements of a row in a chosen output format: whole rows as JSON. */
  rows(line: Uint8Array, places: readonly FieldText[], result: RowTextsAndParts): Uint8Array[];
  /** Why these rows can't be written. */
  refuse(line: Uint8Array, places: readonly FieldText[], result: RowTextsAndParts): Reason | undefined;
  /** A row of a columnar file has no bytes of its own: its extracted values are set aside as JSON. */
  raw(line: Uint8Array): RawBytes;
};

function createRowReader(recipe: Recipe, { path, column }: PlacedPiece): RowReader {
  const name = column?.name ?? '';
  const values = column?.rows;
  if (values === undefined) {
    return {
      read(line) {
        const { t } = JSON.parse(textOf(line)) as { t?: unknown };
        return typeof t === 'string'
          ? { text: t, places: [] }
          : { problem: inputProblems.FIELD_NULL.reason({ field: JSON.stringify(name) }) };
      },
      values: () => ({}),
      exactValues: () => ({}),
      comparedValues: () => ({}),
      hasCells: false,
      source: refuseColumns,
      rows: refuseColumns,
      refuse: refuseColumns,
      outputs: (_line, _places, { texts }) => [...texts],
      written: () => [],
      raw: (line) => setAside(textOf(line).replace(/^\{"t"/, () => `{${JSON.stringify(name)}`)),
    };
  }
  const fields = fieldsOf(recipe, path) ?? [name];
  const paths = fields.map(parseFieldPath);
  const isSeveral = leadsToSeveralTexts(fields);
  const collector = createSchemaCollector();
  const changesOfAll = (
    row: JsonObject,
    places: readonly FieldText[],
    result: RowTextsAndParts,
  ): ReturnType<typeof changesOf>[] => outputsOf(result, { isSeveral }).map((output) => changesOf(row, places, output));
  const rowIn = (parsed: ParsedRow): JsonObject => {
    if (!parsed.ok) throw new ReasonedError(parsed.reason);
    return parsed.row['t'] as JsonObject;
  };
  const rowOf = (line: Uint8Array): JsonObject => rowIn(parseRow(line));
  const exactRowOf = (line: Uint8Array): JsonObject => rowIn(parseRowExactly(line));
  return {
    read(line) {
      const places = findTexts(rowOf(line), paths);
      if ('problem' in places) return places;
      return isSeveral ? { texts: places, places } : { text: places[0]?.text ?? '', places };
    },
    values: rowOf,
    exactValues: exactRowOf,
    comparedValues: (line) => parseNumbersOf(textOf(line))['t'] as JsonObject,
    hasCells: false,
    source: sourceOf,
    rows: (line, places, result) =>
      changesOfAll(exactRowOf(line), places, result).map((changes) => {
        if ('problem' in changes) throw new ReasonedError(changes.problem);
        return changes.length === 0 ? sourceOf(line) : replaceValues(sourceOf(line), changes);
      }),
    refuse(line, places, result) {
      const { types, kinds } = values;
      if (types === undefined && kinds === undefined) return otherColumns;
      for (const changes of changesOfAll(exactRowOf(line), places, result)) {
        if ('problem' in changes) return changes.problem;
        const found = types === undefined ? undefined : columnsIn(changes, places, types);
        if (found !== undefined && 'problem' in found) return found.problem;
      }
      return undefined;
    },
    outputs(line, places, result) {
      const { patterns, types } = values;
      return outputsOf(result, { isSeveral }).map((output) => {
        const texts = textsByPattern(patterns, places, output.texts);
        if (output.written === undefined || types === undefined) return texts;
        const changes = changesOf(exactRowOf(line), places, output);
        const found = 'problem' in changes ? changes : columnsIn(changes, places, types);
        if ('problem' in found) throw new ReasonedError(found.problem);
        const { columns } = found;
        // Parsed again: a number with many digits is an object until it is written.
        collector.add(JSON.parse(JSON.stringify(columns)) as WrittenColumns);
        return { ...texts, c: columns, s: Object.keys(columns).filter((name) => Object.hasOwn(types, name)) };
      });
    },
    written: () => collector.schema(),
    raw: (line) => setAside(textOf(line).slice('{"t":'.length, -1)),
  };
}

/**
 * A row with a text that is not UTF-8 is extracted as `{"t":[COLUMN,ROW]}`, in which bytes of that text are written as
 * `\\xFF`.
 */
function invalidTextIn(line: Uint8Array): { problem: Reason; row: string } | undefined {
  const start = '{"t":['.length;
  if (line[start - 1] !== openBracket) return undefined;
  const end = endOfString(line, start);
  const text = Buffer.from(line.buffer, line.byteOffset, line.byteLength);
  const column = text.toString('utf8', start, end);
  return {
    problem: inputProblems.TEXT_NO_UTF8.reason({ column }),
    row: text.toString('utf8', end + 1, text.length - 2),
  };
}

/** The row within an extracted line. */
function sourceOf(line: Uint8Array): Uint8Array {
  return line.subarray('{"t":'.length, line.length - 1);
}

function setAside(text: string): RawBytes {
  const held = Buffer.from(text);
  return { held, start: 0, lengthBytes: held.length, shown: '' };
}

function textOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8');
}
