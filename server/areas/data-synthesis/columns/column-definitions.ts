import { invalid } from '../../../kernel/errors.ts';
import { parsePrefix } from '../../../kernel/file-path.ts';
import { parameterProblems } from '../../../kernel/parameter-problems.ts';
import { checkText } from '../../../kernel/text-fields.ts';
import { reasonOf } from '../../../kernel/reasoned-error.ts';
import { foreign } from '../../../kernel/sentences/index.ts';
import type { RecordColumn } from '../schemas/columns.ts';
import { parseOutputSchema, reservedNames } from '../output-schema.ts';
import { isOfSource, variablesOf } from '../prompts.ts';
import { recordFieldsOf } from '../record-schema.ts';
import { synthesisProblems as problems } from '../sentences.ts';
import { compilePattern } from './patterns.ts';
import { parseExpression, reservedWords } from './expressions.ts';

type Kind = RecordColumn['kind'];
type Sampler = NonNullable<RecordColumn['sampler']>;

const shared = ['name', 'kind', 'description', 'hidden'] as const;
const fieldsOfKind: Readonly<Record<Kind, readonly (keyof RecordColumn)[]>> = {
  SAMPLER: ['sampler', 'seed', 'values', 'minimum', 'maximum', 'decimals', 'from', 'to', 'datasetId', 'prefix'],
  EXPRESSION: ['expression'],
  MODEL: ['systemPrompt', 'prompt', 'model', 'parameters', 'outputSchema', 'checks'],
  JUDGE: ['of', 'rubric', 'model', 'minScore'],
  VALIDATOR: ['of', 'schema', 'pattern', 'minCharacters', 'maxCharacters', 'code'],
};
const fieldsOfSampler: Readonly<Record<Sampler, readonly (keyof RecordColumn)[]>> = {
  CATEGORY: ['values'],
  NUMBER: ['minimum', 'maximum', 'decimals'],
  DATE: ['from', 'to'],
  ROW: ['datasetId', 'prefix'],
};
const neededFields: Readonly<Record<Kind | Sampler, readonly (keyof RecordColumn)[]>> = {
  SAMPLER: ['sampler'],
  EXPRESSION: ['expression'],
  MODEL: ['prompt'],
  JUDGE: ['of', 'rubric'],
  VALIDATOR: ['of'],
  CATEGORY: ['values'],
  NUMBER: ['minimum', 'maximum'],
  DATE: ['from', 'to'],
  ROW: ['datasetId'],
};

const sourceNames = ['text', 'row', 'file'];

/** Checks columns against the fields of their kinds. Throws INVALID_PARAMETER with the column and field. */
export function parseColumns(given: readonly RecordColumn[], variables: readonly string[]): RecordColumn[] {
  const names = given.map(({ name }) => name);
  const parsed = given.map((column, index) => parseColumn(`columns[${index}]`, column));
  for (const [index, { name }] of parsed.entries()) {
    const field = `columns[${index}].name`;
    if (sourceNames.includes(name)) throw invalid(field, problems.VARIABLE_RESERVED.reason({}));
    if (reservedNames.has(name)) throw invalid(field, problems.NAME_RESERVED.reason({ name }));
    if (reservedWords.has(name)) throw invalid(field, problems.COLUMN_RESERVED.reason({}));
    if (variables.includes(name)) throw invalid(field, problems.COLUMN_IS_VARIABLE.reason({}));
    if (names.indexOf(name) !== index) throw invalid(field, problems.COLUMN_NAMED_TWICE.reason({ name }));
  }
  for (const [index, column] of parsed.entries()) checkNames(`columns[${index}]`, column, parsed, variables);
  if (parsed.every(({ kind, hidden }) => hidden === true || kind === 'VALIDATOR'))
    throw invalid('columns', problems.COLUMNS_ALL_HIDDEN.reason({}));
  orderColumns(parsed, variables);
  return parsed;
}

