import { readDelimitedRows, type Dialect } from './delimited-rows.ts';
import { parseExact, isExactNumber } from './exact-numbers.ts';

/** A row of a preview: its cells, or the raw line if it is unreadable. */
export type HeadRow = { number: number; cells: Readonly<Record<string, unknown>> } | { number: number; raw: string };

export type TableHead = { columns: string[]; rows: HeadRow[] };

/**
 * The first rows of a JSONL text, numbered as in a run: blank lines do not count, and a line that is not an object
 * can't be read. An incomplete last line is left out unless the text is whole.
 */
export function readJsonlHead(text: string, isWhole: boolean): TableHead {
  const lines = text.split('\n');
  if (!isWhole) lines.pop();
  const columns = new Set<string>();
  const rows: HeadRow[] = [];
  for (const line of lines) {
    if (line.trim() === '') continue;
    const number = rows.length + 1;
    const cells = parseObject(line);
    if (cells === undefined) rows.push({ number, raw: line });
    else {
      for (const key of Object.keys(cells)) columns.add(key);
      rows.push({ number, cells });
    }
  }
  return { columns: [...columns], rows };
}

/** The first rows of a CSV or TSV text with a header row, read and numbered as in a run. */
export function readDelimitedHead(text: string, isWhole: boolean, dialect: Dialect): TableHead {
  const columns = dialect.columns.map((name, index) =>
    name === '' || dialect.columns.indexOf(name) !== index ? `${name}#${index + 1}` : name,
  );
  const rows = readDelimitedRows(text, isWhole, dialect).map(({ cells, raw }, index): HeadRow => {
    const number = index + 1;
    return cells === undefined
      ? { number, raw }
      : { number, cells: Object.fromEntries(columns.map((name, at) => [name, cells[at]])) };
  });
  return { columns, rows };
}

function parseObject(line: string): Record<string, unknown> | undefined {
  try {
    const value = parseExact(line);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
