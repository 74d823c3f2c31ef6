import { inputProblems, type Reason } from '../kernel/sentences/index.ts';
import { findUnencodable } from './encoder.ts';
import type { Encoding } from '../encodings/encodings.ts';
import { findOverlap, type ValueChange } from './json-values.ts';

export function notValid(what: 'row' | 'line', encoding: Encoding): Reason {
  const problem = what === 'row' ? inputProblems.ROW_NO_UTF8 : inputProblems.LINE_NO_UTF8;
  return problem.reason({ encoding: encoding.toUpperCase() });
}

/** Why the encoding of the file can't represent the texts. */
export function refuseCharacters(texts: readonly string[], encoding: Encoding): Reason | undefined {
  for (const text of texts) {
    const missing = findUnencodable(text, encoding);
    if (missing === undefined) continue;
    const point = (missing.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return inputProblems.ENCODING_LACKS.reason({
      encoding: encoding.toUpperCase(),
      character: missing.toWellFormed(),
      codePoint: `U+${point}`,
    });
  }
  return undefined;
}

/** Why the values can't be written together. */
export function refuseOverlap(changes: readonly ValueChange[]): Reason | undefined {
  // A renamed member may also get another value.
  const written = changes.filter((change) => 'value' in change || 'items' in change);
  const overlap = findOverlap(written.map(({ path }) => path));
  if (overlap === undefined) return undefined;
  const [outer = '', inner = ''] = overlap.map((path) => JSON.stringify(path.join('.')));
  return outer === inner
    ? inputProblems.WRITTEN_TWICE.reason({ field: outer })
    : inputProblems.WRITTEN_WITHIN.reason({ outer, inner });
}
