/** Names of the columns with values other than numbers, booleans and dates. */
export function stringColumns(names: readonly string[], rows: readonly string[][]): string[] {
  const found = new Set<number>();
  for (const row of rows) {
    if (row.length !== names.length) continue;
    for (const [column, cell] of row.entries()) if (!found.has(column) && isWords(cell)) found.add(column);
  }
  return names.filter((_, column) => found.has(column));
}

const noWords =
  /^(?:[-+]?(?:\d[\d.,]*|\.\d+)(?:e[-+]?\d+)?\s*%?|true|false|yes|no|null|nan|none|n\/a|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[T ][\d:.,+Z-]*)?|)$/i;

/** Whether a cell holds words: neither empty nor a number, a truth value or a date. */
export function isWords(cell: string): boolean {
  return cell.length > 40 || !noWords.test(cell.trim());
}
