import { queryProblems } from './sentences.ts';
import { type Reason, foreign } from '../../kernel/sentences/index.ts';
import { placeAt, QueryProblem } from './query-problem.ts';
import type { TableReference } from './query-protocol.ts';

/** The result of DuckDB's `json_serialize_sql`. */
export type SerializedSql =
  | { error: true; error_type: string; error_message: string; position?: string }
  | { error: false; statements: readonly { node: unknown }[] };

export type Statement = {
  references: TableReference[];
  /** DESCRIBE and SUMMARIZE can't be the query of a view directly. */
  isDescription: boolean;
};

/**
 * Allowed table functions: those that only generate rows from their arguments. All others are refused, whatever they
 * read.
 */
const tableFunctions = new Set([
  'generate_series',
  'json_each',
  'json_tree',
  'range',
  'repeat',
  'repeat_row',
  'unnest',
]);

/**
 * Functions that reveal process state, write the log, wait, or take bytes as the library's internal state. Scalar
 * functions read no files, and the configuration blocks file access anyway.
 */
const refusedFunctions =
  /^(?:__internal.*|current_setting|getenv|getvariable|currval|nextval|json_(?:de)?serialize_.*|json_execute_.*|write_log|parse_duckdb_log_message|sleep_ms|pg_(?!size_pretty$|typeof$).*|finalize|combine|variant_.*|create_sort_key|in_search_path|current_(?:connection|query|transaction)_id|current_query|current_schemas|txid_current|obj_description|shobj_description|col_description|has_.*_privilege|inet_.*|st_.*|add_parquet_key|query|query_table|read_.*|parquet_.*|glob|arrow_scan.*|seq_scan|sniff_csv|getfield|stats|set_config|setseed)$/i;

/** System views of the library, which can be named without a schema. */
const systemTables = /^(?:duckdb_|pg_|sqlite_|pragma_|information_schema)/i;

/** Schema in which the dataset's tables are named by their paths. */
export const filesSchema = 'files';

/**
 * Checks that a text is a single read-only statement that names only tables of the dataset. It checks the library's own
 * parse tree, so quotes, comments and white space hide nothing. Throws QueryProblem.
 */
export function checkStatement(sql: string, serialized: SerializedSql): Statement {
  if (serialized.error) throw problemOf(sql, serialized);
  const { statements } = serialized;
  const [statement] = statements;
  if (statement === undefined) throw new QueryProblem(queryProblems.QUERY_EMPTY.reason({}));
  if (statements.length > 1) throw new QueryProblem(queryProblems.QUERY_MANY.reason({ count: statements.length }));
  const found: TableReference[] = [];
  const named = new Set<string>();
  for (const node of nodesOf(statement)) {
    for (const { key } of commonTablesOf(node)) named.add(key.toLowerCase());
    checkNode(sql, node, found);
  }
  const references = found.filter(({ schema, name, place }) => {
    if (schema !== '') return true;
    if (!named.has(name.toLowerCase())) return true;
    // Outside the WITH's scope, the name would refer to the library's system view.
    if (systemTables.test(name)) throw new QueryProblem(queryProblems.QUERY_WITH_NAME.reason({ name }), place);
    return false;
  });
  references.sort((left, right) => orderOf(left) - orderOf(right));
  return { references, isDescription: isDescription(statement.node) };
}

/** The tree is not traversed in text order. */
function orderOf({ place }: TableReference): number {
  return place === undefined ? 0 : place.line * 100_000 + place.column;
}

type Node = Readonly<Record<string, unknown>>;

/** All objects of a tree; iterative, since the tree may be deep. */
function* nodesOf(root: unknown): Generator<Node> {
  const open: unknown[] = [root];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node !== 'object' || node === null) continue;
    if (Array.isArray(node)) {
      for (const item of node) open.push(item);
      continue;
    }
    yield node as Node;
    for (const value of Object.values(node)) open.push(value);
  }
}

function commonTablesOf({ cte_map: tables }: Node): { key: string }[] {
  return (tables as { map?: { key: string }[] } | undefined)?.map ?? [];
}

function checkNode(sql: string, node: Node, found: TableReference[]): void {
  const place = placeOf(sql, node);
  if (node['class'] === 'FUNCTION') {
    const name = textOf(node['function_name']);
    // The parser itself puts the functions of operators and other syntax into `main`.
    if (textOf(node['catalog']) !== '' || !['', 'main'].includes(textOf(node['schema'])))
      throw new QueryProblem(queryProblems.QUERY_FUNCTION_SCHEMA.reason({ name }), place);
    if (refusedFunctions.test(name))
      throw new QueryProblem(queryProblems.QUERY_FUNCTION_REFUSED.reason({ name }), place);
    return;
  }
  if (node['class'] === 'PARAMETER') throw new QueryProblem(queryProblems.QUERY_PARAMETER.reason({}), place);
  switch (node['type']) {
    case 'BASE_TABLE': {
      const reference = { schema: textOf(node['schema_name']), name: textOf(node['table_name']), place };
      if (textOf(node['catalog_name']) !== '')
        throw new QueryProblem(queryProblems.QUERY_NO_TABLE.reason({ table: reference.name }), place);
      found.push(reference);
      return;
    }
    case 'TABLE_FUNCTION': {
      const name = textOf((node['function'] as Node | undefined)?.['function_name']);
      if (!tableFunctions.has(name.toLowerCase()))
        throw new QueryProblem(queryProblems.QUERY_TABLE_FUNCTION.reason({ name }), place);
      return;
    }
    case 'SHOW_REF':
      if (node['query'] === undefined || textOf(node['table_name']) !== '')
        throw new QueryProblem(queryProblems.QUERY_SHOW.reason({}), place);
  }
}

/** The serializer leaves out empty texts. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function placeOf(sql: string, { query_location: location }: Node): TableReference['place'] {
  return typeof location === 'number' ? placeAt(sql, location) : undefined;
}

function isDescription(node: unknown): boolean {
  return ((node as Node)['from_table'] as Node | undefined)?.['type'] === 'SHOW_REF';
}

function inWords(message: string): Reason {
  if (message === 'syntax error at end of input') return queryProblems.QUERY_ENDS_EARLY.reason({});
  const token = /^syntax error at or near (.*)$/s.exec(message)?.[1];
  return token === undefined ? foreign(message) : queryProblems.QUERY_UNEXPECTED.reason({ token });
}

/** The library's error type for statements that it can't serialize: those that are not queries. */
const noQuery = 'not implemented';

function problemOf(
  sql: string,
  { error_type: type, error_message: message, position }: SerializedSql & { error: true },
) {
  if (type === noQuery && /\bpivot\b/i.test(sql))
    // The library would create a type from the values found, with a statement of its own.
    return new QueryProblem(queryProblems.QUERY_PIVOT.reason({}));
  if (type === noQuery) return new QueryProblem(queryProblems.QUERY_NOT_SELECT.reason({}));
  return new QueryProblem(inWords(message), position === undefined ? undefined : placeAt(sql, Number(position)));
}
