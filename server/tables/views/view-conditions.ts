import type { Condition } from '../conditions.ts';
import { parseFieldPath } from '../field-paths.ts';
import { identifier, literal } from '../parquet/text-patterns.ts';
import type { RowChoice } from './view-protocol.ts';
import { ViewProblem } from './view-reading.ts';

/** A column of the table that is asked: its name, its type, and how SQL names it; `json`: of a mixed column, its values with their types. */
export type AskedColumn = { name: string; type: string; sql: string; json?: string };

const numbers = /^(?:U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|FLOAT|DOUBLE|DECIMAL\(\d+, ?\d+\))$/;

export function isNumber(type: string): boolean {
  return numbers.test(type);
}

/** Whole numbers of any size. */
export function isWhole(type: string): boolean {
  return /^U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)$/.test(type);
}

/** Lists, objects and what else has parts. */
export function isNested(type: string): boolean {
  return type === 'JSON' || (/[[(]/.test(type) && !isNumber(type));
}

/** The condition of the chosen rows. */
export function conditionOf(
  choice: RowChoice,
  columns: readonly AskedColumn[],
  problemColumn: string | undefined,
): string {
  const { filters, finds } = partsOf(choice, columns, problemColumn);
  const all = finds === undefined ? filters : [...filters, finds.length === 0 ? 'false' : `(${finds.join(' or ')})`];
  return all.length === 0 ? 'true' : all.join(' and ');
}

/** Conditions that all chosen rows satisfy, and for each column whether a search finds something in it; undefined without a search. */
export function partsOf(
  { where, search, isUnreadable }: RowChoice,
  columns: readonly AskedColumn[],
  problemColumn: string | undefined,
): { filters: string[]; finds: string[] | undefined } {
  const filters = where.map((condition) => sqlOf(condition, columns));
  if (isUnreadable) filters.push(problemColumn === undefined ? 'false' : `${problemColumn} is not null`);
  if (search === '') return { filters, finds: undefined };
  const needle = `lower(${literal(search)})`;
  return { filters, finds: columns.map((one) => `coalesce(contains(${searchedText(one)}, ${needle}), false)`) };
}

/** What a search looks into. */
export function searchedText({ sql }: AskedColumn): string {
  return `lower(${textOf(sql)})`;
}

/** The expression of a column by name; throws ViewProblem. */
export function findColumn(name: string, columns: readonly AskedColumn[]): AskedColumn {
  const found = columns.find((column) => column.name === name);
  if (found === undefined) throw new ViewProblem(`there is no column ${JSON.stringify(name)}`);
  return found;
}

function sqlOf({ field, op, value }: Condition, columns: readonly AskedColumn[]): string {
  const operand = operandOf(field, columns);
  switch (op) {
    case 'EXISTS':
      return `(${operand.text} is ${value === false ? '' : 'not '}null)`;
    case 'EQ':
      return value === null ? `(${operand.text} is null)` : equal(operand, value);
    case 'NE':
      return value === null ? `(${operand.text} is not null)` : `(not ${equal(operand, value)})`;
    case 'IN': {
      const values: readonly unknown[] = Array.isArray(value) ? value : [value];
      return values.length === 0 ? 'false' : `(${values.map((one) => equal(operand, one)).join(' or ')})`;
    }
    case 'CONTAINS':
      return `coalesce(contains(${operand.text}, ${literal(String(value))}), false)`;
    case 'LT':
      return compared(operand, '<', value);
    case 'LE':
      return compared(operand, '<=', value);
    case 'GT':
      return compared(operand, '>', value);
    case 'GE':
      return compared(operand, '>=', value);
  }
}

type Operand = { text: string; number: string };

/** A column, or a value at a path of names into it, as text and as a number. */
function operandOf(field: string, columns: readonly AskedColumn[]): Operand {
  const whole = columns.find(({ name }) => name === field);
  if (whole !== undefined) {
    const { sql, type } = whole;
    return { text: textOf(sql), number: isNumber(type) ? sql : `try_cast(${textOf(sql)} as double)` };
  }
  const [first, ...path] = parseFieldPath(field).steps.map((step) => ('name' in step ? step.name : undefined));
  if (first === undefined || path.length === 0 || path.includes(undefined))
    throw new ViewProblem(`there is no column ${JSON.stringify(field)}; a path into a column is made of names`);
  const { sql, type } = findColumn(first, columns);
  const json = type === 'JSON' ? `try_cast(${sql} as json)` : `to_json(${sql})`;
  const place = literal(`$.${path.map((name) => identifier(name ?? '')).join('.')}`);
  const text = `json_extract_string(${json}, ${place})`;
  return { text, number: `try_cast(${text} as double)` };
}

function equal({ text, number }: Operand, value: unknown): string {
  if (typeof value === 'number') return `coalesce(${number} = ${numeral(value)}, false)`;
  if (typeof value === 'boolean') return `coalesce(lower(${text}) = '${value}', false)`;
  return `coalesce(${text} = ${literal(String(value))}, false)`;
}

function compared({ text, number }: Operand, sign: string, value: unknown): string {
  if (typeof value === 'number') return `coalesce(${number} ${sign} ${numeral(value)}, false)`;
  return `coalesce(${text} ${sign} ${literal(String(value))}, false)`;
}

function numeral(value: number): string {
  return Number.isSafeInteger(value) ? String(value) : `cast('${value}' as double)`;
}

export function textOf(sql: string): string {
  return `cast(${sql} as varchar)`;
}

/** A text as a part of the text of its whole row; it tells where it ends. */
export function partOf(text: string): string {
  return `coalesce('v' || length(${text}) || ':' || ${text}, 'n')`;
}
