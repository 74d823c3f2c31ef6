import { createHash } from 'node:crypto';
import robotsParser, { type Robot } from 'robots-parser';
import type { Reason } from '../../kernel/sentences/index.ts';
import { SourceError } from '../connector.ts';
import { OutgoingError } from '../../outgoing/index.ts';
import { sourceSentences } from '../sentences.ts';
import { robotsPathOf, sameEncoding, sameRobots } from './same-encoding.ts';

/** A server's rules for its addresses: robots.txt (RFC 9309) and tdmrep.json (TDM Reservation Protocol). */
export type OriginRules = {
  crawlDelayMs: number;
  sitemaps: readonly string[];
  /** Why an address must not be fetched. */
  findRefusal(url: URL): { kind: 'dropped' | 'failed'; reason: Reason } | undefined;
  /** The rules that apply, as evidence for the item. */
  evidenceOf(url: URL): Readonly<Record<string, unknown>>;
};

/** A small file of the server; `text` is null if it has none. */
export type ControlFile = { status: number; text: string | null; fetchedAt: string };
/** Throws SourceError and OutgoingError if the server fails. */
export type FetchControlFile = (url: string, maxBytes: number) => Promise<ControlFile>;

/** Above the 500 KiB of a robots.txt that RFC 9309 requires to be parsed. */
const maxRobotsBytes = 512 * 1024;
const maxTdmrepBytes = 1024 * 1024;

// The package's types describe an ES module, but it is CommonJS.
const parseRobots = robotsParser as unknown as (url: string, text: string) => Robot;

export async function fetchOriginRules(
  origin: string,
  robotsName: string,
  fetchFile: FetchControlFile,
): Promise<OriginRules> {
  const url = `${origin}/robots.txt`;
  let file: ControlFile;
  try {
    file = await fetchFile(url, maxRobotsBytes);
  } catch (error) {
    if (!(error instanceof SourceError) && !(error instanceof OutgoingError)) throw error;
    // RFC 9309, 2.3.1.4: a server whose robots.txt can not be reached is not crawled.
    const reason = sourceSentences.ROBOTS_UNREADABLE.reason({ why: error.reason });
    return {
      crawlDelayMs: 0,
      sitemaps: [],
      findRefusal: () => ({ kind: 'failed', reason }),
      evidenceOf: () => ({ robotsTxt: { url, problem: error.message } }),
    };
  }
  // 2.3.1.3: without a robots.txt everything may be fetched.
  const robots = parseRobots(url, sameRobots(file.text ?? ''));
  const tdm = await fetchReservations(origin, fetchFile);
  const delay = robots.getCrawlDelay(robotsName) ?? 0;
  const sha256 = file.text === null ? null : createHash('sha256').update(file.text).digest('hex');
  const said = {
    url,
    status: file.status,
    fetchedAt: file.fetchedAt,
    sha256,
    ...(delay > 0 ? { crawlDelay: delay } : {}),
  };
  const isAllowed = (target: URL): boolean => robots.isAllowed(origin + robotsPathOf(target), robotsName) !== false;
  return {
    crawlDelayMs: delay > 0 ? delay * 1000 : 0,
    sitemaps: robots.getSitemaps(),
    findRefusal: (target) =>
      isAllowed(target) ? undefined : { kind: 'dropped', reason: sourceSentences.ROBOTS_DISALLOW.reason({}) },
    evidenceOf(target) {
      const line = robots.getMatchingLineNumber(origin + robotsPathOf(target), robotsName);
      const reservation = tdm.find(target);
      return {
        robotsTxt: { ...said, allowed: isAllowed(target), ...(line > 0 ? { line } : {}) },
        ...(reservation === undefined ? {} : { tdmrep: reservation }),
        ...(tdm.problem === undefined ? {} : { tdmrep: { problem: tdm.problem } }),
      };
    },
  };
}

type Reservation = { location: string; 'tdm-reservation': unknown; 'tdm-policy'?: unknown };

/** The reservations in a server's /.well-known/tdmrep.json; the longest matching location applies. */
async function fetchReservations(
  origin: string,
  fetchFile: FetchControlFile,
): Promise<{ find(url: URL): Reservation | undefined; problem: string | undefined }> {
  let rules: Reservation[] = [];
  let problem: string | undefined;
  try {
    const { text } = await fetchFile(`${origin}/.well-known/tdmrep.json`, maxTdmrepBytes);
    const parsed = JSON.parse(text ?? '[]') as unknown;
    rules = [parsed].flat().filter(isReservation);
  } catch (error) {
    if (error instanceof SyntaxError) problem = 'is no JSON';
    else if (error instanceof SourceError || error instanceof OutgoingError) problem = error.message;
    else throw error;
  }
  const byLength = rules.toSorted((one, other) => other.location.length - one.location.length);
  return {
    find: (url) =>
      byLength.find(({ location }) =>
        matchesLocation(sameEncoding(`${url.pathname}${url.search}`), sameEncoding(location)),
      ),
    problem,
  };
}

function isReservation(value: unknown): value is Reservation {
  return typeof value === 'object' && value !== null && 'location' in value && typeof value.location === 'string';
}

/** A location is a path pattern as in robots.txt: a prefix, with `*` for anything and `$` for the end. */
function matchesLocation(path: string, location: string): boolean {
  const isWhole = location.endsWith('$');
  const parts = (isWhole ? location.slice(0, -1) : location).split('*');
  const [first = '', ...rest] = parts;
  if (!path.startsWith(first)) return false;
  let at = first.length;
  for (const [index, part] of rest.entries()) {
    const isLast = index === rest.length - 1;
    if (isWhole && isLast) return path.length - part.length >= at && path.endsWith(part);
    const found = path.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return !isWhole || at === path.length;
}
