import { createHash } from 'node:crypto';

/** JSON with sorted keys and without undefined values: equal values have equal texts (as in RFC 8785). */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each) ? sorted(each as Record<string, unknown>) : each,
  );
}

function sorted(record: Record<string, unknown>): Record<string, unknown> {
  const keys = Object.keys(record);
  for (let at = 1; at < keys.length; at++)
    if ((keys[at - 1] ?? '') > (keys[at] ?? ''))
      return Object.fromEntries(keys.sort().map((key) => [key, record[key]]));
  return record;
}

/** SHA-256 over length-delimited texts; 43 characters that are valid in an id. */
export function hashOf(...texts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(`${text.length}:`).update(text);
  return hash.digest('base64url');
}
