/** A link of a Link header (RFC 8288); names of parameters are in lower case, and the first of a name counts. */
export type HeaderLink = { target: string; params: ReadonlyMap<string, string> };

/** The target of a relation of the page at `base`; links of other contexts (`anchor`) do not count. */
export function linkTo(relation: string, header: string | null, base?: string): string | undefined {
  const wanted = relation.toLowerCase();
  for (const { target, params } of parseLinks(header ?? '')) {
    const relations = (params.get('rel') ?? '').toLowerCase().split(/\s+/);
    if (relations.includes(wanted) && isOfPage(params.get('anchor'), base)) return target;
  }
  return undefined;
}

function isOfPage(anchor: string | undefined, base: string | undefined): boolean {
  if (anchor === undefined) return true;
  return base !== undefined && URL.parse(anchor, base)?.href === URL.parse(base)?.href;
}

/** Reads the links of a header by RFC 8288, appendix B.2; what is no link ends at the next comma. */
export function parseLinks(header: string): HeaderLink[] {
  const links: HeaderLink[] = [];
  let at = 0;
  while (at < header.length) {
    const target = /[\s,]*<([^>]*)>/y;
    target.lastIndex = at;
    const found = target.exec(header);
    if (found === null) {
      at = afterComma(header, at);
      continue;
    }
    const { params, end } = readParams(header, target.lastIndex);
    links.push({ target: (found[1] ?? '').trim(), params });
    at = afterComma(header, end);
  }
  return links;
}

function readParams(header: string, start: number): { params: Map<string, string>; end: number } {
  const params = new Map<string, string>();
  let at = start;
  for (;;) {
    const name = /\s*;[\s;]*([^\s=;,"]*)\s*(=)?\s*/y;
    name.lastIndex = at;
    const found = name.exec(header);
    if (found === null) return { params, end: at };
    at = name.lastIndex;
    const { value, end } = found[2] === undefined ? { value: '', end: at } : readValue(header, at);
    at = end;
    const key = (found[1] ?? '').toLowerCase();
    if (key !== '' && !params.has(key)) params.set(key, value);
  }
}

function readValue(header: string, start: number): { value: string; end: number } {
  if (header[start] !== '"') {
    const end = start + (/^[^;,]*/.exec(header.slice(start))?.[0].length ?? 0);
    return { value: header.slice(start, end).trim(), end };
  }
  let value = '';
  let at = start + 1;
  while (at < header.length && header[at] !== '"') {
    if (header[at] === '\\') at += 1;
    value += header[at] ?? '';
    at += 1;
  }
  return { value, end: at + 1 };
}

/** The place after the next comma that is not in quotation marks or angle brackets. */
function afterComma(header: string, start: number): number {
  for (let at = start; at < header.length; at += 1) {
    if (header[at] === ',') return at + 1;
    if (header[at] === '"') at = readValue(header, at).end - 1;
    else if (header[at] === '<' && at > start) return at;
  }
  return header.length;
}
