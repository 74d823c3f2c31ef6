import { checkJsonMemory } from './json-memory.ts';

/**
 * Parses JSON as `JSON.parse` specifies it. V8 13 and 14 read a name that begins with the same characters as a name
 * parsed before, then `\`, and continues with an escape, as that earlier name: after `{"a":[],"\\":0}`, the `"` in
 * `{"a":1,"\"":2}` becomes `\` (https://github.com/nodejs/node/issues/63785). A misread name always contains a `\`;
 * a value with such a name is parsed again, with its names written without escapes.
 *
 * @throws SyntaxError if the text is not JSON, JsonTooLarge if its values may need too much of the heap.
 */
export function parseJsonText(text: string): unknown {
  return reviveJsonText(text, undefined);
}

/** The same, with values replaced. */
export function reviveJsonText(text: string, reviver: ValueReviver | undefined): unknown {
  checkJsonMemory(text);
  const revived = reviver as Reviver | undefined;
  const value: unknown = JSON.parse(text, revived);
  return text.includes('\\') && hasBackslashInName(value) ? parseStrictly(text, revived) : value;
}

/** Replaces a value; must not depend on the key. `source` is the JSON text of a number, string, true, false or null. */
export type ValueReviver = (key: unknown, value: unknown, context: { source?: string }) => unknown;
type Reviver = Parameters<typeof JSON.parse>[1];

/** Iterative, because JSON.parse accepts values of any depth. */
function hasBackslashInName(value: unknown): boolean {
  const open = [value];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (typeof part !== 'object' || part === null) continue;
    if (!Array.isArray(part) && Object.keys(part).some((name) => name.includes('\\'))) return true;
    for (const inner of Object.values(part)) if (typeof inner === 'object') open.push(inner);
  }
  return false;
}

const stringOrName = /("(?:[^"\\]|\\.)*")(\s*:)?/g;

/** Parses valid JSON with names written as `x` and the hexadecimal digits of their UTF-16 units; restores the names. */
function parseStrictly(text: string, reviver: Reviver): unknown {
  const withSafeNames = text.replace(stringOrName, (whole, literal: string, end?: string) =>
    end === undefined ? whole : `"x${Buffer.from(JSON.parse(literal) as string, 'utf16le').toString('hex')}"${end}`,
  );
  return withNames(JSON.parse(withSafeNames, reviver));
}

function withNames(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) return value.map(withNames);
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      Buffer.from(name.slice(1), 'hex').toString('utf16le'),
      withNames(part),
    ]),
  );
}
