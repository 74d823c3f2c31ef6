import { invalid } from '../../kernel/errors.ts';
import { parsePrefix } from '../../kernel/file-path.ts';
import { parseName } from '../../kernel/text-fields.ts';
import { encodingOf, encodings, type Encoding } from '../../tables/encodings.ts';
import type { NewInput, TaskInput } from './schemas.ts';

/** What a task reads, with all defaults; throws INVALID_PARAMETER. */
export function parseInput({ prefix = '', fileTypes = [], textField, encoding }: NewInput): TaskInput {
  const types = fileTypes.map((type, index) => parseFileType(`input.fileTypes[${index}]`, type));
  return {
    prefix: parsePrefix('input.prefix', prefix),
    fileTypes: [...new Set(types)].toSorted(),
    textField: textField ?? null,
    encoding: encoding === undefined ? null : parseEncoding(encoding),
  };
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
