import type { RunningApp } from '../support/server.ts';

export type Visit = { path: string; status: number; bytes: Buffer; body: unknown };

const datasets = '/api/v1/data-management/datasets';

/** The query that a path requires. */
const queries: Readonly<Record<string, (datasetId: string) => string>> = {
  '/api/v1/data-cleaning/profiles': (datasetId) => `?sourceDatasetId=${datasetId}`,
  [`${datasets}/{datasetId}/diff`]: () => '?from=1&to=1',
};

/** Paths whose values no list has, and one that measures each operator; other tests call them. */
const leftOut: ReadonlySet<string> = new Set([
  '/api/v1/data-management/lineage/{kind}/{id}',
  `${datasets}/{datasetId}/diff/rows`,
  `${datasets}/{datasetId}/files/upload/{reqId}`,
  `${datasets}/{datasetId}/files/upload/{reqId}/events`,
  '/api/v1/operator-market/speeds',
]);

/**
 * Calls every GET of the service for every thing that its lists name, following the parameters of the paths: the values of
 * `{id}` in `/tasks/{id}/runs` are the ids that `/tasks` lists. `unvisited` are the paths for which nothing is listed.
 */
export async function callEveryGet(service: RunningApp): Promise<{ visits: Visit[]; unvisited: string[] }> {
  const { body: document } = await service.api<{ paths: Record<string, object> }>('GET', '/api/v1/openapi.json');
  const templates = Object.keys(document.paths).filter(
    (path) => 'get' in (document.paths[path] ?? {}) && !leftOut.has(path),
  );
  const visits = new Map<string, Visit>();
  const unvisited: string[] = [];
  // Lists come before what they list.
  for (const template of [datasets, ...templates.toSorted((a, b) => a.length - b.length)]) {
    const paths = pathsOf(template, visits);
    if (paths.length === 0) unvisited.push(template);
    for (const path of paths) {
      if (visits.has(path)) continue;
      const oldest = idsOf(visits.get(datasets)?.body).at(-1) ?? '';
      visits.set(path, await visit(service, path, queries[template]?.(oldest)));
    }
  }
  return { visits: [...visits.values()], unvisited };
}

/** The paths of a template, for all things in the lists that have been read. */
function pathsOf(template: string, visits: ReadonlyMap<string, Visit>): string[] {
  let paths = [''];
  for (const part of template.split('/').slice(1))
    paths = part.startsWith('{')
      ? paths.flatMap((list) => idsOf(visits.get(list)?.body).map((id) => `${list}/${encodeURIComponent(id)}`))
      : paths.map((path) => `${path}/${part}`);
  return paths;
}

type Item = { id?: string; sampleId?: string; run?: { id: string } };

/** The ids of a list, whether it is a page or not, and within `data` or not. */
function idsOf(body: unknown): string[] {
  if (typeof body !== 'object' || body === null) return [];
  if (Array.isArray(body)) return body.flatMap((item: Item) => item.id ?? item.sampleId ?? item.run?.id ?? []);
  const { data, content, entries } = body as { data?: unknown; content?: unknown; entries?: unknown };
  return idsOf(content ?? entries ?? data);
}

async function visit({ url, token }: RunningApp, path: string, query = ''): Promise<Visit> {
  const ending = new AbortController();
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(url + path + query, { headers, signal: ending.signal });
  const { status } = response;
  const type = response.headers.get('content-type')?.split(';')[0];
  // Events may go on for ever.
  if (type === 'text/event-stream') {
    ending.abort();
    return { path, status, bytes: Buffer.of(), body: undefined };
  }
  const bytes = Buffer.from(await response.arrayBuffer());
  const body = type === 'application/json' ? (JSON.parse(bytes.toString()) as unknown) : undefined;
  return { path, status, bytes, body };
}
