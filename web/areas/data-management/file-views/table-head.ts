import Papa from 'papaparse';

/** A row of a preview: its cells, or the line if it is unreadable. */
export type HeadRow = { number: number; cells: Readonly<Record<string, unknown>> } | { number: number; raw: string };

export type TableHead = { columns: string[]; rows: HeadRow[] };

/** The first rows of a JSONL text; an incomplete last line is left out unless the text is whole. */
export function readJsonlHead(text: string, isWhole: boolean): TableHead {
  const lines = text.split('\n');
  if (!isWhole) lines.pop();
  const columns = new Set<string>();
  const rows: HeadRow[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const value = parseJson(line);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      for (const key of Object.keys(value)) columns.add(key);
      rows.push({ number: index + 1, cells: value as Record<string, unknown> });
    } else if (value === undefined) rows.push({ number: index + 1, raw: line });
    else {
      columns.add('value');
      rows.push({ number: index + 1, cells: { value } });
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

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
