import type { Reason } from '../../kernel/sentences/index.ts';
import { replyCheckOf } from '../../models/index.ts';
import { synthesisProblems as problems } from './sentences.ts';

type Keywords = Readonly<Record<string, unknown>>;

const bounds = [
  ['minimum', 'maximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
] as const;
/** Keywords that values of `enum` or `const` must satisfy as well. */
const ofValues = ['type', 'minimum', 'maximum', 'minLength', 'maxLength', 'pattern', 'enum', 'const'];

/** Why no value can satisfy one level of a schema; `at` is the path of that level, with a trailing dot. */
export function findContradiction(schema: Keywords, at: string): Reason | undefined {
  for (const [least, most] of bounds) {
    const [low, high] = [schema[least], schema[most]];
    if (typeof low === 'number' && typeof high === 'number' && low > high)
      return problems.SCHEMA_BOUNDS.reason({ least: `${at}${least}`, most: `${at}${most}` });
  }
  const { type, minimum, maximum, enum: values, anyOf } = schema;
  if (type === 'integer' && typeof minimum === 'number' && typeof maximum === 'number')
    if (Math.ceil(minimum) > Math.floor(maximum)) return problems.SCHEMA_NO_VALUE.reason({ at: `${at}type` });
  for (const [keyword, list] of Object.entries({ type, enum: values, anyOf }))
    if (Array.isArray(list) && list.length === 0) return problems.SCHEMA_NO_VALUE.reason({ at: `${at}${keyword}` });
  const chosen = 'const' in schema ? [schema['const']] : Array.isArray(values) ? values : undefined;
  if (chosen !== undefined && !chosen.some((value) => fits(value, schema)))
    return problems.SCHEMA_NO_VALUE.reason({ at: `${at}${'const' in schema ? 'const' : 'enum'}` });
  return findForbidden(schema, at);
}

function fits(value: unknown, schema: Keywords): boolean {
  const own = Object.fromEntries(Object.entries(schema).filter(([keyword]) => ofValues.includes(keyword)));
  return 'value' in replyCheckOf(own)(JSON.stringify(value));
}

/** Finds a required property or list item that is not allowed. */
function findForbidden(schema: Keywords, at: string): Reason | undefined {
  const { required, properties = {}, additionalProperties, items, minItems } = schema;
  if (items === false && typeof minItems === 'number' && minItems > 0)
    return problems.SCHEMA_NO_VALUE.reason({ at: `${at}items` });
  const known = properties as Keywords;
  const name = (Array.isArray(required) ? required : []).find(
    (one: unknown) =>
      typeof one === 'string' && (Object.hasOwn(known, one) ? known[one] : additionalProperties) === false,
  ) as string | undefined;
  return name === undefined ? undefined : problems.SCHEMA_REQUIRED.reason({ at: `${at}required`, name });
}
