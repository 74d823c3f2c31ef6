/** The X-Robots-Tag lines that are for everybody or for this crawler. */
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

/** Whether a page, its answer or its server reserves text and data mining, or says noai. */
export function isReservedBy(evidence: Readonly<Record<string, unknown>>): boolean {
  const isOne = (value: unknown): boolean => value === 1 || value === '1';
  const tdmrep = evidence['tdmrep'] as { 'tdm-reservation'?: unknown } | undefined;
  const robots = directivesOf(
    [evidence['xRobotsTag'], evidence['metaRobots']].filter((each) => typeof each === 'string'),
  );
  if (robots.has('noai') || robots.has('noimageai')) return true;
  // The page itself is nearer than its answer, and that nearer than the file of its server.
  const nearest = evidence['metaTdmReservation'] ?? evidence['tdmReservation'] ?? tdmrep?.['tdm-reservation'];
  return isOne(nearest);
}
