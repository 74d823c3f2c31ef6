import { Type, type Static } from 'typebox';
import { isExactNumber } from '../kernel/exact-json.ts';
import { SourceError } from './connector.ts';
import { linkTo } from './link-header.ts';
import { findMember, parseMemberPath } from './member-path.ts';
import { sourceSentences } from './sentences.ts';

const param = (description: string) => Type.String({ minLength: 1, maxLength: 100, description });
const size = Type.Integer({ default: 100, minimum: 1, maximum: 100_000, description: 'Records per request' });

export const Paging = Type.Union([
  Type.Object({
    type: Type.Literal('PAGE'),
    pageParam: param('Query parameter for the page number'),
    sizeParam: Type.Optional(param('Query parameter for the records per page')),
    size: Type.Optional(size),
    firstPage: Type.Integer({ default: 1, minimum: 0, maximum: 1_000_000 }),
  }),
  Type.Object({
    type: Type.Literal('OFFSET'),
    offsetParam: param('Query parameter for the number of records to skip'),
    limitParam: Type.Optional(param('Query parameter for the records per page')),
    size: Type.Optional(size),
  }),
  Type.Object({
    type: Type.Literal('CURSOR'),
    cursorParam: param('Query parameter for the cursor'),
    cursorPath: Type.String({
      minLength: 1,
      maxLength: 300,
      description:
        'Path to the next cursor or next URL in a response, such as meta.next, @odata.nextLink, data[-1].id or links["next.page"]',
    }),
    cursorType: Type.Optional(
      Type.Unsafe<'AUTO' | 'VALUE' | 'URL'>({
        type: 'string',
        enum: ['AUTO', 'VALUE', 'URL'],
        default: 'AUTO',
        description:
          'Whether the path leads to a cursor (VALUE) or to the URL of the next page, which may be relative (URL). By default, texts that look like a URL are one',
      }),
    ),
  }),
  Type.Object({ type: Type.Literal('LINK') }),
]);

export type PagingRule = Static<typeof Paging>;
type CursorRule = Extract<PagingRule, { type: 'CURSOR' }>;

/** What paging needs of an answer. */
export type AnsweredPage = { body: unknown; link: string | null };

export function firstUrl(url: string, paging: PagingRule | undefined): URL {
  const first = new URL(url);
  if (paging?.type === 'PAGE') {
    first.searchParams.set(paging.pageParam, String(paging.firstPage));
    if (paging.sizeParam !== undefined) first.searchParams.set(paging.sizeParam, String(paging.size ?? 100));
  }
  if (paging?.type === 'OFFSET') {
    first.searchParams.set(paging.offsetParam, '0');
    if (paging.limitParam !== undefined) first.searchParams.set(paging.limitParam, String(paging.size ?? 100));
  }
  return first;
}

/** The URL of the next page; undefined after the last one. A short page is not the end: servers may return less than requested. */
export function nextUrl(
  paging: PagingRule | undefined,
  { url, page, records, answer }: { url: URL; page: number; records: number; answer: AnsweredPage },
): URL | undefined {
  switch (paging?.type) {
    case undefined:
      return undefined;
    case 'PAGE':
      return withParam(url, paging.pageParam, String(paging.firstPage + page));
    case 'OFFSET':
      return withParam(url, paging.offsetParam, String(records));
    case 'CURSOR':
      return nextByCursor(paging, url, answer.body);
    case 'LINK': {
      const target = linkTo('next', answer.link, url.href);
      return target === undefined ? undefined : resolved(target, url.href);
    }
  }
}

/** Whether the answer has what names the next page; also true on the last page, if it says there that there is none. */
export function saysNext(paging: PagingRule | undefined, { body, link }: AnsweredPage): boolean {
  if (paging?.type === 'CURSOR') return findMember(body, cursorPathOf(paging)) !== undefined;
  return paging?.type !== 'LINK' || link !== null;
}

function cursorPathOf({ cursorPath }: CursorRule) {
  return parseMemberPath(cursorPath) ?? [{ name: cursorPath, isWhole: true }];
}

function withParam(url: URL, name: string, value: string): URL {
  const next = new URL(url);
  next.searchParams.set(name, value);
  return next;
}

function resolved(reference: string, base: string): URL {
  const url = URL.parse(reference, base);
  if (url === null) throw new SourceError(sourceSentences.NEXT_NO_URL.reason({ url: reference.slice(0, 200) }));
  url.hash = '';
  return url;
}

/** Zero is no next cursor: APIs with numeric cursors end with it. */
const ends = new Set<unknown>([undefined, null, '', false, 0, '0']);

function nextByCursor(paging: CursorRule, url: URL, body: unknown): URL | undefined {
  const { cursorParam, cursorPath, cursorType = 'AUTO' } = paging;
  const found = findMember(body, cursorPathOf(paging));
  const cursor = found?.value;
  if (ends.has(cursor)) return undefined;
  if (isExactNumber(cursor)) return withParam(url, cursorParam, cursor.rawJSON);
  if (typeof cursor !== 'string' && typeof cursor !== 'number')
    throw new SourceError(
      sourceSentences.NO_CURSOR.reason({ path: cursorPath, found: JSON.stringify(cursor).slice(0, 80) }),
    );
  const text = String(cursor);
  const isUrl = cursorType === 'AUTO' ? looksLikeUrl(text, url) : cursorType === 'URL';
  return isUrl ? resolved(withPrefix(found?.holder, text, url), url.href) : withParam(url, cursorParam, text);
}

/**
 * Whether a text is a URL and not a cursor: it has a scheme, begins like a relative reference, or has a query. Base64 may
 * begin with a slash, too; such a text is a URL if its path begins as the page's does.
 */
function looksLikeUrl(text: string, page: URL): boolean {
  if (/^https?:\/\//i.test(text) || /^(?:\?|\.\.?\/)/.test(text) || /^[\w.~/%-]+\?[^=&]+=/.test(text)) return true;
  if (!text.startsWith('/')) return false;
  const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/.test(text) && text.length % 4 === 0 && text.length >= 12;
  return !isBase64 || (page.pathname !== '/' && text.split('/')[1] === page.pathname.split('/')[1]);
}

/** The reference below the `base` that some APIs have beside it, unless it begins there already. */
function withPrefix(holder: unknown, reference: string, page: URL): string {
  const given = typeof holder === 'object' && holder !== null && 'base' in holder ? holder.base : undefined;
  const base = typeof given === 'string' ? URL.parse(given) : null;
  if (base === null || base.origin !== page.origin || !/^\/(?!\/)/.test(reference)) return reference;
  const prefix = base.pathname.replace(/\/$/, '');
  return reference.startsWith(`${prefix}/`) ? reference : prefix + reference;
}
