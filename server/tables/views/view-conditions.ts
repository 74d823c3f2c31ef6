import { inputProblems } from '../../kernel/sentences/index.ts';
import type { Condition } from '../conditions.ts';
import { numberOf, parseTime, parseTimeOfDay } from '../condition-values.ts';
import { parseFieldPath } from '../field-paths.ts';
import { identifier, literal } from '../parquet/text-patterns.ts';
import {
  compareNumberSql,
  compareTimeSql,
  writtenNumberOf,
  type NumberSql,
  type Sign,
  type TimeSql,
} from './condition-sql.ts';
import { plainTextOf } from './index-columns.ts';
import { withoutFloats } from './shown-texts.ts';
import type { RowChoice } from './view-protocol.ts';
import { ViewProblem } from './view-reading.ts';

/** A column as queries use it, with SQL expressions for its values. */
export type AskedColumn = {
  name: string;
  type: string;
  /** What is searched and compared: a text for lists and objects. */
  sql: string;
  value: string;
  /** The values of a mixed column with their types. */
  json?: string;
  /** JSON of the values that `value` does not hold exactly; null for all others. */
  exact?: string;
  /** The texts that users see and search, if they differ from `sql`. */
  shown?: string;
  /** Set for delimited tables, whose cells have no types of their own. */
  isCell?: true;
};

const numbers = /^(?:U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|FLOAT|DOUBLE|DECIMAL\(\d+, ?\d+\))$/;

export function isNumber(type: string): boolean {
  return numbers.test(type);
}

/** Whole numbers of any size. */
export function isWhole(type: string): boolean {
  return /^U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)$/.test(type);
}

