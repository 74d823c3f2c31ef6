import { parsePrefix } from '../../kernel/file-path.ts';
import { parseName } from '../../kernel/text-fields.ts';
import type { NewInput, TaskInput } from './schemas.ts';

/** What a task reads, with all defaults; throws INVALID_PARAMETER. */
export function parseInput({ prefix = '', fileTypes = [], textField }: NewInput): TaskInput {
  const types = fileTypes.map((type, index) => parseFileType(`input.fileTypes[${index}]`, type));
  return {
    prefix: parsePrefix('input.prefix', prefix),
    fileTypes: [...new Set(types)].toSorted(),
    textField: textField ?? null,
  };
}

/** An extension in the form that files have it: lower case, no dot; empty for files without one. */
function parseFileType(field: string, type: string): string {
  const bare = type.trim().replace(/^\./, '').toLowerCase();
  return bare === '' ? '' : parseName(field, bare, 255);
}
