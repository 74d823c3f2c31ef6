import { EntityDecoder } from '@nodable/entities';
import { AwsV4Signer } from 'aws4fetch';
import { XMLParser } from 'fast-xml-parser';
import { Type } from 'typebox';
import { defineConnector, SourceError, type Effects, type FetchedFile } from './connector.ts';
import { findCredentialProblem, findUrlProblem, secret } from './http-fields.ts';
import { bodyOf, request, type SourceRequest } from './http-requests.ts';
import { filterFields, findExclusion } from './path-filter.ts';
import { safePath } from './safe-path.ts';
import { configProblems, sourceSentences } from './sentences.ts';

const maxListBytes = 64 * 1024 * 1024;
const sampleObjects = 5;

/** Names that Amazon allows, including the letters of its old buckets; they become part of the host name. */
const amazonNames = { bucket: /^(?!\.|.*\.\.)[\w.-]{2,62}[\w-]$/, region: /^[a-z0-9-]+$/ };
/** Other servers allow more names; these are only used in the path and the signature. */
const otherNames = { bucket: /^(?!.*\.\.)[\w.:-]{3,255}$/, region: /^[\w.-]+$/ };

type Config = {
  endpoint?: string;
  region: string;
  bucket: string;
  keyPrefix?: string;
  accessKeyId?: string;
  secretAccessKey?: string | null;
  sessionToken?: string | null;
  include?: string[];
  exclude?: string[];
};

type S3Object = { key: string; sizeBytes: number; etag: string; lastModified: string };

export const s3 = defineConnector({
  type: 's3',
  name: 'S3 bucket',
  description:
    'Fetches the objects of an S3 bucket, or those below a prefix, from Amazon S3 or any server with a compatible API. Later runs fetch only objects whose ETag has changed.',
  incremental: true,
  listsAll: true,
  parallel: 16,
  config: Type.Object({
    endpoint: Type.Optional(
      Type.String({ maxLength: 1000, description: 'URL of the server; default: Amazon S3 in the region' }),
    ),
    region: Type.String({ default: 'us-east-1', minLength: 1, maxLength: 100 }),
    bucket: Type.String({ minLength: 1, maxLength: 255 }),
    keyPrefix: Type.Optional(
      Type.String({
        maxLength: 1024,
        description: 'Fetch only keys with this prefix; paths in the dataset omit it',
      }),
    ),
    accessKeyId: Type.Optional(
      Type.String({ maxLength: 200, description: 'Access key id; without one, only public buckets can be read' }),
    ),
    secretAccessKey: secret('Secret access key'),
    sessionToken: secret('Session token of temporary credentials'),
    ...filterFields,
  }),

  validate({ endpoint, bucket, region, accessKeyId, secretAccessKey, sessionToken }) {
    const problem = endpoint === undefined ? undefined : findUrlProblem(endpoint);
    if (problem !== undefined) return { field: 'endpoint', problem };
    const names = endpoint === undefined ? amazonNames : otherNames;
    if (!names.bucket.test(bucket)) return { field: 'bucket', problem: configProblems.IS_NO_BUCKET.reason({}) };
    if (!names.region.test(region)) return { field: 'region', problem: configProblems.IS_NO_REGION.reason({}) };
    return findCredentialProblem({ accessKeyId, secretAccessKey, sessionToken });
  },

  destinationsOf: (config) => [new URL(baseOf(config)).origin],

  async check(config, effects) {
    const sample: Record<string, unknown>[] = [];
    for await (const { key, sizeBytes, lastModified } of listObjects(config, effects, undefined)) {
      if (findExclusion(pathOf(config, key), config) !== undefined) continue;
      sample.push({ name: key, sizeBytes, modifiedAt: lastModified });
      if (sample.length === sampleObjects) break;
    }
    const message = (sample.length === 0 ? sourceSentences.BUCKET_NOTHING : sourceSentences.BUCKET_LISTED).reason({});
    return { message, sample };
  },

  async *read(config, effects, cursor) {
    const after = typeof cursor === 'string' ? cursor : undefined;
    for await (const { key, sizeBytes, etag, lastModified } of listObjects(config, effects, after)) {
      const path = pathOf(config, key);
      const isMarker = key.endsWith('/') && sizeBytes === 0;
      if (key.includes('\ufffd')) {
        yield { kind: 'failed', name: key, reason: sourceSentences.NAME_NO_UTF8.reason({}), cursor: key };
        continue;
      }
      const exclusion = isMarker ? sourceSentences.FOLDER_MARKER.reason({}) : findExclusion(path, config);
      if (exclusion !== undefined) {
        yield { kind: 'dropped', name: key, reason: exclusion, cursor: key };
        continue;
      }
      yield {
        kind: 'file',
        key: `${baseOf(config)} ${key}`,
        name: key,
        path: safePath(path.split('/')),
        stamp: { etag, sizeBytes },
        cursor: key,
        async load(_known, signal): Promise<FetchedFile> {
          const call = callOf(config, `${baseOf(config)}/${encodedKey(key)}`, signal);
          const answer = await request(effects, { ...call, maxBytes: Number.MAX_SAFE_INTEGER, totalMs: 86_400_000 });
          const evidence = { bucket: config.bucket, etag, lastModified };
          const whole = { ...call, maxBytes: Number.MAX_SAFE_INTEGER, totalMs: 86_400_000 };
          return { bytes: bodyOf(effects, whole, answer), evidence };
        },
      };
    }
  },
});

