import { createHash } from 'node:crypto';
import { sourceSentences } from '../sentences.ts';
import type { Reason } from '../../kernel/sentences/index.ts';
import { getDomain } from 'tldts';
import { sameEncoding } from './same-encoding.ts';

export type Scope = 'SITE' | 'HOST';

const maxLength = 2000;
const maxSegments = 30;
const maxParams = 20;

/** Query parameters that identify a campaign and never a page. */
const tracking = /^(?:utm_\w+|gclid|gbraid|wbraid|fbclid|msclkid|dclid|yclid|igshid|mc_[ce]id|_ga|_gl|mtm_\w+)$/i;
/** Query parameters that identify a session. */
const session = /^(?:phpsessid|jsessionid|aspsessionid\w*|cfid|cftoken|oscsid|zenid)$/i;
/** Query parameters that identify a session if their value is long. */
const likelySession = /^(?:sid|s_id|session|session_?id|sess)=[\w-]{16,}$/i;

/**
 * The URL to request for a link: absolute, without fragment, credentials, session and campaign parameters; undefined if
 * it is not http or https.
 */
export function addressOf(link: string, base?: string): URL | undefined {
  const url = URL.parse(link.trim(), base);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.hostname === '') return undefined;
  url.hash = '';
  url.username = '';
  url.password = '';
  url.pathname = url.pathname.replace(/;jsessionid=[^/;]*/gi, '');
  const params = url.search.slice(1).split('&');
  const kept = params.filter((param) => param !== '' && !isOfVisit(param));
  if (kept.length < params.length) url.search = kept.join('&');
  return url;
}

function isOfVisit(param: string): boolean {
  const [name = ''] = param.split('=', 1);
  return tracking.test(name) || session.test(name) || likelySession.test(param);
}

/** A key that is the same for all spellings of an address: order of parameters, percent-encoding. */
export function identityOf({ origin, pathname, search }: URL): string {
  const query = search.slice(1).split('&').map(sameEncoding).toSorted().join('&');
  return `${origin}${sameEncoding(pathname)}?${query}`;
}

/** The key of a site: the registrable domain, or host and port where there is none. */
export function siteOf(url: URL, scope: Scope): string {
  if (scope === 'HOST') return url.host;
  return getDomain(url.hostname, { allowPrivateDomains: true }) ?? url.host;
}

/** Why an address looks like one of endlessly many; undefined if it does not. */
export function findTrap(url: URL, nowMs: number): Reason | undefined {
  if (url.href.length > maxLength) return sourceSentences.TRAP_LENGTH.reason({ limit: maxLength });
  const segments = url.pathname.split('/');
  if (segments.length > maxSegments) return sourceSentences.TRAP_PARTS.reason({ limit: maxSegments });
  if (/(\/[^/]+)\1{3}(?:\/|$)|(\/[^/]+\/[^/]+)\2{2}(?:\/|$)/.test(url.pathname))
    return sourceSentences.TRAP_REPEATS.reason({});
  const params = url.search.slice(1).split('&');
  if (params.length > maxParams) return sourceSentences.TRAP_PARAMETERS.reason({ limit: maxParams });
  const year = new Date(nowMs).getUTCFullYear();
  const dates = /(?<!\d)(\d{4})(?:[-/]|[-_/]?(?:0[1-9]|1[0-2])(?!\d))|[?&](?:year|y|jahr|annee)=(\d{4})(?!\d)/gi;
  for (const [, inPath, inQuery] of `${url.pathname}${url.search}`.matchAll(dates)) {
    const found = Number(inPath ?? inQuery);
    if (found > year + 1 && found < 2200) return sourceSentences.TRAP_CALENDAR.reason({ year: found });
  }
  return undefined;
}

const otherTypes = new Set(
  (
    'css js mjs map json5 wasm ico png jpg jpeg jpe gif webp avif svg bmp tif tiff heic psd ai eps woff woff2 ttf otf eot ' +
    'mp3 m4a ogg oga opus wav flac aac mp4 m4v mov avi mkv webm mpg mpeg wmv flv swf ' +
    'zip gz tgz bz2 xz zst 7z rar tar iso dmg exe msi deb rpm apk jar whl bin dll so torrent'
  ).split(' '),
);

/** Types of documents that are fetched if the user wants documents, and the extensions of their files. */
export const documentTypes: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'application/msword': 'doc',
  'application/rtf': 'rtf',
  'text/rtf': 'rtf',
  'application/epub+zip': 'epub',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.oasis.opendocument.text': 'odt',
  'application/vnd.oasis.opendocument.presentation': 'odp',
  'application/vnd.oasis.opendocument.spreadsheet': 'ods',
  'application/json': 'json',
  'application/x-ndjson': 'jsonl',
  'application/xml': 'xml',
  'text/xml': 'xml',
  'text/csv': 'csv',
};
const documentExtensions = new Set([...Object.values(documentTypes), 'ppt', 'xls']);

/** Why an address is not requested because of its extension; undefined if it is. */
export function findOtherType({ pathname }: URL, withDocuments: boolean): Reason | undefined {
  const [, extension = ''] = /\.([a-z0-9]{1,8})$/i.exec(pathname) ?? [];
  const lower = extension.toLowerCase();
  const isOther = otherTypes.has(lower) || (!withDocuments && documentExtensions.has(lower));
  return isOther ? sourceSentences.OTHER_TYPE.reason({ type: `.${lower}` }) : undefined;
}

/** A 72-bit key for an address, so that half a million fit into memory. */
export function keyOf(url: URL): string {
  return createHash('sha256').update(identityOf(url)).digest('base64url').slice(0, 12);
}
