/** The target of a relation in a Link header (RFC 8288). */
export function linkTo(relation: string, header: string | null): string | undefined {
  for (const [, target, params = ''] of (header ?? '').matchAll(
    /<([^>]*)>((?:\s*;\s*[\w*-]+(?:=(?:"[^"]*"|[^",;\s]*))?)*)/g,
  )) {
    const [, quoted, plain] = /;\s*rel=(?:"([^"]*)"|([^",;\s]*))/i.exec(params) ?? [];
    if ((quoted ?? plain ?? '').toLowerCase().split(/\s+/).includes(relation)) return target;
  }
  return undefined;
}