function parseColumn(at: string, given: RecordColumn): RecordColumn {
  const { kind, sampler } = given;
  const own: readonly (keyof RecordColumn)[] = [...shared, ...fieldsOfKind[kind]];
  const entries = Object.entries(given).filter(([, value]) => value !== undefined && value !== null);
  const column = Object.fromEntries(entries) as RecordColumn;
  for (const [name] of entries) {
    const isOwn = own.includes(name as keyof RecordColumn);
    const foreign = Object.entries(fieldsOfSampler).find(
      ([one, fields]) => one !== sampler && fields.includes(name as keyof RecordColumn),
    );
    if (!isOwn) throw invalid(`${at}.${name}`, problems.COLUMN_FIELD.reason({ kind }));
    if (kind === 'SAMPLER' && sampler !== undefined && foreign !== undefined)
      throw invalid(`${at}.${name}`, problems.COLUMN_FIELD.reason({ kind: sampler }));
  }
  for (const [of, value] of [
    ['kind', kind],
    ['sampler', sampler],
  ] as const) {
    const missing = value === undefined ? undefined : neededFields[value].find((name) => column[name] === undefined);
    if (missing !== undefined)
      throw invalid(`${at}.${missing}`, parameterProblems.IS_REQUIRED_WHEN.reason({ other: of, value: value ?? '' }));
  }
  for (const name of ['prompt', 'systemPrompt', 'rubric', 'expression'] as const) {
    const text = column[name];
    if (typeof text !== 'string') continue;
    checkText(`${at}.${name}`, text);
    if (name !== 'systemPrompt' && text.trim() === '')
      throw invalid(`${at}.${name}`, parameterProblems.MUST_NOT_BE_BLANK.reason({}));
  }
  if (kind === 'SAMPLER') return parseSampler(at, column);
  if (kind === 'VALIDATOR') return parseValidator(at, column);
  if (kind !== 'MODEL') return column;
  const { outputSchema, checks } = column;
  if (checks?.similarToRecords !== undefined && checks.similarToRecords !== null)
    throw invalid(`${at}.checks.similarToRecords`, problems.COLUMN_RECORD_CHECK.reason({}));
  const fields = recordFieldsOf({ outputSchema: outputSchema ?? null });
  const { grounding } = checks ?? {};
  if (grounding !== undefined && grounding !== null && !fields.includes(grounding.field))
    throw invalid(`${at}.checks.grounding.field`, problems.GROUNDING_FIELD.reason({ field: grounding.field }));
  if (outputSchema === undefined || outputSchema === null) return column;
  return { ...column, outputSchema: parseOutputSchema(`${at}.outputSchema`, outputSchema) };
}

function parseSampler(at: string, column: RecordColumn): RecordColumn {
  const { sampler, values = [], minimum = 0, maximum = 0, decimals = 0, from = '', to = '', prefix } = column;
  if (sampler === 'CATEGORY') {
    for (const [index, { value }] of values.entries()) checkText(`${at}.values[${index}].value`, value);
    if (values.every(({ weight = 1 }) => weight === 0))
      throw invalid(`${at}.values`, problems.COLUMN_WEIGHTS.reason({}));
  }
  if (sampler === 'NUMBER' && minimum > maximum) throw notGreater(`${at}.minimum`, 'maximum', minimum, maximum);
  const least = Math.ceil(minimum * 10 ** decimals - rounding);
  if (sampler === 'NUMBER' && least > Math.floor(maximum * 10 ** decimals + rounding))
    throw invalid(at, problems.COLUMN_NO_NUMBER.reason({ decimals }));
  if (sampler === 'DATE') {
    for (const [name, day] of Object.entries({ from, to }))
      if (dayOf(day) === undefined) throw invalid(`${at}.${name}`, problems.COLUMN_NO_DAY.reason({ day }));
    if (from > to) throw notGreater(`${at}.from`, 'to', from, to);
  }
  return prefix === undefined ? column : { ...column, prefix: parsePrefix(`${at}.prefix`, prefix) };
}

function notGreater(field: string, other: string, one: string | number, two: string | number): Error {
  return invalid(field, parameterProblems.MUST_NOT_BE_GREATER.reason({ other, values: `${one} > ${two}` }));
}

/** Tolerance for rounding errors when decimals are multiplied by a power of ten. */
export const rounding = 1e-6;
const dayMs = 86_400_000;

/** Days since 1970; undefined for a date that does not exist. */
export function dayOf(date: string): number | undefined {
  const time = Date.parse(`${date}T00:00:00Z`);
  return Number.isNaN(time) || dateOf(time / dayMs) !== date ? undefined : time / dayMs;
}

export function dateOf(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}

function parseValidator(at: string, column: RecordColumn): RecordColumn {
  const { schema, pattern, minCharacters, maxCharacters, code } = column;
  if ([schema, pattern, minCharacters, maxCharacters, code].every((check) => check === undefined))
    throw invalid(at, problems.COLUMN_NO_CHECK.reason({}));
  if (minCharacters !== undefined && maxCharacters !== undefined && minCharacters > maxCharacters)
    throw notGreater(`${at}.minCharacters`, 'maxCharacters', minCharacters, maxCharacters);
  if (pattern !== undefined) {
    try {
      compilePattern(pattern);
    } catch (error) {
      throw invalid(`${at}.pattern`, problems.COLUMN_PATTERN.reason({ why: foreign((error as Error).message) }));
    }
  }
  return schema === undefined ? column : { ...column, schema: parseOutputSchema(`${at}.schema`, schema, 'any') };
}

