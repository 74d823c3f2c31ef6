/** A table that a query can name, as the service lists it. */
export type KnownTable = {
  names: readonly string[];
  columns: readonly { name: string; type: string }[] | null;
};

export type Completion = { label: string; insert: string; detail: string; kind: 'table' | 'column' | 'word' };

/** The possible completions, and where the word begins that they replace. */
export type Completions = { from: number; options: Completion[] };

const keywords = (
  'SELECT FROM WHERE GROUP BY ORDER BY HAVING LIMIT OFFSET JOIN LEFT INNER ON USING WITH AS AND OR NOT IN IS NULL LIKE ILIKE BETWEEN ' +
  'CASE WHEN THEN ELSE END DISTINCT UNION ALL ASC DESC EXISTS CAST DESCRIBE SUMMARIZE FILTER OVER PARTITION QUALIFY SAMPLE'
).split(' ');
const functions = (
  'count sum avg min max median quantile_cont approx_count_distinct length lower upper trim substr replace regexp_matches regexp_extract ' +
  'round floor coalesce nullif date_trunc strftime list_contains len unnest json_extract_string row_number random'
).split(' ');
const keywordSet = new Set(keywords);

const most = 40;

/** An SQL identifier: quoted, unless it is a plain word. */
export function quoted(name: string): string {
  return /^[a-z_][a-z0-9_]*$/i.test(name) && !keywordSet.has(name.toUpperCase())
    ? name
    : `"${name.replaceAll('"', '""')}"`;
}

/** The names of a table as SQL identifiers: the service lists short names without their quotes. */
export function namesOf({ names }: KnownTable): string[] {
  return names.map((name, index) => (index === 0 ? name : quoted(name)));
}

/** The shortest name that needs no quotes, else the first. */
export function bestName(table: KnownTable): string {
  const names = namesOf(table);
  return names.filter((name) => !name.includes('"')).toSorted((a, b) => a.length - b.length)[0] ?? names[0] ?? '';
}

/** Tables, columns and keywords that begin like the word before the caret. */
export function completionsAt(sql: string, caret: number, tables: readonly KnownTable[]): Completions {
  const before = sql.slice(0, caret);
  const word = /(?:files\.)?"(?:[^"\n]|"")*$|[\p{L}_][\p{L}\p{N}_]*$/u.exec(before)?.[0] ?? '';
  const from = caret - word.length;
  const owner = /([\p{L}_][\p{L}\p{N}_]*|"(?:[^"]|"")+")\s*\.\s*$/u.exec(before.slice(0, from))?.[1];
  const typed = word.replace(/^"/, '').toLowerCase();
  if (owner !== undefined) {
    const named = tableOf(sql, owner, tables);
    return { from, options: ranked(named === undefined ? [] : columnsOf([named]), typed) };
  }
  const wantsTable = /\b(?:from|join|describe|summarize)\s+$/i.test(before.slice(0, from));
  const tableOptions = tables.flatMap((table) =>
    [...new Set([bestName(table), ...namesOf(table)])].map((name): Completion => ({
      label: name,
      insert: name,
      detail: table.names[0] ?? '',
      kind: 'table',
    })),
  );
  if (wantsTable) return { from, options: ranked(tableOptions, typed) };
  if (word === '') return { from, options: [] };
  const used = tables.filter((table) => namesOf(table).some((name) => sql.includes(name)));
  const words = [...keywords, ...functions.map((name) => `${name}(`)].map((one): Completion => ({
    label: one,
    insert: one.endsWith('(') ? one : `${one} `,
    detail: '',
    kind: 'word',
  }));
  return { from, options: ranked([...columnsOf(used.length > 0 ? used : tables), ...tableOptions, ...words], typed) };
}

/** The table that a name or an alias refers to. */
function tableOf(sql: string, owner: string, tables: readonly KnownTable[]): KnownTable | undefined {
  const own = owner.toLowerCase();
  for (const table of tables) {
    for (const name of namesOf(table)) {
      if (name.toLowerCase() === own) return table;
      const at = sql.toLowerCase().indexOf(name.toLowerCase());
      const alias =
        at === -1 ? undefined : /^\s+(?:as\s+)?([\p{L}_][\p{L}\p{N}_]*)/iu.exec(sql.slice(at + name.length))?.[1];
      if (alias?.toLowerCase() === own) return table;
    }
  }
  return undefined;
}

function columnsOf(tables: readonly KnownTable[]): Completion[] {
  const found = new Map<string, Completion>();
  for (const { columns } of tables)
    for (const { name, type } of columns ?? [])
      if (!found.has(name)) found.set(name, { label: name, insert: quoted(name), detail: type, kind: 'column' });
  return [...found.values()];
}

/** Options that begin with what was typed, then those that contain it; none for a complete word, so that Enter ends the line. */
function ranked(options: readonly Completion[], typed: string): Completion[] {
  const plain = (label: string): string => label.toLowerCase().replace(/^"/, '');
  if (typed !== '' && options.some(({ label }) => plain(label) === typed)) return [];
  const begin = options.filter(({ label }) => plain(label).startsWith(typed));
  const contain =
    typed.length < 2 ? [] : options.filter((one) => !begin.includes(one) && plain(one.label).includes(typed));
  return [...begin, ...contain].slice(0, most);
}

/** Example statements for the first table. */
export function examplesFor(
  table: KnownTable,
): { key: 'first' | 'count' | 'summary' | 'frequent' | 'lengths'; sql: string }[] {
  const name = bestName(table);
  const columns = table.columns ?? [];
  const text = columns.find(({ type }) => type === 'VARCHAR');
  const group = columns.find(({ name: column }) => /lang|label|type|category|source|split/i.test(column)) ?? text;
  return [
    { key: 'first', sql: `SELECT *\nFROM ${name}\nLIMIT 100` },
    { key: 'count', sql: `SELECT count(*) AS rows\nFROM ${name}` },
    { key: 'summary', sql: `SUMMARIZE ${name}` },
    ...(group === undefined
      ? []
      : [
          {
            key: 'frequent' as const,
            sql: `SELECT ${quoted(group.name)}, count(*) AS rows\nFROM ${name}\nGROUP BY ALL\nORDER BY rows DESC\nLIMIT 20`,
          },
        ]),
    ...(text === undefined
      ? []
      : [
          {
            key: 'lengths' as const,
            sql: `SELECT length(${quoted(text.name)}) AS characters\nFROM ${name}\nWHERE ${quoted(text.name)} IS NOT NULL`,
          },
        ]),
  ];
}

/** The offset of a place in a text; line and column from 1, in characters. */
export function offsetOf(sql: string, line: number, column: number): number {
  const lines = sql.split('\n');
  const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  return (
    before +
    Array.from(lines[line - 1] ?? '')
      .slice(0, column - 1)
      .join('').length
  );
}
