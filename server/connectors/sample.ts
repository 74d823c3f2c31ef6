/** Characters shown per cell of a sample. */
export const sampleCellLength = 1000;
/** Characters of all cells of a sample. */
const sampleLength = 200_000;

type Row = Readonly<Record<string, unknown>>;

const { isRawJSON } = JSON as unknown as { isRawJSON(value: unknown): boolean };

/**
 * A sample of limited size: long texts end in `…`, numbers that a double can not hold and long lists become text, and
 * the rows end at the total limit.
 */
export function cutSample(rows: readonly Row[]): Record<string, unknown>[] {
  let left = sampleLength;
  const cut: Record<string, unknown>[] = [];
  for (const row of rows) {
    if (left <= 0) break;
    const cells: [string, unknown][] = [];
    for (const [name, value] of Object.entries(row)) {
      if (left <= 0) {
        cells.push(['…', 'further columns are not shown']);
        break;
      }
      const cell = cellOf(value);
      left -= shorten(name).length + (JSON.stringify(cell) ?? '').length;
      cells.push([shorten(name), cell]);
    }
    cut.push(Object.fromEntries(cells));
  }
  return cut;
}

function cellOf(value: unknown): unknown {
  if (typeof value === 'string') return shorten(value);
  if (typeof value !== 'object' || value === null) return value;
  const text = JSON.stringify(value);
  if (isRawJSON(value) || text.length > sampleCellLength) return shorten(text);
  return exact(value);
}

/** Turns the numbers in a short value that a double would change into text. */
function exact(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (isRawJSON(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return value.map(exact);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, exact(each)]));
}

function shorten(text: string): string {
  return text.length <= sampleCellLength ? text : `${text.slice(0, sampleCellLength)}…`;
}
