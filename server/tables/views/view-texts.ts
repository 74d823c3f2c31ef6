import { openConnection } from './view-connection.ts';
import type { IndexedTable, ViewLimits } from './view-protocol.ts';
import { askedColumns, relationOf } from './view-relation.ts';

/** How many readable rows of a table have a text in a column, none, and one that an earlier row has. */
export type TextCounts = { texts: number; empty: number; repeated: number };

/** Calls `take` with the texts of a column, in pieces of the table that memory holds. */
export async function readTexts(
  { table, column: name, limits }: { table: IndexedTable; column: string; limits: ViewLimits },
  take: (text: string) => void,
): Promise<TextCounts> {
  const column = askedColumns(table).find((one) => one.name === name);
  if (column === undefined) throw new TypeError(`The table has no column ${name}`);
  const readable = table.facts.layout === null ? 'true' : '"problem" is null';
  const rows = `${relationOf(table.indexPath)} where ${readable}`;
  const filled = `${column.sql} is not null and ${column.sql} <> ''`;
  return openConnection({ sources: [{ path: table.indexPath }], ...limits }, async (connection) => {
    // By 128 bits of each text: what is grouped has a bounded size.
    const counted = await connection.runAndReadAll(
      `select count(*), count(*) filter (${filled}), count(distinct md5_number(${column.sql})) filter (${filled}) from ${rows}`,
    );
    const [all = 0, texts = 0, distinct = 0] = (counted.getRows()[0] ?? []).map(Number);
    const streamed = await connection.stream(`select ${column.sql} from ${rows} and ${filled}`);
    for (
      let chunk = await streamed.fetchChunk();
      chunk !== null && chunk.rowCount > 0;
      chunk = await streamed.fetchChunk()
    )
      for (const text of chunk.getColumnValues(0)) take(String(text));
    return { texts, empty: all - texts, repeated: texts - distinct };
  });
}
