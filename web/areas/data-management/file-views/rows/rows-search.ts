/** A condition on a column, as the API takes it. */
export type RowCondition = { field: string; op: RowOperator; value?: ConditionValue | readonly ConditionValue[] };
export type ConditionValue = string | number | boolean | null;

export const rowOperators = ['EQ', 'NE', 'IN', 'CONTAINS', 'LT', 'LE', 'GT', 'GE', 'EXISTS'] as const;
export type RowOperator = (typeof rowOperators)[number];

/** Tests offered to the user: a missing value is an operator of its own. */
export const rowTests = [...rowOperators, 'MISSING'] as const;
export type RowTest = (typeof rowTests)[number];

export function testOf({ op, value }: Pick<RowCondition, 'op' | 'value'>): RowTest {
  return op === 'EXISTS' && value === false ? 'MISSING' : op;
}

/** Which rows of a table, or of a workbook's sheet, are shown; `row` is the open one, counted from 1 among the matching rows. */
export type RowsSearch = {
  q?: string;
  where?: RowCondition[];
  order?: string;
  broken?: true;
  row?: number;
  sheet?: string;
};

/** Parses the search parameters of a page that shows a table; invalid ones are ignored. */
export function readRowsSearch(search: Record<string, unknown>): RowsSearch {
  const { q, where, order, broken, row, sheet } = search;
  const conditions = Array.isArray(where) ? where.filter(isCondition) : [];
  return {
    ...(typeof q === 'string' && q !== '' ? { q } : typeof q === 'number' ? { q: String(q) } : {}),
    ...(conditions.length > 0 ? { where: conditions } : {}),
    ...(typeof order === 'string' && order !== '' ? { order } : {}),
    ...(broken === true ? { broken } : {}),
    ...(typeof row === 'number' && Number.isInteger(row) && row > 0 ? { row } : {}),
    ...(typeof sheet === 'string' && sheet !== ''
      ? { sheet }
      : typeof sheet === 'number'
        ? { sheet: String(sheet) }
        : {}),
  };
}

function isCondition(value: unknown): value is RowCondition {
  if (typeof value !== 'object' || value === null) return false;
  const { field, op } = value as Partial<RowCondition>;
  return typeof field === 'string' && field !== '' && rowOperators.some((one) => one === op);
}

/** The shown version; none for the current one. */
export function readVersionSearch({ version }: Record<string, unknown>): { version?: number } {
  return typeof version === 'number' && Number.isInteger(version) && version > 0 ? { version } : {};
}

export type RowOrder = { column: string; direction: 'asc' | 'desc' };

/** `NAME,asc`; a column's name may contain commas. */
export function readOrder(order: string | undefined): RowOrder | undefined {
  const found = /^(?<column>.+),(?<direction>asc|desc)$/s.exec(order ?? '')?.groups;
  if (found?.['column'] === undefined) return undefined;
  return { column: found['column'], direction: found['direction'] === 'desc' ? 'desc' : 'asc' };
}
