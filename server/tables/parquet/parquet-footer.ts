import type { DuckDBConnection } from '@duckdb/node-api';
import { ReasonedError } from '../../kernel/reasoned-error.ts';
import { inputProblems } from '../../kernel/sentences/index.ts';
import { literal } from './text-patterns.ts';

/** The file is invalid. */
export class ParquetProblem extends ReasonedError {
  override readonly name = 'ParquetProblem';
}

/**
 * Sums the rows of the row groups of a Parquet file: some writers leave the total in the footer empty. Throws
 * ParquetProblem for a group with a negative row count, on which the library fails, or which it reads as empty.
 */
export async function countRows(connection: DuckDBConnection, path: string): Promise<number> {
  const groups = `select any_value(row_group_num_rows) as rows from parquet_metadata(${literal(path)}) group by row_group_id`;
  const counted = await connection.runAndReadAll(`select sum(rows)::bigint, min(rows) from (${groups})`);
  const [rows, least] = counted.getRows()[0] ?? [];
  if (Number(least ?? 0) < 0)
    throw new ParquetProblem(inputProblems.PARQUET_FEWER_THAN_NONE.reason({ rows: String(least) }));
  return Number(rows ?? 0);
}

/** Names of the columns as written in the file: the children of the schema's root. */
export async function listNames(connection: DuckDBConnection, path: string): Promise<string[]> {
  const schema = await connection.runAndReadAll(`select name, num_children from parquet_schema(${literal(path)})`);
  const rows = schema.getRows();
  const names: string[] = [];
  const skip = (index: number): number => {
    let next = index + 1;
    for (let child = 0; child < Number(rows[index]?.[1] ?? 0); child += 1) next = skip(next);
    return next;
  };
  for (let index = 1; index < rows.length; index = skip(index)) names.push(String(rows[index]?.[0]));
  return names;
}
