import type { DuckDBConnection } from '@duckdb/node-api';
import { countRows, ParquetProblem, listNames } from '../parquet/parquet-footer.ts';
import { literal } from '../parquet/text-patterns.ts';
import type { ViewColumn, ViewFacts, ViewSource } from './view-protocol.ts';
import { ViewProblem } from './view-reading.ts';

/** Columns and row count from the footer of a Parquet file, which needs no index. */
export async function readFooter(connection: DuckDBConnection, { path }: ViewSource): Promise<ViewFacts> {
  const result = await connection.runAndReadAll(
    `select * from read_parquet(${literal(path)}, hive_partitioning = false) limit 0`,
  );
  const types = result.columnTypes();
  const given = await listNames(connection, path);
  const columns = result.columnNames().map((name, index): ViewColumn => {
    const own = given[index];
    // The library renames duplicate column names.
    return { name, type: String(types[index]), ...(own === undefined || own === name ? {} : { given: own }) };
  });
  try {
    return { columns, rows: await countRows(connection, path), unreadable: 0, omittedColumns: 0, layout: null };
  } catch (error) {
    throw error instanceof ParquetProblem ? new ViewProblem(error.reason) : error;
  }
}
