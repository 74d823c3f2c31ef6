import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendContent } from '../../../http/byte-response.ts';
import { readBody } from '../../../http/json-body.ts';
import type { AreaApp, AreaRoutes } from '../../../http/routes.ts';
import { AppError, invalid } from '../../../kernel/errors.ts';
import { parameterProblems } from '../../../kernel/parameter-problems.ts';
import { dataErrors } from '../errors.ts';
import type { HubName } from './hub-names.ts';
import type { Hub, HubReader, TreeQuery } from './hub.ts';

/** For all routes of Hub clients: they are described in docs/hub.md, not in the API document. */
const access = { config: { access: 'VIEWER' }, schema: { hide: true } } as const;
/** For calls that the allowance of a version may cover. */
const deferred = { ...access, config: { access: 'VIEWER', rateLimit: 'deferred' } } as const;
const maxBodyBytes = 1024 * 1024;
const maxPaths = 1_000;
const pageEntries = 1_000;
/** Entries of a page with their last commits: each folder costs a query. */
const expandedEntries = 100;

type Params = { namespace?: string; repo: string; revision?: string; '*'?: string };

/** Values of the error header that Hub clients read, by our error code. */
const hubCodes: Readonly<Record<string, string>> = {
  DATASET_NOT_FOUND: 'RepoNotFound',
  HUB_REVISION_NOT_FOUND: 'RevisionNotFound',
  HUB_ENTRY_NOT_FOUND: 'EntryNotFound',
};

/** The read endpoints of the Hugging Face Hub for datasets, outside `/api/v1`. */
export function hubRoutes({ hub }: { hub: Hub }): AreaRoutes {
  return (app) => {
    app.get('/api/whoami-v2', access, (request) => {
      const { username } = request.principal;
      return {
        type: 'user',
        id: username,
        name: username,
        fullname: username,
        orgs: [],
        auth: { type: 'access_token' },
      };
    });
    app.get('/api/datasets', access, async (request, reply) => {
      const query = request.query as Record<string, unknown>;
      const size = numberOf(query, 'limit', { fallback: 100, min: 1, max: 1_000 });
      const page = numberOf(query, 'page', { fallback: 0, min: 0, max: 1_000_000 });
      const search = typeof query['search'] === 'string' ? query['search'] : undefined;
      const { infos, isLast } = await hub.list({ search, page, size });
      if (!isLast) linkNext(request, reply, { page: String(page + 1) });
      return infos;
    });
    for (const repo of ['/:repo', '/:namespace/:repo']) addRepository(app, hub, repo);
    app.post('/api/repos/create', access, () => refuseWrite());
  };
}

function addRepository(app: AreaApp, hub: Hub, repo: string): void {
  const api = `/api/datasets${repo}`;
  const answer =
    <T>(work: (name: HubName, params: Params, request: FastifyRequest, reply: FastifyReply) => Promise<T>) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<T> => {
      const params = request.params as Params;
      try {
        return await work({ namespace: params.namespace, name: params.repo }, params, request, reply);
      } catch (error) {
        if (error instanceof AppError) {
          const code = hubCodes[error.code];
          if (code !== undefined) reply.header('x-error-code', code);
          reply.header('x-error-message', error.message.replaceAll(/[^\x20-\x7e]/g, '?'));
        }
        throw error;
      }
    };
  const info = answer((name, { revision = 'main' }, request) =>
    hub.info(name, revision, isTrue(request.query as Record<string, unknown>, 'blobs')),
  );
  const tree = answer(async (name, { revision = 'main', '*': path = '' }, request, reply) => {
    const query = await charged(request, () => treeQueryOf(path, request.query as Record<string, unknown>));
    const page = await hub.tree(name, revision, query, readerOf(request));
    if (page.cursor !== undefined) linkNext(request, reply, { cursor: page.cursor });
    return page.entries;
  });
  app.get(api, access, info);
  app.get(`${api}/revision/:revision`, access, info);
  app.get(
    `${api}/refs`,
    access,
    answer((name) => hub.refs(name)),
  );
  app.get(`${api}/tree/:revision`, deferred, tree);
  app.get(`${api}/tree/:revision/*`, deferred, tree);
  app.post(
    `${api}/paths-info/:revision`,
    { ...access, config: { access: 'VIEWER', body: 'stream', rateLimit: 'deferred' } },
    answer(async (name, { revision = 'main' }, request) =>
      hub.paths(name, revision, await charged(request, () => readPaths(request.raw)), readerOf(request)),
    ),
  );
  app.get(
    `/datasets${repo}/resolve/:revision/*`,
    deferred,
    answer(async (name, { revision = 'main', '*': path = '' }, request, reply) => {
      const { commit, sha256, ...content } = await hub.file(name, revision, path, readerOf(request));
      const size = String(content.source.sizeBytes);
      const headers = { 'x-repo-commit': commit, 'x-linked-size': size, 'x-linked-etag': `"${sha256 ?? content.tag}"` };
      return sendContent(request, reply, { ...content, headers });
    }),
  );
  for (const write of ['preupload', 'commit']) app.post(`${api}/${write}/:revision`, access, () => refuseWrite());
}

