import { Check } from 'typebox/schema';
import { invalid } from '../../kernel/errors.ts';
import { checkText } from '../../kernel/text-fields.ts';
import { DocumentFieldsSchema } from './schemas.ts';

/** What the sender of documents says of them. */
export type DocumentFields = { tags: readonly string[]; metadata: Readonly<Record<string, string>> };

const maxMetadataName = 100;

/** Throws INVALID_PARAMETER; a JSON schema of any names does not limit their length. */
export function checkNames(metadata: DocumentFields['metadata']): void {
  if (Object.keys(metadata).some((name) => name === '' || name.length > maxMetadataName))
    throw invalid('metadata', `must have names of 1 to ${maxMetadataName} characters`);
}

/** A field of a form; throws INVALID_PARAMETER. */
export function parseField(name: 'tags' | 'metadata', value: string): Partial<DocumentFields> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(value);
  } catch {
    throw invalid(name, 'is not valid JSON');
  }
  const fields = { [name]: parsed };
  if (!Check(DocumentFieldsSchema, fields))
    throw invalid(
      name,
      name === 'tags' ? 'must be a list of at most 50 texts' : 'must be an object of at most 50 texts',
    );
  // As in JSON bodies.
  for (const text of [...(fields.tags ?? []), ...Object.entries(fields.metadata ?? {}).flat()]) checkText(name, text);
  checkNames(fields.metadata ?? {});
  if (Object.hasOwn(fields.metadata ?? {}, '__proto__')) throw invalid('metadata.__proto__', 'is invalid');
  return fields;
}
