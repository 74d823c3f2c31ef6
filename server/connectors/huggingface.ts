import { createHash } from 'node:crypto';
import { Type } from 'typebox';
import { defineConnector, SourceError, type Effects, type FetchedFile } from './connector.ts';
import { findCredentialProblem, findUrlProblem, secret } from './http-fields.ts';
import { linkTo } from './link-header.ts';
import { bodyOf, request, type SourceRequest } from './http-requests.ts';
import { filterFields, findExclusion } from './path-filter.ts';
import { safePath } from './safe-path.ts';
import { sourceSentences } from './sentences.ts';

const maxListBytes = 64 * 1024 * 1024;
const sampleFiles = 5;

type Config = {
  endpoint: string;
  repository: string;
  revision: string;
  token?: string | null;
  include?: string[];
  exclude?: string[];
};

/** A file as the Hub lists it; large ones have a second id, their SHA-256. */
type HubEntry = { path: string; size: number; oid: string; lfs?: { oid?: string } };

/** A file of a repository. */
type HubFile = { path: string; sizeBytes: number; oid: string; sha256: string | undefined };

export const huggingface = defineConnector({
  type: 'huggingface',
  name: 'Hugging Face dataset',
  description:
    'Downloads the files of a dataset repository at a revision, from the Hub or any server with its HTTP API. Later runs fetch only files whose hash has changed; large files are verified against their SHA-256.',
  incremental: true,
  listsAll: true,
  parallel: 4,
  config: Type.Object({
    repository: Type.String({
      pattern: '^[\\w.-]+(?:/[\\w.-]+)?$',
      maxLength: 200,
      description: 'Name of the dataset, such as org/name',
    }),
    revision: Type.String({ default: 'main', minLength: 1, maxLength: 200, description: 'Branch, tag or commit' }),
    endpoint: Type.String({ default: 'https://huggingface.co', maxLength: 1000, description: 'URL of the Hub' }),
    token: secret('Access token, for private and gated datasets'),
    ...filterFields,
  }),

  validate({ endpoint, token }) {
    const problem = findUrlProblem(endpoint);
    return problem === undefined ? findCredentialProblem({ token }) : { field: 'endpoint', problem };
  },

  destinationsOf: ({ endpoint }) => [URL.parse(endpoint)?.origin ?? endpoint],

  async check(config, effects) {
    const commit = await resolveCommit(config, effects);
    const sample: Record<string, unknown>[] = [];
    for await (const { path, sizeBytes } of listFiles(config, effects, commit)) {
      if (findExclusion(path, config) !== undefined) continue;
      sample.push({ name: path, sizeBytes });
      if (sample.length === sampleFiles) break;
    }
    return {
      message: sourceSentences.REPOSITORY_AT.reason({ repository: config.repository, commit: commit.slice(0, 12) }),
      sample,
    };
  },

  async *read(config, effects) {
    // All files belong to one commit, even if a push happens meanwhile.
    const commit = await resolveCommit(config, effects);
    await effects.log(
      'INFO',
      sourceSentences.REPOSITORY_REVISION.reason({ repository: config.repository, revision: config.revision, commit }),
    );
    for await (const { path, oid, sha256 } of listFiles(config, effects, commit)) {
      const exclusion = findExclusion(path, config);
      if (exclusion !== undefined) {
        yield { kind: 'dropped', name: path, reason: exclusion };
        continue;
      }
      yield {
        kind: 'file',
        key: `${config.endpoint} ${config.repository} ${path}`,
        name: path,
        path: safePath(path.split('/')),
        stamp: sha256 ?? oid,
        async load(_known, signal): Promise<FetchedFile> {
          const url = `${baseOf(config)}/datasets/${config.repository}/resolve/${commit}/${encoded(path)}`;
          const call = { ...callOf(config, url, signal), maxBytes: Number.MAX_SAFE_INTEGER, totalMs: 86_400_000 };
          const answer = await request(effects, call);
          const bytes = bodyOf(effects, call, answer);
          const evidence = { repository: config.repository, commit, oid };
          return { bytes: sha256 === undefined ? bytes : checked(bytes, sha256, path), evidence };
        },
      };
    }
  },
});

async function resolveCommit(config: Config, effects: Effects): Promise<string> {
  const url = `${baseOf(config)}/api/datasets/${config.repository}/revision/${encodeURIComponent(config.revision)}`;
  const { sha } = ((await askJson(config, effects, url)).body ?? {}) as { sha?: unknown };
  if (typeof sha !== 'string' || !/^[\da-f]{7,64}$/.test(sha))
    throw new SourceError(
      sourceSentences.REPOSITORY_NO_COMMIT.reason({ host: config.endpoint, revision: config.revision }),
    );
  return sha;
}

async function* listFiles(config: Config, effects: Effects, commit: string): AsyncGenerator<HubFile> {
  const first = `${baseOf(config)}/api/datasets/${config.repository}/tree/${commit}?recursive=true`;
  const { origin } = new URL(first);
  const seen = new Set<string>();
  for (let url: string | undefined = first; url !== undefined;) {
    if (seen.has(url) || new URL(url).origin !== origin)
      throw new SourceError(sourceSentences.REPOSITORY_LEADS_AWAY.reason({ repository: config.repository, url }));
    seen.add(url);
    const { body, link } = await askJson(config, effects, url);
    if (!Array.isArray(body))
      throw new SourceError(sourceSentences.REPOSITORY_NO_LIST.reason({ host: config.endpoint }));
    for (const entry of body as Record<string, unknown>[]) {
      if (entry['type'] !== 'file') continue;
      const { path, size: sizeBytes, oid, lfs = {} } = entry as HubEntry;
      yield {
        path,
        sizeBytes,
        oid,
        sha256: lfs.oid?.replace(/^sha256:/, ''),
      };
    }
    const next = linkTo('next', link, url);
    url = next === undefined ? undefined : new URL(next, url).href;
  }
}

async function askJson(config: Config, effects: Effects, url: string): Promise<{ body: unknown; link: string | null }> {
  const call = { ...callOf(config, url, effects.signal), maxBytes: maxListBytes, totalMs: 120_000 };
  const answer = await request(effects, call);
  try {
    return { body: JSON.parse(await answer.text()) as unknown, link: answer.headers.get('link') };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new SourceError(sourceSentences.ANSWER_NO_JSON.reason({ host: config.endpoint }), { cause: error });
  }
}

/** Passes the bytes on and checks that their hash is the listed one: a mirror or proxy may have another file. */
async function* checked(bytes: AsyncIterable<Uint8Array>, sha256: string, path: string): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  for await (const piece of bytes) {
    hash.update(piece);
    yield piece;
  }
  if (hash.digest('hex') !== sha256) throw new SourceError(sourceSentences.CONTENT_OTHER_HASH.reason({ path }));
}

function callOf({ token }: Config, url: string, signal: AbortSignal): Omit<SourceRequest, 'maxBytes' | 'totalMs'> {
  const authorization: Record<string, string> =
    typeof token === 'string' && token !== '' ? { authorization: `Bearer ${token}` } : {};
  return { url, headers: { 'user-agent': 'tilth', ...authorization }, signal };
}

function baseOf({ endpoint }: Config): string {
  return endpoint.replace(/\/+$/, '');
}

function encoded(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}
