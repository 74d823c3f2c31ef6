import { rmSync } from 'node:fs';
import type { DuckDBConnection } from '@duckdb/node-api';
import { parseExactly } from '../../kernel/exact-json.ts';
import { literal } from '../parquet/text-patterns.ts';
import { createSchemaCollector } from '../row-schema.ts';
import { buildPlainIndex } from './plain-build.ts';
import { indexFormat } from './index-format.ts';
import { openBuildShare } from './build-share.ts';
import { openLines } from './index-lines.ts';
import { storedTypeOf, viewColumnOf } from './mixed-columns.ts';
import { withBigInts } from './number-kinds.ts';
import { createCellKind, type CellKind } from './cell-kinds.ts';
import { walkRows, type OpenedRow } from './row-walk.ts';
import type { ViewColumn, ViewFacts } from './view-protocol.ts';
import { layoutOf, withSource, type TextSource } from './view-reading.ts';

/** Further columns are shown and not indexed: rows with so many names are dictionaries. */
const maxColumns = 1_000;

/** Reads the table and writes its index, a Parquet file; see ViewFacts. */
export async function buildIndex(
  connection: DuckDBConnection,
  source: TextSource,
  indexPath: string,
): Promise<ViewFacts> {
  return (await buildPlainIndex(connection, source, indexPath)) ?? buildFromLines(connection, source, indexPath);
}

/** By lines that our own reader writes: any table. */
async function buildFromLines(connection: DuckDBConnection, source: TextSource, indexPath: string): Promise<ViewFacts> {
  const linesPath = `${indexPath}.lines`;
  const share = openBuildShare(indexPath, source.sizeBytes);
  try {
    const found = await withSource(source, (read) => {
      const layout = layoutOf(read, source);
      const lines = openLines(linesPath);
      try {
        const columns =
          layout.delimited === undefined ? createJsonColumns() : createCellColumns(layout.delimited.names);
        let rows = 0;
        let unreadable = 0;
        for (const { start, lengthBytes, line, open } of walkRows(read, source.sizeBytes, layout)) {
          const opened = open();
          share.readTo(start);
          rows += 1;
          const place = `"s":${start},"n":${lengthBytes},"l":${line}`;
          if (opened.problem === undefined) lines.add(`{${columns.write(opened)}${place}}\n`);
          else {
            unreadable += 1;
            lines.add(`{${place},"p":${JSON.stringify(opened.problem.toWellFormed())}}\n`);
          }
        }
        return { layout, rows, unreadable, longest: lines.longest(), ...columns.found() };
      } finally {
        lines.close();
      }
    });
    const { layout, rows, unreadable, longest, columns, omitted, isText } = found;
    const format = indexFormat(source.sizeBytes, rows);
    await writeIndex(connection, { linesPath, indexPath, columns, longest, isText, format });
    return { columns, rows, unreadable, omittedColumns: omitted, layout };
  } finally {
    share.end();
    rmSync(linesPath, { force: true });
  }
}

/** Turns rows into the members `c0`, `c1` … of lines, and finds the types of the columns on the way. */
type Columns = {
  write(opened: OpenedRow & { problem: undefined }): string;
  found(): { columns: ViewColumn[]; omitted: number; isText: boolean };
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

/** Digits that a double may lose, and powers that it does not reach. */
const mayLose = /\d{16}|[eE]\+?\d{3}/;

function createJsonColumns(): Columns {
  const places = createPlaces();
  const schema = createSchemaCollector();

  function membersOf(values: Readonly<Record<string, unknown>>): string {
    let line = '';
    for (const [name, value] of Object.entries(values)) {
      const place = places.of(name);
      if (place !== undefined) line += `"c${place}":${jsonOf(value)},`;
    }
    return line;
  }

  return {
    write(opened) {
      const values = mayLose.test(opened.text()) ? exactValues(opened) : opened.values;
      schema.add(values === opened.values ? values : (withBigInts(values) as typeof values));
      return membersOf(values);
    },
    found() {
      const kinds = new Map(schema.schema());
      const columns = places.names().map((name) => viewColumnOf(name, kinds.get(name) ?? { kind: 'null' }));
      return { columns, omitted: places.omitted(), isText: false };
    },
  };
}

/** The values with all digits of their numbers. */
function exactValues({ values, text }: OpenedRow & { problem: undefined }): Readonly<Record<string, unknown>> {
  try {
    return parseExactly(text()) as Record<string, unknown>;
  } catch {
    // Numbers as Python writes them (NaN) are no JSON.
    return values;
  }
}

/** JSON that every reader takes: without halves of characters, and NUL, which a column of text does not hold. */
function jsonOf(value: unknown): string {
  const json = JSON.stringify(value) ?? 'null';
  if (!json.includes('\\u')) return json;
  return (
    JSON.stringify(value, (_name, part: unknown) =>
      typeof part === 'string' ? part.toWellFormed().replaceAll('\0', '�') : part,
    ) ?? 'null'
  );
}

/** `names`: those of a header, which are columns even if no row follows. */
function createCellColumns(names: readonly string[] = []): Columns {
  const places = createPlaces();
  for (const name of names) places.of(name);
  const kinds: CellKind[] = [];
  return {
    write({ values }) {
      let line = '';
      for (const [name, cell] of Object.entries(values)) {
        const place = places.of(name);
        if (place === undefined) continue;
        (kinds[place] ??= createCellKind()).add(String(cell));
        line += `"c${place}":${jsonOf(cell)},`;
      }
      return line;
    },
    found: () => ({
      columns: places.names().map((name, place) => ({ name, type: kinds[place]?.type() ?? 'VARCHAR' })),
      omitted: places.omitted(),
      isText: true,
    }),
  };
}

async function writeIndex(
  connection: DuckDBConnection,
  found: {
    linesPath: string;
    indexPath: string;
    columns: ViewColumn[];
    longest: number;
    isText: boolean;
    format: string;
  },
): Promise<void> {
  const { linesPath, indexPath, columns, longest, isText, format } = found;
  const copy = async (types: readonly string[]): Promise<void> => {
    const read = columns.map((_, place) => `c${place}: ${literal(isText ? 'VARCHAR' : (types[place] ?? 'JSON'))}`);
    const chosen = columns.map((_, place) => {
      const type = types[place] ?? 'VARCHAR';
      if (type === 'JSON') return `c${place}::varchar as c${place}`;
      return isText && type !== 'VARCHAR' ? `cast(nullif(c${place}, '') as ${type}) as c${place}` : `c${place}`;
    });
    const rows = `read_json(${literal(linesPath)}, format = 'newline_delimited', maximum_object_size = ${Math.max(1 << 24, longest)},
      columns = {${[...read, "s: 'BIGINT'", "n: 'BIGINT'", "l: 'BIGINT'", "p: 'VARCHAR'"].join(', ')}})`;
    await connection.run(`copy (select ${[...chosen, 's as "start"', 'n as "length"', 'l as "line"', 'p as "problem"'].join(', ')}
      from ${rows}) to ${literal(indexPath)} ${format}`);
  };
  try {
    await copy(columns.map(storedTypeOf));
  } catch {
    // A value that its type does not hold: as text, every column holds all of its values.
    for (const column of columns) if (column.isMixed !== true) column.type = isText ? 'VARCHAR' : 'JSON';
    await copy(columns.map(storedTypeOf));
  }
}
