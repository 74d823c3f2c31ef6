import { rmSync } from 'node:fs';
import type { DuckDBConnection } from '@duckdb/node-api';
import { mayLoseNumbers, parseNumbersOf } from '../jsonl.ts';
import { literal } from '../parquet/text-patterns.ts';
import { createSchemaCollector, type ValueKind } from '../row-schema.ts';
import type { TableLayout } from '../table-layout.ts';
import { storedProblem } from './row-problems.ts';
import { buildPlainIndex } from './plain-build.ts';
import { indexFormat } from './index-format.ts';
import { openBuildShare } from './build-share.ts';
import { exactPartsOf, storedTypeOf, viewColumnOf } from './index-columns.ts';
import { openLines } from '../index-lines.ts';
import { exactIndexValueOf, indexValueOf, type IndexValue } from './index-values.ts';
import { withBigInts } from './number-kinds.ts';
import { createCellKind, type CellKind } from './cell-kinds.ts';
import { walkRows, type OpenedRow } from './row-walk.ts';
import type { ViewColumn, ViewFacts } from './view-protocol.ts';
import { cellColumnOf, layoutOf, withSource, type TextSource } from './view-reading.ts';

/** Further columns are shown but not indexed: rows with so many names are dictionaries. */
const maxColumns = 1_000;

/** Share of the build time spent on reading; the rest is for writing the index. */
const readingShare = 0.8;

/** Reads the table and writes its index, a Parquet file; see ViewFacts. */
export async function buildIndex(
  connection: DuckDBConnection,
  source: TextSource,
  indexPath: string,
): Promise<ViewFacts> {
  return (await buildPlainIndex(connection, source, indexPath)) ?? buildFromLines(connection, source, indexPath);
}

/** Builds the index of any table from lines that our own reader writes. */
async function buildFromLines(connection: DuckDBConnection, source: TextSource, indexPath: string): Promise<ViewFacts> {
  const linesPath = `${indexPath}.lines`;
  const share = openBuildShare(indexPath);
  try {
    const found = await withSource(source, (read) => {
      const layout = layoutOf(read, source);
      const lines = openLines(linesPath);
      try {
        const columns = layout.delimited === undefined ? createJsonColumns() : createCellColumns(layout);
        let rows = 0;
        let unreadable = 0;
        for (const { start, lengthBytes, line, open } of walkRows(read, source.sizeBytes, layout)) {
          const opened = open();
          share.reach((readingShare * start) / source.sizeBytes);
          rows += 1;
          const place = `"s":${start},"n":${lengthBytes},"l":${line}`;
          if (opened.problem === undefined) lines.add(`{${columns.write(opened)}${place}}\n`);
          else {
            unreadable += 1;
            lines.add(`{${place},"p":${JSON.stringify(storedProblem(opened.problem))}}\n`);
          }
        }
        return { layout, rows, unreadable, longest: lines.longest(), ...columns.found() };
      } finally {
        lines.close();
      }
    });
    const { layout, rows, unreadable, longest, columns, omitted, isText, withDigits } = found;
    const format = indexFormat(source.sizeBytes, rows);
    await writeIndex(connection, { linesPath, indexPath, columns, withDigits, longest, isText, format });
    return { columns, rows, unreadable, omittedColumns: omitted, layout };
  } finally {
    share.end();
    rmSync(linesPath, { force: true });
  }
}

/**
 * Converts rows to lines with members `c0`, `c1` … and finds the column types. What a member loses is kept beside it:
 * `d0` has all digits, `h0` also lone surrogates. An empty cell has no member.
 */
type Columns = {
  write(opened: OpenedRow & { problem: undefined }): string;
  /** `withDigits`: positions of the columns that have `d` members. */
  found(): { columns: ViewColumn[]; withDigits: ReadonlySet<number>; omitted: number; isText: boolean };
};

type Places = { of(name: string): number | undefined; names(): string[]; omitted(): number };

function createPlaces(): Places {
  const places = new Map<string, number>();
  const omitted = new Set<string>();
  return {
    of(name) {
      const known = places.get(name);
      if (known !== undefined) return known;
      if (places.size === maxColumns) {
        if (omitted.size < 1_000_000) omitted.add(name);
        return undefined;
      }
      places.set(name, places.size);
      return places.size - 1;
    },
    names: () => [...places.keys()],
    omitted: () => omitted.size,
  };
}

