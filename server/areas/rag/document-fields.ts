import { Check } from 'typebox/schema';
import { invalid } from '../../kernel/errors.ts';
import { parameterProblems } from '../../kernel/parameter-problems.ts';
import { checkText } from '../../kernel/text-fields.ts';
import { DocumentFieldsSchema } from './schemas/documents.ts';

/** Fields that the sender attaches to documents. */
export type DocumentFields = { tags: readonly string[]; metadata: Readonly<Record<string, string>> };

const maxMetadataName = 100;

/** Throws INVALID_PARAMETER; a JSON schema with arbitrary keys cannot limit their length. */
export function checkNames(metadata: DocumentFields['metadata']): void {
  if (Object.keys(metadata).some((name) => name === '' || name.length > maxMetadataName))
    throw invalid('metadata', parameterProblems.MUST_HAVE_NAMES.reason({ limit: maxMetadataName }));
}

/** Parses one form field; throws INVALID_PARAMETER. */
export function parseField(name: 'tags' | 'metadata', value: string): Partial<DocumentFields> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(value);
  } catch {
    throw invalid(name, parameterProblems.IS_NO_JSON.reason({ where: '' }));
  }
  const fields = { [name]: parsed };
  if (!Check(DocumentFieldsSchema, fields))
    throw invalid(
      name,
      name === 'tags'
        ? parameterProblems.MUST_BE_LIST_OF_TEXTS.reason({ limit: 50 })
        : parameterProblems.MUST_BE_OBJECT_OF_TEXTS.reason({ limit: 50 }),
    );
  // The same checks as for JSON bodies.
  for (const text of [...(fields.tags ?? []), ...Object.entries(fields.metadata ?? {}).flat()]) checkText(name, text);
  checkNames(fields.metadata ?? {});
  if (Object.hasOwn(fields.metadata ?? {}, '__proto__'))
    throw invalid('metadata.__proto__', parameterProblems.IS_INVALID.reason({}));
  return fields;
}
