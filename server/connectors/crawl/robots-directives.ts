/** The X-Robots-Tag lines that apply to all crawlers or to this one. */
export function headerRobots({ headers }: Response, robotsName: string): string[] {
  const tag = headers.get('x-robots-tag');
  if (tag === null) return [];
  const own: string[] = [];
  let isForUs = true;
  for (const part of tag.split(',')) {
    const [, name, rest] = /^\s*([\w*-]+)\s*:\s*(.*)$/.exec(part) ?? [];
    const isAgent = name !== undefined && !/^(?:unavailable_after|max-[\w-]+)$/i.test(name);
    if (isAgent) isForUs = name === '*' || name.toLowerCase() === robotsName;
    if (isForUs) own.push(isAgent ? (rest ?? '') : part);
  }
  return own;
}

export function directivesOf(texts: readonly string[]): Set<string> {
  return new Set(texts.flatMap((text) => text.split(',').map((each) => each.trim().toLowerCase())));
}

/** Whether a page, its headers or its server reserves text and data mining, or declares noai. */
export function isReservedBy(evidence: Readonly<Record<string, unknown>>): boolean {
  const isOne = (value: unknown): boolean => value === 1 || value === '1';
  const tdmrep = evidence['tdmrep'] as { 'tdm-reservation'?: unknown } | undefined;
  const robots = directivesOf(
    [evidence['xRobotsTag'], evidence['metaRobots']].filter((each) => typeof each === 'string'),
  );
  if (robots.has('noai') || robots.has('noimageai')) return true;
  // The page takes precedence over its headers, and these over the server's file.
  const nearest = evidence['metaTdmReservation'] ?? evidence['tdmReservation'] ?? tdmrep?.['tdm-reservation'];
  return isOne(nearest);
}