/** Lists, objects and other composite types. */
export function isNested(type: string): boolean {
  return type === 'JSON' || (/[[(]/.test(type) && !isNumber(type));
}

/** How values of a time type are compared; undefined for other types. */
export function timeTypeOf(type: string): Exclude<TimeSql['type'], 'written'> | undefined {
  if (type === 'TIMESTAMP WITH TIME ZONE') return 'zoned';
  if (type === 'TIME') return 'time-of-day';
  return type === 'DATE' || /^TIMESTAMP(?:_S|_MS|_NS)?$/.test(type) ? 'timestamp' : undefined;
}

/** Whether a condition's value fits the column: a time column can only be compared with a time. */
export function isComparable({ type }: Pick<AskedColumn, 'type'>, { op, value }: Condition): boolean {
  const time = timeTypeOf(type);
  if (time === undefined || op === 'EXISTS' || op === 'CONTAINS') return true;
  const parse = time === 'time-of-day' ? parseTimeOfDay : parseTime;
  return [value]
    .flat()
    .every((one: unknown) => one === null || one === '' || (typeof one === 'string' && parse(one) !== undefined));
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

/**
 * The conditions that every chosen row must satisfy, and for each column whether it contains the search text; `finds`
 * is undefined without a search.
 */
export function partsOf(
  { where, search, isUnreadable }: RowChoice,
  columns: readonly AskedColumn[],
  problemColumn: string | undefined,
): { filters: string[]; finds: string[] | undefined } {
  const filters = where.map((condition) => sqlOf(condition, columns));
  // An unreadable row has no values, so none of them counts as missing.
  if (where.length > 0 && problemColumn !== undefined) filters.push(`${problemColumn} is null`);
  if (isUnreadable) filters.push(problemColumn === undefined ? 'false' : `${problemColumn} is not null`);
  if (search === '') return { filters, finds: undefined };
  const needle = `lower(${literal(search)})`;
  return { filters, finds: columns.map((one) => `coalesce(contains(${searchedText(one)}, ${needle}), false)`) };
}

/** The text that a search looks into. */
export function searchedText(column: AskedColumn): string {
  return `lower(${shownTextOf(column)})`;
}

/** The values of a column as texts; texts in JSON columns are without quotes and escapes. */
export function shownTextOf({ sql, type, shown }: AskedColumn): string {
  return shown ?? (type === 'JSON' ? plainTextOf(textOf(sql)) : textOf(sql));
}

/** The texts of a text column, or only the texts in a JSON column; null for other values. */
export function onlyTextOf({ sql, type }: AskedColumn): string {
  return type === 'JSON' ? textInJson(textOf(sql)) : sql;
}

function textInJson(json: string): string {
  return `case when starts_with(${json}, '"') then json_extract_string(${json}, '$') end`;
}

/** The column with this name; throws ViewProblem. */
export function findColumn(name: string, columns: readonly AskedColumn[]): AskedColumn {
  const found = columns.find((column) => column.name === name);
  if (found === undefined)
    throw new ViewProblem(inputProblems.COLUMN_NOT_THERE.reason({ column: JSON.stringify(name) }));
  return found;
}

function sqlOf({ field, op, value }: Condition, columns: readonly AskedColumn[]): string {
  const operand = operandOf(field, columns);
  switch (op) {
    case 'EXISTS':
      return `(${operand.present} is ${value === false ? '' : 'not '}null)`;
    case 'EQ':
      return equal(operand, value);
    case 'NE':
      return `(not ${equal(operand, value)})`;
    case 'IN': {
      const values: readonly unknown[] = Array.isArray(value) ? value : [value];
      return values.length === 0 ? 'false' : `(${values.map((one) => equal(operand, one)).join(' or ')})`;
    }
    case 'CONTAINS':
      return contained(operand, value);
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

/** The values of a column, or at a path within it, by kind: each expression is null for values of other kinds. */
type Operand = {
  /** Null if there is no value. */
  present: string;
  text?: string;
  number?: NumberSql;
  boolean?: string;
  time?: TimeSql;
  /** The text that CONTAINS searches; `items`: the items of lists as JSON. */
  shown?: string;
  items?: string;
  exact?: string;
  /** A cell of a delimited table: numbers, truth values and times are given as text. */
  isCell?: boolean;
};

function operandOf(field: string, columns: readonly AskedColumn[]): Operand {
  const whole = columns.find(({ name }) => name === field);
  if (whole !== undefined) return operandOfColumn(whole);
  const [first, ...path] = parseFieldPath(field).steps.map((step) => ('name' in step ? step.name : undefined));
  if (first === undefined || path.length === 0 || path.includes(undefined))
    throw new ViewProblem(inputProblems.VIEW_NO_COLUMN_AT_PATH.reason({ column: JSON.stringify(field) }));
  const { value, type } = findColumn(first, columns);
  const json = type === 'JSON' ? `try_cast(${value} as json)` : `to_json(${withoutFloats(value, type)})`;
  const place = literal(`$.${path.map((name) => identifier(name ?? '')).join('.')}`);
  return operandOfJson(`nullif(cast(json_extract(${json}, ${place}) as varchar), 'null')`);
}

function operandOfColumn({ value, type, json, exact, isCell, shown = textOf(value) }: AskedColumn): Operand {
  const typed = { present: value, shown, ...(isCell === true ? { isCell } : {}) };
  if (json !== undefined) return operandOfJson(json);
  if (type === 'JSON') return operandOfJson(shown);
  if (isNested(type))
    return { present: value, items: `try_cast(cast(to_json(${withoutFloats(value, type)}) as varchar) as json[])` };
  if (isNumber(type)) return { ...typed, number: numberSqlOf(value, type), ...(exact === undefined ? {} : { exact }) };
  if (type === 'BOOLEAN') return { ...typed, boolean: value };
  const time = timeTypeOf(type);
  if (time !== undefined) return { ...typed, time: { sql: value, type: time } };
  return { ...typed, text: shown };
}

function numberSqlOf(sql: string, type: string): NumberSql {
  if (isWhole(type)) return { sql, type: 'whole' };
  const scale = /^DECIMAL\(\d+, ?(?<scale>\d+)\)$/.exec(type)?.groups?.['scale'];
  if (scale !== undefined) return { sql, type: 'decimal', scale: Number(scale) };
  // A 32-bit number is compared by its own shortest digits, and also equals its exact double.
  return type === 'FLOAT' ? { sql: withoutFloats(sql, type), type: 'double', float: sql } : { sql, type: 'double' };
}

function operandOfJson(json: string): Operand {
  const isContainer = `(starts_with(${json}, '[') or starts_with(${json}, '{'))`;
  return {
    present: json,
    text: textInJson(json),
    number: writtenNumberOf(json),
    boolean: `case when ${json} in ('true', 'false') then cast(${json} as boolean) end`,
    shown: `case when not ${isContainer} then ${plainTextOf(json)} end`,
    items: `case when starts_with(${json}, '[') then try_cast(${json} as json[]) end`,
  };
}

const truth = /^(?:true|false)$/i;

function equal(operand: Operand, value: unknown): string {
  if (value === null) return `(${operand.present} is null)`;
  const { text, boolean, exact, isCell, shown } = operand;
  const found: string[] = [];
  const isText = typeof value === 'string';
  const number = numberOf(value);
  if (number !== undefined) {
    if (operand.number !== undefined) {
      const isEqual = compareNumberSql(operand.number, '=', number);
      found.push(exact === undefined ? isEqual : `${exact} is null and ${isEqual}`);
    }
    if (text !== undefined && (!isText || isCell === true))
      found.push(compareNumberSql(writtenNumberOf(text), '=', number));
  }
  if (typeof value === 'boolean' || (isText && truth.test(value))) {
    const word = String(value).toLowerCase();
    if (boolean !== undefined) found.push(`${boolean} = ${word}`);
    if (text !== undefined && (!isText || isCell === true)) found.push(`lower(${text}) = '${word}'`);
  }
  if (isText) {
    if (text !== undefined) found.push(`${text} = ${literal(value)}`);
    if (exact !== undefined) found.push(`${exact} = ${literal(value.trim())}`);
    const time = timeEqual(operand, value);
    if (time !== undefined) found.push(time);
    if (value === '' && isCell === true) found.push(`coalesce(${shown}, '') = ''`);
  }
  return either(found);
}

function timeEqual({ time, text }: Operand, value: string): string | undefined {
  if (time !== undefined) return compareTimeSql(time, '=', value);
  return text === undefined ? undefined : compareTimeSql({ sql: text, type: 'written' }, '=', value);
}

function compared(operand: Operand, sign: Sign, value: unknown): string {
  const { text, time } = operand;
  const number = numberOf(value);
  if (number !== undefined) {
    const numbers = [operand.number, text === undefined ? undefined : writtenNumberOf(text)];
    return either(numbers.map((one) => (one === undefined ? undefined : compareNumberSql(one, sign, number))));
  }
  if (typeof value !== 'string') return 'false';
  if (time !== undefined) return either([compareTimeSql(time, sign, value)]);
  if (text === undefined) return 'false';
  const inTime = compareTimeSql({ sql: text, type: 'written' }, sign, value);
  const asTexts = `${text} ${sign} ${literal(value)}`;
  // A text that is not a time is compared as text.
  return either([inTime === undefined ? asTexts : `coalesce(${inTime}, ${asTexts})`]);
}

function either(conditions: readonly (string | undefined)[]): string {
  const found = conditions.flatMap((one) => (one === undefined ? [] : [`coalesce(${one}, false)`]));
  return found.length === 0 ? 'false' : `(${found.join(' or ')})`;
}

/** A substring of a text or of a number's digits, or an item of a list. */
function contained({ shown, items }: Operand, value: unknown): string {
  const item =
    items && `len(list_filter(${items}, lambda item: ${equal(operandOfJson('cast(item as varchar)'), value)})) > 0`;
  return either([shown && `contains(${shown}, ${literal(String(value))})`, item]);
}

/** For numbers, the digits that their doubles lose; null for all others. */
export function lostDigitsOf({ exact }: AskedColumn): string | undefined {
  return exact;
}

/** Texts that are distinct for distinct values, exactly as in the file. */
export function exactTextOf({ value, exact }: AskedColumn): string {
  return exact === undefined ? textOf(value) : `coalesce(${exact}, ${textOf(value)})`;
}

export function textOf(sql: string): string {
  return `cast(${sql} as varchar)`;
}

/** A text as part of its row's text, prefixed with its length so that parts can't run together. */
export function partOf(text: string): string {
  return `coalesce('v' || length(${text}) || ':' || ${text}, 'n')`;
}
