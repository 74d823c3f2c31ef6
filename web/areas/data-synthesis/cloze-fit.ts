import type { ColumnDraft } from './column-draft.ts';

export const clozeId = 'builtin-cloze';

/** The fields in the replies of `builtin:cloze`. */
const clozeFields: Readonly<Record<string, string>> = {
  question: 'string',
  answer: 'string',
  source: 'string',
  start: 'integer',
  end: 'integer',
};

type Asked = {
  outputSchema?: unknown;
  columns?: readonly Pick<ColumnDraft, 'name' | 'kind' | 'model' | 'outputSchema'>[] | null;
};

/**
 * What a template requires of its model but `builtin:cloze` can not supply: fields of its record, or columns with their fields. It
 * replies only with a question and its answer, and grades nothing.
 */
export function clozeLacks({ outputSchema, columns }: Asked, taskModel: string = clozeId): string[] {
  if (columns === undefined || columns === null) return taskModel === clozeId ? fieldsLacking(outputSchema) : [];
  return columns
    .filter(({ kind, model }) => (kind === 'MODEL' || kind === 'JUDGE') && (model ?? taskModel) === clozeId)
    .flatMap(({ name, kind, outputSchema: schema }) =>
      kind === 'JUDGE' ? [name] : fieldsLacking(schema).map((field) => `${name}.${field}`),
    );
}

function fieldsLacking(schema: unknown): string[] {
  const { properties, required } = (schema ?? {}) as { properties?: unknown; required?: unknown };
  if (!Array.isArray(required)) return [];
  const known = (properties ?? {}) as Readonly<Record<string, { type?: unknown } | undefined>>;
  return required
    .map(String)
    .filter((name) => !Object.hasOwn(clozeFields, name) || !fits(known[name]?.type, clozeFields[name] ?? ''));
}

/** Whether a value of the given type satisfies the type in the schema. */
function fits(wanted: unknown, given: string): boolean {
  const types = Array.isArray(wanted) ? wanted : [wanted];
  return types.some((type) => type === undefined || type === given || (type === 'number' && given === 'integer'));
}
