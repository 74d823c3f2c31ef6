import { rmSync, statSync } from 'node:fs';
import type { DuckDBConnection } from '@duckdb/node-api';
import { parseExactly } from '../../kernel/exact-json.ts';
import { identifier, literal } from '../parquet/text-patterns.ts';
import { createSchemaCollector } from '../row-schema.ts';
import { indexFormat } from './index-format.ts';
import { openBuildShare, type BuildShare } from './build-share.ts';
import { openLines } from './index-lines.ts';
import { storedTypeOf, viewColumnOf } from './mixed-columns.ts';
import { largestIn, withBigInts } from './number-kinds.ts';
import { walkRows } from './row-walk.ts';
import type { ViewColumn, ViewFacts } from './view-protocol.ts';
import { layoutOf, withSource, type TextSource } from './view-reading.ts';

/** Rows with more names than these are told by the other way. */
const maxColumns = 1_000;
/** NUL, which a column of text does not hold, and halves of characters. */
const escapes = /\\u(?:0000|d[89a-f])/i;

/**
 * The index of a file of its own with JSON Lines in UTF-8 of which every line is read: our reader tells places and types, and the library reads
 * the values from the file itself, row by row beside the places. That takes a third of the time of writing them anew. Undefined for every other
 * table, and where the library reads something else than we do.
 */
export async function buildPlainIndex(
  connection: DuckDBConnection,
  source: TextSource,
  indexPath: string,
): Promise<ViewFacts | undefined> {
  if (source.format !== 'jsonl' || source.offset !== 0 || statSync(source.path).size !== source.sizeBytes)
    return undefined;
  const placesPath = `${indexPath}.places`;
  const share = openBuildShare(indexPath, source.sizeBytes);
  try {
    const found = await readPlaces(source, placesPath, share);
    if (found === undefined) return undefined;
    const { facts, longest } = found;
    return (await copyBeside(connection, { source, placesPath, indexPath, facts, longest })) ? facts : undefined;
  } finally {
    share.end();
    rmSync(placesPath, { force: true });
  }
}

async function readPlaces(
  source: TextSource,
  placesPath: string,
  share: BuildShare,
): Promise<{ facts: ViewFacts; longest: number } | undefined> {
  return withSource(source, (read) => {
    const layout = layoutOf(read, source);
    if (layout.isArray === true || layout.encoding !== 'utf-8' || layout.markBytes > 0) return undefined;
    const schema = createSchemaCollector();
    const lines = openLines(placesPath);
    const unsafe = new Set<string>();
    let rows = 0;
    let longest = 0;
    try {
      for (const { start, lengthBytes, line, open } of walkRows(read, source.sizeBytes, layout)) {
        const opened = open();
        if (opened.problem !== undefined || escapes.test(opened.text())) return undefined;
        const { values } = opened;
        let most = 0;
        for (const [name, value] of Object.entries(values)) {
          const largest = largestIn(value);
          if (largest > Number.MAX_SAFE_INTEGER) unsafe.add(name);
          most = Math.max(most, largest);
        }
        // Numbers that are too large for a DOUBLE: we write their digits, the library infinity.
        if (most === Infinity) return undefined;
        schema.add(most < 2 ** 63 ? values : (withBigInts(parseExactly(opened.text())) as typeof values));
        share.readTo(start);
        rows += 1;
        longest = Math.max(longest, lengthBytes);
        lines.add(`${start},${lengthBytes},${line}\n`);
      }
    } finally {
      lines.close();
    }
    const columns = schema.schema().map(([name, kind]) => viewColumnOf(name, kind));
    // Beside fractions, the digits of each row say whether a column is one of numbers.
    const isUnsure = columns.some(({ name, type }) => unsafe.has(name) && type.includes('DOUBLE'));
    if (rows === 0 || isUnsure || !areTold(columns)) return undefined;
    return { facts: { columns, rows, unreadable: 0, omittedColumns: 0, layout }, longest };
  });
}

/** The library tells names without regard to case; values of several kinds are written in our way, which all indexes share. */
function areTold(columns: readonly ViewColumn[]): boolean {
  const names = new Set(columns.map(({ name }) => name.toLowerCase()));
  return (
    columns.length > 0 &&
    columns.length <= maxColumns &&
    names.size === columns.length &&
    !names.has('') &&
    !columns.some((column) => column.name.includes('\0') || /\bJSON\b/.test(storedTypeOf(column)))
  );
}

/** Whether the library reads as many rows as there are places. */
async function copyBeside(
  connection: DuckDBConnection,
  found: { source: TextSource; placesPath: string; indexPath: string; facts: ViewFacts; longest: number },
): Promise<boolean> {
  const { source, placesPath, indexPath, facts, longest } = found;
  const types = facts.columns
    .map((column) => `${identifier(column.name)}: ${literal(storedTypeOf(column))}`)
    .join(', ');
  const chosen = facts.columns.map(({ name }, place) => `a.${identifier(name)} as c${place}`).join(', ');
  const values = `read_json(${literal(source.path)}, format = 'newline_delimited', maximum_object_size = ${Math.max(1 << 24, longest + 1)},
    columns = {${types}})`;
  const places = `read_csv(${literal(placesPath)}, header = false, auto_detect = false, columns = {s: 'BIGINT', n: 'BIGINT', l: 'BIGINT'})`;
  try {
    await connection.run(`copy (select ${chosen}, b.s as "start", b.n as "length", b.l as "line", null::varchar as "problem"
      from ${values} a positional join ${places} b) to ${literal(indexPath)} ${indexFormat(source.sizeBytes, facts.rows)}`);
    const counted = await connection.runAndReadAll(
      `select count(*), count("start") from read_parquet(${literal(indexPath)}, hive_partitioning = false)`,
    );
    const [all, placed] = counted.getRows()[0] ?? [];
    return Number(all) === facts.rows && Number(placed) === facts.rows;
  } catch {
    // What our reader takes and the library does not: NaN, an object that names a column twice.
    return false;
  }
}
