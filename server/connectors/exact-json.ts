import { parseJsonText } from '../kernel/json-text.ts';

type Source = { source?: string };
type Reviver = (this: unknown, key: string, value: unknown, context: Source) => unknown;
/** JSON of today's ECMAScript, which the types do not know yet. */
const exact = JSON as unknown as {
  parse(text: string, reviver: Reviver): unknown;
  rawJSON(text: string): unknown;
};

/** Whether a text may have numbers that a double does not hold. */
const mayLose = /\d{16}|\d\.\d{15}|[eE][+-]?\d{2}/;

/** Parses JSON; numbers that a double would change keep their digits when they are written again. */
export function parseExactly(text: string): unknown {
  if (!mayLose.test(text)) return parseJsonText(text);
  return exact.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? exact.rawJSON(source) : value,
  );
}