// Keys are not requested URL-encoded: servers differ in the meaning of a plus sign.
const parser = new XMLParser({
  parseTagValue: false,
  trimValues: false,
  entityDecoder: new EntityDecoder(),
  isArray: (name) => name === 'Contents',
});

/** The objects sorted by key, 1,000 per request. */
async function* listObjects(config: Config, effects: Effects, after: string | undefined): AsyncGenerator<S3Object> {
  let last = after;
  let token: string | undefined;
  for (;;) {
    const url = new URL(baseOf(config));
    url.searchParams.set('list-type', '2');
    url.searchParams.set('max-keys', '1000');
    if (config.keyPrefix !== undefined && config.keyPrefix !== '') url.searchParams.set('prefix', config.keyPrefix);
    if (token !== undefined) url.searchParams.set('continuation-token', token);
    else if (last !== undefined) url.searchParams.set('start-after', last);
    const call = { ...callOf(config, url.href, effects.signal), maxBytes: maxListBytes, totalMs: 120_000 };
    const answer = await request(effects, call);
    const { ListBucketResult: result } = parser.parse(await answer.text()) as { ListBucketResult?: Listing };
    if (result === undefined) throw new SourceError(sourceSentences.BUCKET_NO_LIST.reason({ host: url.host }));
    const objects = (result.Contents ?? []).map(objectOf);
    yield* objects;
    const { key } = objects.at(-1) ?? {};
    if (result.IsTruncated !== 'true' || key === undefined) return;
    if (key === last) throw new SourceError(sourceSentences.BUCKET_REPEATS.reason({ bucket: config.bucket, key }));
    last = key;
    // `start-after` does not work for a key that is not UTF-8.
    token = key.includes('\ufffd') ? result.NextContinuationToken : undefined;
  }
}

type Listing = { Contents?: Readonly<Record<string, string>>[]; IsTruncated?: string; NextContinuationToken?: string };

function objectOf(entry: Readonly<Record<string, string>>): S3Object {
  const { Key: key = '', Size: size = '0', ETag: etag = '', LastModified: lastModified = '' } = entry;
  return {
    key,
    sizeBytes: Number(size),
    etag: etag.replaceAll('"', ''),
    lastModified,
  };
}

/** Signing keys of a day, derived from the secret by four hashes. */
const signingKeys = new WeakMap<Config, Map<string, ArrayBuffer>>();

/** A request that is signed for each attempt: a signature is valid for minutes, a download may take hours. */
function callOf(config: Config, url: string, signal: AbortSignal): Omit<SourceRequest, 'maxBytes' | 'totalMs'> {
  const { region, accessKeyId, secretAccessKey, sessionToken } = config;
  const call = { url, headers: { 'user-agent': 'tilth' }, signal };
  if (accessKeyId === undefined || accessKeyId === '' || secretAccessKey === undefined || secretAccessKey === null)
    return call;
  return {
    ...call,
    async sign() {
      const session =
        sessionToken === undefined || sessionToken === null || sessionToken === '' ? {} : { sessionToken };
      const cache = signingKeys.get(config) ?? new Map<string, ArrayBuffer>();
      signingKeys.set(config, cache);
      const signer = new AwsV4Signer({ url, accessKeyId, secretAccessKey, region, service: 's3', cache, ...session });
      const { headers } = await signer.sign();
      return Object.fromEntries(headers.entries());
    },
  };
}

/** The base URL of the bucket: path style for other endpoints, which rarely have a host name per bucket. */
function baseOf({ endpoint, region, bucket }: Config): string {
  if (endpoint !== undefined && endpoint !== '') return `${endpoint.replace(/\/+$/, '')}/${encodeURIComponent(bucket)}`;
  return `https://${bucket}.s3.${region}.amazonaws.com`;
}

function pathOf({ keyPrefix = '' }: Config, key: string): string {
  // Only the folders of the prefix are cut off: it may end within a name.
  return key.slice(keyPrefix.lastIndexOf('/') + 1);
}

function encodedKey(key: string): string {
  return key.split('/').map(encodeURIComponent).join('/');
}
