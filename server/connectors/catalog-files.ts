import { Type } from 'typebox';
import { defineSentences } from '../kernel/sentence-catalogue.ts';
import { defineConnector, SourceError, type Effects } from './connector.ts';
import { findHttpProblem, findUrlProblem, headersOf, httpFields, type HttpConfig } from './http-fields.ts';
import { pathOfUrl } from './http-files.ts';
import { authorizationOf, bodyOf, request, type SourceRequest } from './http-requests.ts';

const sentences = defineSentences('catalog-files', {
  LISTS_FILES: 'The catalog lists {count} files',
  CATALOG_UNREADABLE: 'what {url} answers is no catalog: a list of objects with url and checksum',
});

const maxCatalogBytes = 16 * 1024 * 1024;

type CatalogFile = { url: string; checksum: string };

export const catalogFiles = defineConnector({
  type: 'catalog-files',
  name: 'Files of a catalog',
  description: 'Downloads the files that a catalog in JSON lists.',
  incremental: true,
  config: Type.Object({
    url: Type.String({ minLength: 1, maxLength: 4000, description: 'Address of the catalog' }),
    ...httpFields,
  }),

  validate(config) {
    const problem = findUrlProblem(config.url);
    return problem === undefined ? findHttpProblem(config) : { field: 'url', problem };
  },

  destinationsOf: ({ url }) => [URL.parse(url)?.origin ?? url],

  async check(config, effects) {
    const files = await listCatalog(config, effects);
    return { message: sentences.LISTS_FILES.reason({ count: files.length }), sample: files.slice(0, 5) };
  },

  async *read(config, effects) {
    for (const { url, checksum } of await listCatalog(config, effects))
      yield {
        kind: 'file',
        key: url,
        name: url,
        path: pathOfUrl(url),
        stamp: checksum,
        load: async (_known, signal) => {
          const call = callOf(config, url, { maxBytes: 1e9, signal });
          return { bytes: bodyOf(effects, call, await request(effects, call)) };
        },
      };
  },
});

async function listCatalog(config: HttpConfig & { url: string }, effects: Effects): Promise<CatalogFile[]> {
  const call = callOf(config, config.url, { maxBytes: maxCatalogBytes, signal: effects.signal });
  const pieces: Uint8Array[] = [];
  for await (const piece of bodyOf(effects, call, await request(effects, call))) pieces.push(piece);
  const listed = parse(Buffer.concat(pieces).toString());
  if (!Array.isArray(listed) || !listed.every(isFile))
    throw new SourceError(sentences.CATALOG_UNREADABLE.reason({ url: config.url }));
  return listed.map(({ url, checksum }) => ({ url: new URL(url, config.url).href, checksum }));
}

function callOf(
  config: HttpConfig & { url: string },
  url: string,
  limits: Pick<SourceRequest, 'maxBytes' | 'signal'>,
): SourceRequest {
  // Credentials belong to the catalog's server alone.
  const isHome = new URL(url).origin === new URL(config.url).origin;
  const headers = isHome ? { ...headersOf(config), ...authorizationOf(config) } : {};
  return { url, headers, totalMs: 600_000, ...limits };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isFile(value: unknown): value is CatalogFile {
  const { url, checksum } = (value ?? {}) as Partial<CatalogFile>;
  return typeof url === 'string' && typeof checksum === 'string' && URL.canParse(url, 'http://h/');
}
