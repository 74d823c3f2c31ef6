import { findUnencodable } from './encoder.ts';
import type { Encoding } from './encodings.ts';
import { findOverlap, type ValueChange } from './json-values.ts';

export function notValid(what: 'row' | 'line', encoding: Encoding): string {
  return `INVALID_ENCODING: the ${what} is not valid ${encoding.toUpperCase()}`;
}

/** Why the encoding of the file can't represent the texts. */
export function refuseCharacters(texts: readonly string[], encoding: Encoding): string | undefined {
  for (const text of texts) {
    const missing = findUnencodable(text, encoding);
    if (missing === undefined) continue;
    const point = (missing.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return `the file is in ${encoding.toUpperCase()}, which has no ${missing.toWellFormed()} (U+${point}) of the new text; convert it to UTF-8`;
  }
  return undefined;
}

/** Why the values can't be written together. */
export function refuseOverlap(changes: readonly ValueChange[]): string | undefined {
  // A renamed member may also get another value.
  const written = changes.filter((change) => 'value' in change || 'items' in change);
  const overlap = findOverlap(written.map(({ path }) => path));
  if (overlap === undefined) return undefined;
  const [outer, inner] = overlap.map((path) => JSON.stringify(path.join('.')));
  return outer === inner ? `${outer} is written twice` : `${outer} and ${inner} within it are both written`;
}
