import { invalid } from '../../kernel/errors.ts';
import { parsePrefix } from '../../kernel/file-path.ts';
import { parseName } from '../../kernel/text-fields.ts';
import { encodingOf, encodings, type Encoding } from '../../tables/encodings.ts';
import type { Recipe } from '../../engine/index.ts';
import type { NewInput, TaskInput } from './schemas.ts';

type NewTextFieldsRule = NonNullable<NewInput['textFields']>[number];

/** What a task reads, with all defaults; throws INVALID_PARAMETER. */
export function parseInput({ prefix = '', fileTypes = [], textField, textFields = [], encoding }: NewInput): TaskInput {
  const types = fileTypes.map((type, index) => parseFileType(`input.fileTypes[${index}]`, type));
  return {
    prefix: parsePrefix('input.prefix', prefix),
    fileTypes: [...new Set(types)].toSorted(),
    textField: textField ?? null,
    textFields: textFields.map((rule, index) => parseRule(`input.textFields[${index}]`, rule)),
    encoding: encoding === undefined ? null : parseEncoding(encoding),
  };
}

function parseRule(at: string, { files, field, fields }: NewTextFieldsRule): TaskInput['textFields'][number] {
  if (field !== undefined && fields !== undefined)
    throw invalid(`${at}.fields`, 'must not be given together with field');
  const named = field === undefined ? fields : [field];
  if (named === undefined) throw invalid(`${at}.field`, 'is required, or fields in its place');
  return { files, fields: [...new Set(named)] };
}

/** How a run finds the texts of tables. */
export function textFieldsOf(input: TaskInput): Pick<Recipe, 'textField' | 'textFields'> {
  const textFields = rulesOf(input);
  return { textField: input.textField, ...(textFields.length === 0 ? {} : { textFields }) };
}

/** The rules by paths; tasks of earlier versions have none. */
export function rulesOf({ textFields }: Partial<Pick<TaskInput, 'textFields'>>): TaskInput['textFields'] {
  return textFields ?? [];
}

/** The encoding that a task names; tasks of earlier versions have none. */
export function namedEncoding({ encoding }: Pick<TaskInput, 'encoding'>): Encoding | null {
  return encodingOf(encoding ?? '') ?? null;
}

function parseEncoding(name: string): Encoding {
  const encoding = encodingOf(name);
  if (encoding === undefined) throw invalid('input.encoding', `must be one of ${encodings.join(', ')}`);
  return encoding;
}

/** An extension in the form that files have it: lower case, no dot; empty for files without one. */
function parseFileType(field: string, type: string): string {
  const bare = type.trim().replace(/^\./, '').toLowerCase();
  return bare === '' ? '' : parseName(field, bare, 255);
}
