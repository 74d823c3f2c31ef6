import { sourceSentences } from './sentences.ts';
import type { Reason } from '../kernel/sentences/index.ts';
import { Type } from 'typebox';
import { fileBody, type NamedFile } from './content-encoding.ts';
import { defineConnector, type FetchedFile, type FileItem } from './connector.ts';
import { findHttpProblem, findUrlProblem, headersOf, httpFields } from './http-fields.ts';
import { authorizationOf, bodyOf, request, type SourceRequest } from './http-requests.ts';
import { safePath } from './safe-path.ts';

type Stamp = { etag: string | null; lastModified: string | null };

const sampleBytes = 2048;

export const httpFiles = defineConnector({
  type: 'http-files',
  name: 'Files from the web',
  description:
    'Downloads a list of URLs. Later runs check ETag and Last-Modified and fetch only what changed; interrupted downloads resume where they stopped.',
  incremental: true,
  parallel: 6,
  config: Type.Object({
    urls: Type.Array(Type.String({ minLength: 1, maxLength: 4000 }), {
      minItems: 1,
      maxItems: 10_000,
      description: 'URLs of the files; the path of each becomes its path in the dataset',
    }),
    ...httpFields,
    maxFileBytes: Type.Integer({
      default: 10_737_418_240,
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Maximum file size',
    }),
    timeoutSeconds: Type.Integer({
      default: 3600,
      minimum: 1,
      maximum: 86_400,
      description: 'Time limit per file; a download also fails if the server sends nothing for a minute',
    }),
  }),

  validate(config) {
    for (const [index, url] of config.urls.entries()) {
      const problem = findUrlProblem(url);
      if (problem !== undefined) return { field: `urls.${index}`, problem };
    }
    return findHttpProblem(config);
  },

  destinationsOf: ({ urls }) => urls.map((url) => URL.parse(url)?.origin ?? url),

  async check(config, effects) {
    const sample: Record<string, unknown>[] = [];
    for (const url of config.urls.slice(0, 3)) {
      const call = { ...callOf(config, url, effects.signal), totalMs: 20_000 };
      const answer = await request(effects, call);
      const start = await firstBytes(answer, fileOf(url, config));
      sample.push({
        name: url,
        path: pathOfUrl(url),
        contentType: answer.headers.get('content-type'),
        sizeBytes: Number(answer.headers.get('content-length') ?? Number.NaN) || null,
        beginning: textOf(start),
      });
    }
    const others = config.urls.length - sample.length;
    return { message: answersOf(sample.length, others), sample };
  },

  async *read(config, effects, cursor) {
    const urls = [...new Set(config.urls)];
    yield { kind: 'expected', inputs: urls.length };
    const start = typeof cursor === 'number' ? cursor : 0;
    for (const [index, url] of urls.entries()) {
      if (index < start) continue;
      const item: FileItem = {
        kind: 'file',
        key: url,
        name: url,
        path: pathOfUrl(url),
        cursor: index + 1,
        async load(known, signal): Promise<FetchedFile | 'unchanged'> {
          const call = callOf(config, url, signal);
          const answer = await request(effects, { ...call, headers: { ...call.headers, ...conditionsOf(known) } });
          if (answer.status === 304) return 'unchanged';
          const stamp: Stamp = {
            etag: answer.headers.get('etag'),
            lastModified: answer.headers.get('last-modified'),
          };
          return {
            bytes: fileBody(bodyOf(effects, call, answer), answer, fileOf(url, config)),
            stamp: stamp.etag === null && stamp.lastModified === null ? undefined : stamp,
            evidence: { contentType: answer.headers.get('content-type'), ...stamp },
          };
        },
      };
      yield item;
    }
  },
});

/** The decoded path of a URL as a file path; a path that ends in a slash is a page. */
export function pathOfUrl(url: string): string {
  const { pathname } = new URL(url);
  const segments = pathname.split('/').map((segment) => {
    try {
      return decodeURIComponent(segment);
    } catch {
      return segment;
    }
  });
  return safePath(pathname.endsWith('/') ? [...segments, 'index.html'] : segments);
}

function callOf(
  config: Parameters<typeof headersOf>[0] & { maxFileBytes: number; timeoutSeconds: number },
  url: string,
  signal: AbortSignal,
): SourceRequest {
  return {
    url,
    headers: { ...headersOf(config), ...authorizationOf(config) },
    maxBytes: config.maxFileBytes,
    totalMs: config.timeoutSeconds * 1000,
    signal,
  };
}

function conditionsOf(known: unknown): Readonly<Record<string, string>> {
  const { etag, lastModified } = (known ?? {}) as Partial<Stamp>;
  if (typeof etag === 'string') return { 'if-none-match': etag };
  return typeof lastModified === 'string' ? { 'if-modified-since': lastModified } : {};
}

const fileOf = (url: string, { maxFileBytes }: { maxFileBytes: number }): NamedFile => ({
  name: pathOfUrl(url),
  maxBytes: maxFileBytes,
});

async function firstBytes(answer: Response, file: NamedFile): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  if (answer.body === null) return Buffer.alloc(0);
  for await (const piece of fileBody(answer.body, answer, file)) {
    pieces.push(piece);
    size += piece.length;
    if (size >= sampleBytes) break;
  }
  return Buffer.concat(pieces).subarray(0, sampleBytes);
}

/** The bytes as UTF-8 text; null if they are not. */
function textOf(bytes: Buffer): string | null {
  const text = bytes.toString('utf8');
  return text.includes('\0') || text.slice(0, -3).includes('\ufffd') ? null : text.slice(0, 300);
}

/** How many of the addresses respond, and how many were not tested. */
function answersOf(count: number, others: number): Reason {
  if (count === 1)
    return others === 0
      ? sourceSentences.ADDRESS_ANSWERS.reason({})
      : sourceSentences.ADDRESS_ANSWERS_OTHERS.reason({ others });
  return others === 0
    ? sourceSentences.ADDRESSES_ANSWER.reason({ count })
    : sourceSentences.ADDRESSES_ANSWER_OTHERS.reason({ count, others });
}
