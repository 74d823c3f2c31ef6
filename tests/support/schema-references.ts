type Json = Record<string, unknown>;

/** A schema of an OpenAPI document with all references resolved. */
export function withoutReferences(document: object, schema: unknown): Json {
  const { $ref, ...own } = record(schema);
  return record(expand(document, typeof $ref === 'string' ? { ...target(document, $ref), ...own } : own));
}

function expand(document: object, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => expand(document, item));
  if (typeof value !== 'object' || value === null) return value;
  if ('$ref' in value) return withoutReferences(document, value);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expand(document, item)]));
}

/** The target of a reference such as `#/components/schemas/Dataset`; empty if it doesn't exist. */
export function target(document: object, reference: string): Json {
  let found: unknown = document;
  for (const key of reference.replace('#/', '').split('/')) found = record(found)[key];
  return record(found);
}

function record(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}
