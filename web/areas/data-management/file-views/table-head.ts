import Papa from 'papaparse';
import { parseExact, isExactNumber } from './exact-numbers.ts';

/** A row of a preview: its cells, or the line if it is unreadable. */
export type HeadRow = { number: number; cells: Readonly<Record<string, unknown>> } | { number: number; raw: string };

export type TableHead = { columns: string[]; rows: HeadRow[] };

/**
 * The first rows of a JSONL text, numbered as a run numbers them: blank lines are none, and a line that is no object
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

/** The most frequent delimiter of the header, outside quotes. */
function guessDelimiter(text: string): string {
  const header = text.replaceAll(/"[^"]*"/g, '').split(/\r?\n|\r/, 1)[0] ?? '';
  const counts = [',', ';', '\t', '|'].map((delimiter) => ({ delimiter, count: header.split(delimiter).length - 1 }));
  return counts.reduce((most, next) => (next.count > most.count ? next : most)).delimiter;
}

/** The first rows of a CSV or TSV text with a header row; the delimiter is detected. */
export function readDelimitedHead(text: string, isWhole: boolean, delimiter: string): TableHead {
  const between = delimiter || guessDelimiter(text);
  const { data } = Papa.parse<string[]>(text, { delimiter: between, skipEmptyLines: 'greedy' });
  if (!isWhole) data.pop();
  const [header = [], ...body] = data;
  const columns = header.map((name, index) =>
    name === '' || header.indexOf(name) !== index ? `${name}#${index + 1}` : name,
  );
  return {
    columns,
    rows: body.map((cells, index) =>
      cells.length === columns.length
        ? { number: index + 1, cells: Object.fromEntries(columns.map((name, at) => [name, cells[at]])) }
        : { number: index + 1, raw: cells.join(between) },
    ),
  };
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
