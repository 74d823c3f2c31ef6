/** A parsed DuckDB column type. */
export type TypeTree =
  | { kind: 'scalar'; name: string }
  | { kind: 'list'; item: TypeTree }
  | { kind: 'object'; fields: readonly { name: string; type: TypeTree }[] };

/** Parses a type as DuckDB prints it: `STRUCT(role VARCHAR, "n o" BIGINT[])[]`. */
export function parseColumnType(text: string): TypeTree {
  const item = /^(?<item>.*)\[\d*\]$/s.exec(text)?.groups?.['item'];
  if (item !== undefined) return { kind: 'list', item: parseColumnType(item) };
  if (!text.startsWith('STRUCT(')) return { kind: 'scalar', name: text };
  const fields = partsOf(text.slice('STRUCT('.length, -1)).map((part) => {
    const {
      quoted,
      plain = '',
      type = '',
    } = /^(?:"(?<quoted>(?:[^"]|"")*)"|(?<plain>\S+)) (?<type>.*)$/s.exec(part)?.groups ?? {};
    return { name: quoted?.replaceAll('""', '"') ?? plain, type: parseColumnType(type) };
  });
  return { kind: 'object', fields };
}

/** Splits the members of an object at the commas outside brackets and quotes. */
function partsOf(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (const { 0: token, index } of text.matchAll(/"(?:[^"]|"")*"|'(?:[^']|'')*'|[(),]/g)) {
    if (token === '(') depth += 1;
    if (token === ')') depth -= 1;
    if (token !== ',' || depth > 0) continue;
    parts.push(text.slice(start, index).trim());
    start = index + 1;
  }
  return [...parts, text.slice(start).trim()];
}
