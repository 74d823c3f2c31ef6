/** Bytes from `start` up to but not including `end`. */
export type ByteRange = { start: number; end: number };

export type RangeAnswer =
  /** No usable Range header: the whole is sent. */
  { kind: 'whole' } | { kind: 'ranges'; ranges: ByteRange[] } | { kind: 'unsatisfiable' };

/**
 * Many or overlapping parts would let a small request cause a large answer; RFC 9110 14.2 allows sending the whole
 * instead.
 */
export const maxRanges = 16;

/**
 * The ranges that a Range header (RFC 9110 14.1.2) requests of `sizeBytes` bytes. Other units and malformed headers count as
 * none; ranges beyond the end are ignored if another remains.
 */
export function parseRange(header: string, sizeBytes: number): RangeAnswer {
  const match = /^bytes=(.*)$/i.exec(header.trim());
  const specs = match?.[1]?.split(',').map((spec) => spec.trim()) ?? [];
  const ranges: ByteRange[] = [];
  let asked = 0;
  for (const spec of specs) {
    // A list may contain empty elements (RFC 9110 5.6.1).
    if (spec === '') continue;
    const range = parseSpec(spec, sizeBytes);
    if (range === undefined) return { kind: 'whole' };
    asked += 1;
    if (range !== 'outside') ranges.push(range);
  }
  if (asked === 0) return { kind: 'whole' };
  if (ranges.length === 0) return { kind: 'unsatisfiable' };
  // The last bytes of empty content: satisfiable, but Content-Range can not express it.
  if (sizeBytes === 0 || ranges.length > maxRanges || overlap(ranges)) return { kind: 'whole' };
  return { kind: 'ranges', ranges };
}

/** One range-spec; undefined when it is malformed. */
function parseSpec(spec: string, sizeBytes: number): ByteRange | 'outside' | undefined {
  const match = /^(\d*)-(\d*)$/.exec(spec);
  if (match === null) return undefined;
  const [, first = '', last = ''] = match;
  if (first === '') {
    if (last === '') return undefined;
    const length = Number(last);
    return length === 0 ? 'outside' : { start: Math.max(0, sizeBytes - length), end: sizeBytes };
  }
  const start = Number(first);
  const end = last === '' ? sizeBytes : Math.min(Number(last) + 1, sizeBytes);
  if (last !== '' && Number(last) < start) return undefined;
  return start >= sizeBytes ? 'outside' : { start, end };
}

function overlap(ranges: readonly ByteRange[]): boolean {
  const sorted = ranges.toSorted((a, b) => a.start - b.start);
  return sorted.some((range, index) => range.start < (sorted[index - 1]?.end ?? 0));
}

/** Entity tags of an If-Match or If-None-Match header; `*` stands for whatever there is. */
function parseEntityTags(header: string): '*' | { weak: boolean; tag: string }[] {
  if (header.trim() === '*') return '*';
  return [...header.matchAll(/(W\/)?"([\u0021\u0023-\u007e\u0080-\u00ff]*)"/g)].map(([, weak, tag = '']) => ({
    weak: weak !== undefined,
    tag,
  }));
}

/** If-None-Match (RFC 9110 13.1.2): whether the client has the content of this tag already. */
export function noneMatchHolds(header: string, tag: string): boolean {
  const tags = parseEntityTags(header);
  return tags === '*' || tags.some((known) => known.tag === tag);
}

/** If-Match (RFC 9110 13.1.1): whether the client means the content of this strong tag. */
export function matchHolds(header: string, tag: string): boolean {
  const tags = parseEntityTags(header);
  return tags === '*' || tags.some((known) => !known.weak && known.tag === tag);
}

/** If-Range (RFC 9110 13.1.5): matches only this strong tag; a date never matches, because no Last-Modified is sent. */
export function ifRangeHolds(header: string, tag: string): boolean {
  return header.trim() === `"${tag}"`;
}
