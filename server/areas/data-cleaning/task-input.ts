import type { Reason } from '../../kernel/sentences/index.ts';
import { invalid } from '../../kernel/errors.ts';
import { parsePrefix } from '../../kernel/file-path.ts';
import { parameterProblems } from '../../kernel/parameter-problems.ts';
import { parseName } from '../../kernel/text-fields.ts';
import { encodingOf, encodings, type Encoding } from '../../encodings/encodings.ts';
import { hasLostDigits } from '../../tables/conditions.ts';
import type { Recipe } from '../../engine/index.ts';
import type { NewInput, TaskInput } from './schemas/inputs.ts';

type NewCondition = NonNullable<NewInput['where']>[number];
type NewTextFieldsRule = NonNullable<NewInput['textFields']>[number];

/** Fills in the defaults of a task's input; throws INVALID_PARAMETER. */
export function parseInput({
  prefix = '',
  fileTypes = [],
  exclude = [],
  textField,
  textFields = [],
  where = [],
  encoding,
}: NewInput): TaskInput {
  const types = fileTypes.map((type, index) => parseFileType(`input.fileTypes[${index}]`, type));
  return {
    prefix: parsePrefix('input.prefix', prefix),
    fileTypes: [...new Set(types)].toSorted(),
    exclude: [...new Set(exclude)],
    textField: textField ?? null,
    textFields: textFields.map((rule, index) => parseRule(`input.textFields[${index}]`, rule)),
    where: where.map((condition, index) => parseCondition(`input.where[${index}]`, condition)),
    encoding: encoding === undefined ? null : parseEncoding(encoding),
  };
}

function parseRule(at: string, { files, field, fields }: NewTextFieldsRule): TaskInput['textFields'][number] {
  if (field !== undefined && fields !== undefined)
    throw invalid(`${at}.fields`, parameterProblems.MUST_NOT_BE_WITH.reason({ other: 'field' }));
  const named = field === undefined ? fields : [field];
  if (named === undefined) throw invalid(`${at}.field`, parameterProblems.IS_REQUIRED_OR.reason({ other: 'fields' }));
  return { files, fields: [...new Set(named)] };
}

function parseCondition(at: string, { field, op, value }: NewCondition): TaskInput['where'][number] {
  const problem = problemOf(op, value);
  if (problem !== undefined) throw invalid(`${at}.value`, problem);
  if (hasLostDigits(value)) throw invalid(`${at}.value`, parameterProblems.NUMBER_TOO_LONG.reason({}));
  return { field, op, value: op === 'EXISTS' ? value !== false : value };
}

function problemOf(op: NewCondition['op'], value: unknown): Reason | undefined {
  const isPlain = (one: unknown): boolean => one === null || ['string', 'number', 'boolean'].includes(typeof one);
  switch (op) {
    case 'EXISTS':
      return value === undefined || typeof value === 'boolean'
        ? undefined
        : parameterProblems.MUST_BE_BOOLEAN.reason({});
    case 'IN':
      return Array.isArray(value) && value.length <= 1000 && value.every(isPlain)
        ? undefined
        : parameterProblems.CONDITION_LIST.reason({});
    case 'LT':
    case 'LE':
    case 'GT':
    case 'GE':
      return ['string', 'number'].includes(typeof value)
        ? undefined
        : parameterProblems.CONDITION_TEXT_OR_NUMBER.reason({});
    case 'CONTAINS':
      return value !== null && isPlain(value) ? undefined : parameterProblems.CONDITION_PLAIN.reason({});
    case 'EQ':
    case 'NE':
      return isPlain(value) ? undefined : parameterProblems.CONDITION_PLAIN_OR_NULL.reason({});
  }
}

/** The input of a task or of a run as any release has stored it. */
export type StoredInput = Pick<TaskInput, 'prefix' | 'fileTypes' | 'textField'> & Partial<TaskInput>;

/** Adds the fields that the release lacked which stored the input. */
export function readInput(stored: StoredInput): TaskInput {
  return { exclude: [], textFields: [], where: [], encoding: null, ...stored };
}

/** Which files of a dataset a task reads, as runs store it. */
export function selectionOf({
  prefix,
  fileTypes,
  exclude,
}: Pick<TaskInput, 'prefix' | 'fileTypes'> & Partial<Pick<TaskInput, 'exclude'>>): Pick<
  TaskInput,
  'prefix' | 'fileTypes'
> & {
  exclude?: string[];
} {
  return { prefix, fileTypes, ...(exclude === undefined || exclude.length === 0 ? {} : { exclude }) };
}

/** How a run finds the rows and texts of tables. */
export function textFieldsOf({
  textField,
  textFields,
  where,
}: TaskInput): Pick<Recipe, 'textField' | 'textFields' | 'where'> {
  return {
    textField,
    ...(textFields.length === 0 ? {} : { textFields }),
    ...(where.length === 0 ? {} : { where }),
  };
}

/** The encoding set in a task. */
export function namedEncoding({ encoding }: Pick<TaskInput, 'encoding'>): Encoding | null {
  return encodingOf(encoding ?? '') ?? null;
}

function parseEncoding(name: string): Encoding {
  const encoding = encodingOf(name);
  if (encoding === undefined)
    throw invalid('input.encoding', parameterProblems.MUST_BE_ONE_OF.reason({ values: encodings.join(', ') }));
  return encoding;
}

/** Normalises a file extension: lower case, no dot; empty for files without one. */
function parseFileType(field: string, type: string): string {
  const bare = type.trim().replace(/^\./, '').toLowerCase();
  return bare === '' ? '' : parseName(field, bare, 255);
}
