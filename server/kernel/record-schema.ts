import { Type, type TSchema } from 'typebox';

/** `.` would match no line end, and what is sent or answered under such a name would be left out or go unchecked. */
const anyName = Type.String({ pattern: String.raw`^[\s\S]*$` });

/** The schema of an object whose members may have any name, with line ends, too, and a value of one schema each. */
export function recordOf<Values extends TSchema>(
  values: Values,
  options: { description?: string; maxProperties?: number } = {},
) {
  return Type.Record(anyName, values, options);
}
