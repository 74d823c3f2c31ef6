/** The column that holds the text; or that it can't be told, with the columns of strings that it may be. */
export type TextField = { ok: true; field: string } | { ok: false; candidates: string[] };

/**
 * The column that holds the text, told from a file's first rows: `text` where it is a string, else the only string
 * column; undefined when no row could be read.
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

/** The same of the names of all columns of strings. */
export function chooseTextField(stringColumns: readonly string[]): TextField {
  const columns = new Set(stringColumns);
  if (columns.has('text')) return { ok: true, field: 'text' };
  const [only, ...others] = columns;
  return only !== undefined && others.length === 0
    ? { ok: true, field: only }
    : { ok: false, candidates: [...columns].toSorted() };
}

/** Why nothing of a table can be cleaned whose text column can't be told, and what to do about it. */
export function describeUnclear(fileName: string, candidates: readonly string[]): string {
  const found = candidates.length === 0 ? 'it has no string column' : `it has ${candidates.join(', ')}`;
  return `TEXT_COLUMN_UNKNOWN: ${fileName}: can't tell which column holds the text (${found}); set input.textField`;
}