function readerOf(request: FastifyRequest): HubReader {
  return { credentialId: request.principal.credentialId, charge: () => request.chargeRateLimit() };
}

/** Reads the parameters of a deferred call; the call counts if they are wrong. */
async function charged<T>(request: FastifyRequest, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    request.chargeRateLimit();
    throw error;
  }
}

function treeQueryOf(path: string, query: Record<string, unknown>): TreeQuery {
  const expand = isTrue(query, 'expand');
  const most = expand ? expandedEntries : pageEntries;
  return {
    path,
    recursive: isTrue(query, 'recursive'),
    cursor: typeof query['cursor'] === 'string' ? query['cursor'] : '',
    limit: numberOf(query, 'limit', { fallback: most, min: 1, max: most }),
    expand,
  };
}

function refuseWrite(): never {
  throw dataErrors.HUB_READ_ONLY();
}

function isTrue(query: Record<string, unknown>, name: string): boolean {
  return ['true', 'True', '1'].includes(query[name] as string);
}

/** Parses a number; one above `max` is reduced to it: clients follow the links to the rest. Throws INVALID_PARAMETER. */
function numberOf(
  query: Record<string, unknown>,
  name: string,
  { fallback, min, max }: { fallback: number; min: number; max: number },
): number {
  const given = query[name];
  if (given === undefined) return fallback;
  const number = Number(given);
  if (given === '' || !Number.isInteger(number)) throw invalid(name, parameterProblems.MUST_BE_INTEGER.reason({}));
  if (number < min) throw invalid(name, parameterProblems.MUST_BE_AT_LEAST.reason({ limit: min }));
  return Math.min(number, max);
}

/** Sends the link to the next page that Hub clients follow: the same call with changed parameters. */
function linkNext(request: FastifyRequest, reply: FastifyReply, change: Record<string, string>): void {
  const url = new URL(request.originalUrl, `${request.protocol}://${request.host}`);
  for (const [name, value] of Object.entries(change)) url.searchParams.set(name, value);
  reply.header('link', `<${url.href}>; rel="next"`);
}

/** Reads the paths, and whether to expand them, from a form or JSON: clients send either. */
async function readPaths(request: IncomingMessage): Promise<{ paths: string[]; expand: boolean }> {
  const body = await readBody(request, maxBodyBytes, 'The list of paths');
  const query = pathsOf(body.toString('utf8'), request.headers['content-type'] ?? '');
  if (query.paths.length > maxPaths)
    throw invalid('paths', parameterProblems.MUST_BE_AT_MOST.reason({ limit: maxPaths }));
  return query;
}

function pathsOf(text: string, contentType: string): { paths: string[]; expand: boolean } {
  if (!contentType.includes('json')) {
    const form = new URLSearchParams(text);
    return { paths: form.getAll('paths'), expand: isTrue(Object.fromEntries(form), 'expand') };
  }
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw invalid('body', parameterProblems.IS_NO_JSON.reason({ where: '' }));
  }
  const { paths, expand } = (body ?? {}) as { paths?: unknown; expand?: unknown };
  const list = typeof paths === 'string' ? [paths] : paths;
  if (!Array.isArray(list) || !list.every((path) => typeof path === 'string'))
    throw invalid('paths', parameterProblems.MUST_BE_TEXTS.reason({}));
  return { paths: list, expand: expand === true };
}
