import { inputProblems, type Reason } from '../kernel/sentences/index.ts';
/** The column that holds the text; or, if it is ambiguous, the string columns that may be it. */
export type TextField = { ok: true; field: string } | { ok: false; candidates: string[] };

/**
 * Detects the text column from a file's first rows: `text` if it is a string, otherwise the only string column;
 * undefined if no row could be read.
 */
export function guessTextField(rows: Iterable<Readonly<Record<string, unknown>>>): TextField | undefined {
  const columns = new Set<string>();
  let seen = false;
  for (const row of rows) {
    seen = true;
    for (const [name, value] of Object.entries(row)) if (typeof value === 'string') columns.add(name);
  }
  return seen ? chooseTextField([...columns]) : undefined;
}

/** Like `guessTextField`, from the names of all string columns. */
export function chooseTextField(stringColumns: readonly string[]): TextField {
  const columns = new Set(stringColumns);
  if (columns.has('text')) return { ok: true, field: 'text' };
  const [only, ...others] = columns;
  return only !== undefined && others.length === 0
    ? { ok: true, field: only }
    : { ok: false, candidates: [...columns].toSorted() };
}

/** Why a table whose text column is ambiguous can't be cleaned, and what to do about it. */
export function describeUnclear(fileName: string, candidates: readonly string[]): Reason {
  return candidates.length === 0
    ? inputProblems.TEXT_COLUMN_NONE.reason({ file: fileName })
    : inputProblems.TEXT_COLUMN_UNCLEAR.reason({ file: fileName, columns: candidates.join(', ') });
}
