type PagedAnswer = { body: unknown; link?: string; status?: number };
/** What an API answers to a query; `home` is its URL, whose path is that of the real one. */
type PagedFake = (query: URLSearchParams, home: string) => PagedAnswer;
export type PagedApi = { name: string; path: string; config: object; answer: PagedFake };

export const pagedRecords = [0, 1, 2, 3, 4, 5, 6].map((id) => ({ id }));
/** Two records from a position on; `next` is the position of the following ones. */
function cut(from: number | string | null): { items: { id: number }[]; next: number | undefined } {
  const start = Number(from ?? 0);
  return { items: pagedRecords.slice(start, start + 2), next: start + 2 < pagedRecords.length ? start + 2 : undefined };
}
export const cursor = (cursorParam: string, cursorPath: string) => ({ type: 'CURSOR', cursorParam, cursorPath });
const opaque = (at: number | undefined): string | undefined => (at === undefined ? undefined : `c.${at}==`);
const place = (text: string | null): string => text?.replaceAll(/\D/g, '') ?? '0';

/** How well-known APIs cut seven records into pages of two. */
export const pagedApis: readonly PagedApi[] = [
  {
    name: 'GitHub',
    path: '/repos/o/r/issues',
    config: { paging: { type: 'LINK' } },
    answer(query, home) {
      const { items, next } = cut(query.get('page'));
      return {
        body: items,
        link: `${next === undefined ? '' : `<${home}?page=${next}>; rel="next", `}<${home}?page=6>; rel="last"`,
      };
    },
  },
  {
    name: 'Shopify',
    path: '/admin/api/products.json',
    config: { recordsPath: 'products', paging: { type: 'LINK' } },
    answer(query, home) {
      const { items, next } = cut(place(query.get('page_info')));
      const previous = `<${home}?page_info=p1>; rel="previous"`;
      return {
        body: { products: items },
        link: next === undefined ? previous : `${previous}, <${home}?page_info=p${next}>; rel = "next"`,
      };
    },
  },
  {
    name: 'Mastodon',
    path: '/api/v1/timelines/public',
    config: { paging: { type: 'LINK' } },
    answer(query, home) {
      const { items, next } = cut(query.get('max_id'));
      const others = `<${home}/comments?page=9>; rel="next"; anchor="#comments"`;
      return { body: items, link: next === undefined ? others : `${others}, <${home}?max_id=${next}>; rel=next` };
    },
  },
  {
    name: 'Microsoft Graph',
    path: '/v1.0/users',
    config: { recordsPath: 'value', paging: cursor('$skiptoken', '@odata.nextLink') },
    answer(query, home) {
      const { items, next } = cut(query.get('$skiptoken'));
      const link = next === undefined ? {} : { '@odata.nextLink': `${home}?$skiptoken=${next}` };
      return { body: { '@odata.context': 'x', value: items, ...link } };
    },
  },
  {
    name: 'Microsoft Graph with an empty page',
    path: '/v1.0/me/events',
    config: { recordsPath: 'value', paging: cursor('$skip', '["@odata.nextLink"]') },
    answer(query, home) {
      if (!query.has('$skip')) return { body: { value: [], '@odata.nextLink': `${home}?$skip=0` } };
      const { items, next } = cut(query.get('$skip'));
      return { body: { value: items, ...(next === undefined ? {} : { '@odata.nextLink': `${home}?$skip=${next}` }) } };
    },
  },
  {
    name: 'SAP OData 2',
    path: '/sap/opu/odata/Products',
    config: { recordsPath: 'd.results', paging: cursor('$skiptoken', 'd.__next') },
    answer(query, home) {
      const { items, next } = cut(query.get('$skiptoken'));
      return {
        body: { d: { results: items, ...(next === undefined ? {} : { __next: `${home}?$skiptoken=${next}` }) } },
      };
    },
  },
  {
    name: 'SAP OData 4, relative',
    path: '/sap/opu/odata4/Products',
    config: { recordsPath: 'value', paging: cursor('$skiptoken', '@odata\\.nextLink') },
    answer(query) {
      const { items, next } = cut(query.get('$skiptoken'));
      return {
        body: { value: items, ...(next === undefined ? {} : { '@odata.nextLink': `Products?$skiptoken=${next}` }) },
      };
    },
  },
  {
    name: 'Salesforce',
    path: '/services/data/v60.0/query',
    config: { recordsPath: 'records', paging: cursor('q', 'nextRecordsUrl') },
    answer(query) {
      const { items, next } = cut(query.get('at'));
      const more = next === undefined ? {} : { nextRecordsUrl: `/services/data/v60.0/query?at=${next}` };
      return { body: { records: items, done: next === undefined, ...more } };
    },
  },
  {
    name: 'Confluence, below a context',
    path: '/wiki/rest/api/content',
    config: { recordsPath: 'results', paging: cursor('start', '_links.next') },
    answer(query, home) {
      const { items, next } = cut(query.get('start'));
      const more = next === undefined ? {} : { next: `/rest/api/content?start=${next}` };
      return { body: { results: items, _links: { base: new URL('/wiki', home).href, context: '/wiki', ...more } } };
    },
  },
  {
    name: 'Confluence 2',
    path: '/wiki/api/v2/pages',
    config: { recordsPath: 'results', paging: cursor('cursor', '_links.next') },
    answer(query, home) {
      const { items, next } = cut(query.get('cursor'));
      const more = next === undefined ? {} : { next: `/wiki/api/v2/pages?cursor=${next}` };
      return { body: { results: items, _links: { base: new URL('/wiki', home).href, ...more } } };
    },
  },
  {
    name: 'Jira',
    path: '/rest/api/2/search',
    config: { recordsPath: 'issues', paging: { type: 'OFFSET', offsetParam: 'startAt', limitParam: 'maxResults' } },
    answer: (query) => ({ body: { total: 7, maxResults: 2, issues: cut(query.get('startAt')).items } }),
  },
  {
    name: 'Slack',
    path: '/api/users.list',
    config: { recordsPath: 'members', paging: cursor('cursor', 'response_metadata.next_cursor') },
    answer(query) {
      const { items, next } = cut(place(query.get('cursor')));
      return { body: { ok: true, members: items, response_metadata: { next_cursor: opaque(next) ?? '' } } };
    },
  },
  {
    name: 'Stripe',
    path: '/v1/customers',
    config: { recordsPath: 'data', paging: cursor('starting_after', 'data[-1].id') },
    answer(query) {
      const after = query.get('starting_after');
      const { items, next } = cut(after === null ? 0 : Number(after) + 1);
      return { body: { object: 'list', data: items, has_more: next !== undefined } };
    },
  },
  {
    name: 'Notion',
    path: '/v1/users',
    config: { recordsPath: 'results', paging: cursor('start_cursor', 'next_cursor') },
    answer(query) {
      const { items, next } = cut(place(query.get('start_cursor')));
      return { body: { results: items, has_more: next !== undefined, next_cursor: opaque(next) ?? null } };
    },
  },
  {
    name: 'HubSpot',
    path: '/crm/v3/objects/contacts',
    config: { recordsPath: 'results', paging: cursor('after', 'paging.next.after') },
    answer(query) {
      const { items, next } = cut(query.get('after'));
      return { body: { results: items, ...(next === undefined ? {} : { paging: { next: { after: String(next) } } }) } };
    },
  },
  {
    name: 'Facebook Graph',
    path: '/v20.0/me/posts',
    config: { recordsPath: 'data', paging: cursor('after', 'paging.next') },
    answer(query, home) {
      const { items, next } = cut(query.get('after'));
      const cursors = { before: 'x', after: 'y' };
      return {
        body: { data: items, paging: { cursors, ...(next === undefined ? {} : { next: `${home}?after=${next}` }) } },
      };
    },
  },
  {
    name: 'YouTube',
    path: '/youtube/v3/search',
    config: { recordsPath: 'items', paging: cursor('pageToken', 'nextPageToken') },
    answer(query) {
      const { items, next } = cut(place(query.get('pageToken')));
      return { body: { items, ...(next === undefined ? {} : { nextPageToken: opaque(next) }) } };
    },
  },
  {
    name: 'Twitter 1.1',
    path: '/1.1/followers/list.json',
    config: { recordsPath: 'users', paging: cursor('cursor', 'next_cursor') },
    answer(query) {
      // 64-bit numbers that no double holds.
      const big = query.get('cursor');
      const { items, next } = cut(big === null ? 0 : Number(BigInt(big) - 9_007_199_254_740_993n));
      const digits = next === undefined ? '0' : String(9_007_199_254_740_993n + BigInt(next));
      return { body: `{"users":${JSON.stringify(items)},"next_cursor":${digits}}` };
    },
  },
  {
    name: 'X 2',
    path: '/2/tweets/search/recent',
    config: { recordsPath: 'data', paging: cursor('pagination_token', 'meta.next_token') },
    answer(query) {
      const { items, next } = cut(place(query.get('pagination_token')));
      return {
        body: { data: items, meta: { result_count: 2, ...(next === undefined ? {} : { next_token: opaque(next) }) } },
      };
    },
  },
  {
    name: 'Zendesk',
    path: '/api/v2/tickets.json',
    config: { recordsPath: 'tickets', paging: cursor('page[after]', 'links.next') },
    answer(query, home) {
      const { items, next } = cut(query.get('page[after]'));
      const link = next === undefined ? null : `${home}?page[after]=${next}`;
      return { body: { tickets: items, meta: { has_more: next !== undefined }, links: { next: link } } };
    },
  },
  {
    name: 'Airtable',
    path: '/v0/app/Table',
    config: { recordsPath: 'records', paging: cursor('offset', 'offset') },
    answer(query) {
      const { items, next } = cut(place(query.get('offset')));
      return { body: { records: items, ...(next === undefined ? {} : { offset: `itr/rec${next}` }) } };
    },
  },
  {
    name: 'Django REST framework',
    path: '/api/users/',
    config: { recordsPath: 'results', paging: cursor('page', 'next') },
    answer(query, home) {
      const { items, next } = cut(query.get('page'));
      return { body: { count: 7, next: next === undefined ? null : `${home}?page=${next}`, results: items } };
    },
  },
  {
    name: 'Wikipedia',
    path: '/w/api.php',
    config: { recordsPath: 'query.pages', paging: cursor('gapcontinue', 'continue.gapcontinue') },
    answer(query) {
      const { items, next } = cut(place(query.get('gapcontinue')));
      const more = next === undefined ? {} : { continue: { gapcontinue: `Seite_${next}`, continue: 'gapcontinue||' } };
      return { body: { query: { pages: items }, ...more } };
    },
  },
  {
    name: 'Crossref',
    path: '/works',
    config: { recordsPath: 'message.items', paging: cursor('cursor', 'message.next-cursor') },
    answer(query) {
      const at = Number(place(query.get('cursor')));
      // The cursor of the last page is given again and again.
      return { body: { message: { items: cut(at).items, 'next-cursor': `c${Math.min(at + 2, 8)}=` } } };
    },
  },
  {
    name: 'Reddit',
    path: '/r/all/new.json',
    config: { recordsPath: 'data.children', paging: cursor('after', 'data.after') },
    answer(query) {
      const { items, next } = cut(place(query.get('after')?.slice(3) ?? null));
      return { body: { kind: 'Listing', data: { children: items, after: next === undefined ? null : `t3_${next}` } } };
    },
  },
  {
    name: 'Base64 that begins with a slash',
    path: '/items',
    config: { recordsPath: 'items', paging: cursor('t', 'token') },
    answer(query) {
      const text = query.get('t');
      const { items, next } = cut(text === null ? 0 : Number(text.slice(12, 13)));
      return { body: { items, token: next === undefined ? null : `/wEPDwUKLTM4${next}AA=` } };
    },
  },
  {
    name: 'No content after the last page',
    path: '/pages',
    config: { paging: { type: 'PAGE', pageParam: 'page', firstPage: 0 } },
    answer(query) {
      const { items } = cut(Number(query.get('page')) * 2);
      return items.length === 0 ? { body: '', status: 204 } : { body: items };
    },
  },
  {
    name: 'PostgREST with a status of its own for pages',
    path: '/rest/v1/rows',
    config: { paging: { type: 'OFFSET', offsetParam: 'offset', limitParam: 'limit' } },
    answer: (query) => ({ body: cut(query.get('offset')).items, status: 206 }),
  },
];