/** The names that a column uses, by the field that uses them. */
function usesOf(column: RecordColumn): { field: string; names: string[] }[] {
  const { kind, systemPrompt, prompt = '', rubric = '', of = [] } = column;
  if (kind === 'MODEL')
    return [
      { field: 'systemPrompt', names: variablesOf(systemPrompt ?? '') },
      { field: 'prompt', names: variablesOf(prompt) },
    ];
  if (kind === 'JUDGE')
    return [
      { field: 'of', names: of },
      { field: 'rubric', names: variablesOf(rubric) },
    ];
  return kind === 'VALIDATOR' ? [{ field: 'of', names: of }] : [];
}

function checkNames(
  at: string,
  column: RecordColumn,
  all: readonly RecordColumn[],
  variables: readonly string[],
): void {
  for (const { field, names } of usesOf(column)) {
    for (const name of names) {
      if (field !== 'of' && ((isOfSource(name) && name !== 'row.') || variables.includes(name))) continue;
      const found = all.find((other) => other.name === (field === 'of' ? name : columnOf(name)));
      if (found === undefined) throw invalid(`${at}.${field}`, problems.COLUMN_UNKNOWN.reason({ name }));
      if (found.kind === 'VALIDATOR')
        throw invalid(`${at}.${field}`, problems.COLUMN_NO_VALUE.reason({ name: found.name }));
    }
  }
  if (column.kind !== 'EXPRESSION') return;
  try {
    parseExpression(column.expression ?? '', knownNames(all, variables));
  } catch (error) {
    throw invalid(`${at}.expression`, problems.COLUMN_EXPRESSION.reason({ why: reasonOf(error as Error) }));
  }
}

/** Names that an expression may use. */
export function knownNames(columns: readonly RecordColumn[], variables: readonly string[]): string[] {
  return [...sourceNames, ...variables, ...columns.filter(({ kind }) => kind !== 'VALIDATOR').map(({ name }) => name)];
}

/** The column part of a prompt variable `name` or `name.field`. */
export function columnOf(variable: string): string {
  return variable.split('.', 1)[0] ?? '';
}

/** The columns that a column depends on. */
function dependenciesOf(
  column: RecordColumn,
  columns: readonly RecordColumn[],
  variables: readonly string[],
): string[] {
  const names =
    column.kind === 'EXPRESSION'
      ? parseExpression(column.expression ?? '', knownNames(columns, variables)).names
      : usesOf(column).flatMap((use) => use.names.map(columnOf));
  return columns.filter(({ name }) => names.includes(name)).map(({ name }) => name);
}

/**
 * Sorts columns so that each follows its dependencies, keeping the given order otherwise. Validators run as early as
 * possible, so that nothing more is paid for a record they drop. Throws INVALID_PARAMETER naming the columns of a
 * cycle.
 */
export function orderColumns(columns: readonly RecordColumn[], variables: readonly string[]): RecordColumn[] {
  const dependencies = new Map(columns.map((column) => [column.name, dependenciesOf(column, columns, variables)]));
  const ordered: RecordColumn[] = [];
  const placed = new Set<string>();
  const isReady = ({ name }: RecordColumn): boolean =>
    !placed.has(name) && (dependencies.get(name) ?? []).every((other) => placed.has(other));
  const place = (column: RecordColumn): void => {
    ordered.push(column);
    placed.add(column.name);
    for (const other of columns) if (other.kind === 'VALIDATOR' && isReady(other)) place(other);
  };
  while (ordered.length < columns.length) {
    const next = columns.find(isReady);
    if (next === undefined)
      throw invalid('columns', problems.COLUMN_CYCLE.reason({ names: circleOf(dependencies, placed) }));
    place(next);
  }
  return ordered;
}

/** One cycle among the columns that could not be placed, as `a → b → a`. */
function circleOf(dependencies: ReadonlyMap<string, readonly string[]>, placed: ReadonlySet<string>): string {
  const path: string[] = [];
  let name = [...dependencies.keys()].find((one) => !placed.has(one)) ?? '';
  while (!path.includes(name)) {
    path.push(name);
    name = dependencies.get(name)?.find((one) => !placed.has(one)) ?? '';
  }
  return [...path.slice(path.indexOf(name)), name].join(' → ');
}