function createJsonColumns(): Columns {
  const places = createPlaces();
  const schema = createSchemaCollector();
  const [withDigits, withHalves] = [new Set<number>(), new Set<number>()];

  function membersOf(values: Readonly<Record<string, unknown>>, write: (value: unknown) => IndexValue): string {
    let line = '';
    for (const [name, value] of Object.entries(values)) {
      const place = places.of(name);
      if (place === undefined) continue;
      const { json, digits, halves } = write(value);
      line += `"c${place}":${json},`;
      if (digits !== undefined) {
        withDigits.add(place);
        line += `"d${place}":${JSON.stringify(digits)},`;
      }
      if (halves !== undefined) {
        withHalves.add(place);
        line += `"h${place}":${JSON.stringify(halves)},`;
      }
    }
    return line;
  }

  function columnOf(name: string, place: number, kind: ValueKind): ViewColumn {
    const column = viewColumnOf(name, kind);
    // Mixed columns are shown as texts, which keep all digits anyway.
    if (withDigits.has(place) && column.isMixed !== true) column.hasDigits = true;
    if (withHalves.has(place)) column.hasHalves = true;
    return column;
  }

  return {
    write(opened) {
      const text = opened.text();
      if (!mayLoseNumbers(text)) {
        schema.add(opened.values);
        return membersOf(opened.values, indexValueOf);
      }
      const values = parseNumbersOf(text);
      schema.add(withBigInts(values) as typeof values);
      return membersOf(values, exactIndexValueOf);
    },
    found() {
      const kinds = new Map(schema.schema());
      const columns = places.names().map((name, place) => columnOf(name, place, kinds.get(name) ?? { kind: 'null' }));
      return { columns, withDigits, omitted: places.omitted(), isText: false };
    },
  };
}

/** The names of a header are columns even if no row follows. */
function createCellColumns(layout: TableLayout): Columns {
  const places = createPlaces();
  for (const name of layout.delimited?.names ?? []) places.of(name);
  const kinds: CellKind[] = [];
  const withDigits = new Set<number>();

  function columnOf(name: string, place: number): ViewColumn {
    const kind = kinds[place];
    const column: ViewColumn = { name, type: kind?.type() ?? 'VARCHAR' };
    if (withDigits.has(place) && column.type === 'DOUBLE') column.hasDigits = true;
    if (kind?.hasTexts() === true) column.hasTexts = true;
    return cellColumnOf(layout, place, column);
  }

  return {
    write({ values }) {
      let line = '';
      for (const [name, value] of Object.entries(values)) {
        const place = places.of(name);
        if (place === undefined) continue;
        const cell = String(value);
        // Leaves out empty cells.
        if (cell === '') continue;
        const digits = (kinds[place] ??= createCellKind()).add(cell);
        line += `"c${place}":${JSON.stringify(cell)},`;
        if (digits === undefined) continue;
        withDigits.add(place);
        line += `"d${place}":"${digits}",`;
      }
      return line;
    },
    found: () => ({ columns: places.names().map(columnOf), withDigits, omitted: places.omitted(), isText: true }),
  };
}

async function writeIndex(
  connection: DuckDBConnection,
  found: {
    linesPath: string;
    indexPath: string;
    columns: ViewColumn[];
    withDigits: ReadonlySet<number>;
    longest: number;
    isText: boolean;
    format: string;
  },
): Promise<void> {
  const { linesPath, indexPath, columns, withDigits, longest, isText, format } = found;
  const copy = async (types: readonly string[]): Promise<void> => {
    const read = columns.flatMap((column, place) => {
      const parts = [...exactPartsOf(column, place), ...(withDigits.has(place) ? [`d${place}`] : [])];
      const type = isText ? 'VARCHAR' : (types[place] ?? 'JSON');
      return [`c${place}: ${literal(type)}`, ...[...new Set(parts)].map((part) => `${part}: 'VARCHAR'`)];
    });
    const chosen = columns.flatMap((column, place) => {
      const type = types[place] ?? 'VARCHAR';
      const plain = `c${place}${type === 'JSON' ? '::varchar' : ''}`;
      const value =
        type === 'JSON' && withDigits.has(place)
          ? `coalesce(d${place}, ${plain})`
          : isText && type !== 'VARCHAR'
            ? `cast(${plain} as ${type})`
            : plain;
      const written = column.hasTexts === true ? [`${writtenOtherwise(plain, type)} as t${place}`] : [];
      return [`${value} as c${place}`, ...exactPartsOf(column, place), ...written];
    });
    const rows = `read_json(${literal(linesPath)}, format = 'newline_delimited', maximum_object_size = ${Math.max(1 << 24, longest)},
      columns = {${[...read, "s: 'BIGINT'", "n: 'BIGINT'", "l: 'BIGINT'", "p: 'VARCHAR'"].join(', ')}})`;
    await connection.run(`copy (select ${[...chosen, 's as "start"', 'n as "length"', 'l as "line"', 'p as "problem"'].join(', ')}
      from ${rows}) to ${literal(indexPath)} ${format}`);
  };
  try {
    await copy(columns.map(storedTypeOf));
  } catch {
    // The library rejected a value for its column's type: as text, every column holds all of its values.
    for (const column of columns) {
      if (column.isMixed !== true) column.type = isText ? 'VARCHAR' : 'JSON';
      if (!isText) continue;
      delete column.hasDigits;
      delete column.hasTexts;
    }
    await copy(columns.map(storedTypeOf));
  }
}

/** The text of a cell if the library would write its value differently, else null. */
function writtenOtherwise(cell: string, type: string): string {
  return `case when ${cell} <> cast(cast(${cell} as ${type}) as varchar) then ${cell} end`;
}
