import assert from 'node:assert/strict';
import { checkEveryAnswer, toAnswer, type Answer } from './answer.ts';
import { chunkParts, toForm, type ChunkFieldName, type ChunkFields, type FormPart } from './form-data.ts';
import { exchange, type HttpRequest } from './http-exchange.ts';
import type { OpenApiDocument } from './openapi-document.ts';
import Type, { type Static } from 'typebox';
import { ChunkResult as ChunkResultShape, Dataset as DatasetShape, File, Id } from './shapes.ts';

export type CallOptions = {
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent unchanged. */
  body?: Buffer | AsyncIterable<Buffer>;
  contentType?: string;
  form?: readonly FormPart[];
};

type Headers = Readonly<Record<string, string>>;
type Dataset = Static<typeof DatasetShape>;
type ChunkResult = Static<typeof ChunkResultShape>;

/** A client of the API with one set of credential headers; every response is checked by `checkEveryAnswer`. */
export type Client = {
  readonly url: string;
  /** Path relative to `/api/v1`. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Path sent unchanged. */
  callRaw(method: string, path: string, options?: CallOptions): Promise<Answer>;
  get(path: string, headers?: Headers): Promise<Answer>;
  post(path: string, json?: unknown): Promise<Answer>;
  put(path: string, json?: unknown): Promise<Answer>;
  patch(path: string, json?: unknown): Promise<Answer>;
  delete(path: string): Promise<Answer>;

  /** The same service with other credentials. */
  as(credential: Headers): Client;
  withBearer(token: string): Client;
  withKey(key: string): Client;
  withoutCredential(): Client;

  /** Creates a dataset, of type TEXT unless the fields specify another. */
  newDataset(fields?: Readonly<Record<string, unknown>>): Promise<Dataset>;
  /** The current state of the dataset. */
  dataset(datasetId: string): Promise<Dataset>;
  /** Up to 1,000 files of the dataset by path. */
  files(datasetId: string, query?: string): Promise<Map<string, File>>;
  download(datasetId: string, fileId: string, headers?: Headers): Promise<Answer>;

  /** Uploads whole files with one call. */
  putFiles(datasetId: string, files: Readonly<Record<string, string | Buffer>>): Promise<File[]>;
  preUpload(datasetId: string, body: unknown): Promise<Answer>;
  /** Announces an upload and returns its request id. */
  newUpload(datasetId: string, body: Readonly<Record<string, unknown>>): Promise<string>;
  /** Sends a chunk, with the form fields in this order. */
  sendChunk(datasetId: string, fields: ChunkFields, order?: readonly ChunkFieldName[]): Promise<Answer>;
  /** Sends a chunk that must be accepted. */
  chunk(datasetId: string, fields: ChunkFields): Promise<ChunkResult>;
  /** Uploads one file in chunks, as a separate upload. */
  uploadFile(datasetId: string, path: string, content: Buffer, chunks?: number): Promise<File>;
};

export type ClientSettings = {
  url: string;
  /** Credential headers, or how to get them before the first call. */
  credential: Headers | (() => Promise<Headers>);
  dataDirectory?: string;
  openApi?: OpenApiDocument;
};

const base = '/api/v1';
const datasets = '/data-management/datasets';

export function createClient(settings: ClientSettings): Client {
  const { url, credential, dataDirectory, openApi } = settings;

  const callRaw = async (method: string, path: string, options: CallOptions = {}): Promise<Answer> => {
    const { headers, body } = requestOf(typeof credential === 'function' ? await credential() : credential, options);
    const request = { url, method, path, headers };
    const answer = toAnswer(method, path, await exchange(body === undefined ? request : { ...request, body }));
    checkEveryAnswer(path, answer, dataDirectory);
    const type = answer.headers['content-type'] ?? '';
    const disagreement = openApi?.disagreement(method, path, answer.status, type, () => answer.json());
    assert.equal(disagreement, undefined, `not what the OpenAPI document says: ${disagreement}`);
    return answer;
  };
  const call: Client['call'] = (method, path, options) => callRaw(method, base + path, options);
  const as: Client['as'] = (other) => createClient({ ...settings, credential: other });
  const post: Client['post'] = (path, json) => call('POST', path, { json });
  const get: Client['get'] = (path, headers = {}) => call('GET', path, { headers });

  const preUpload: Client['preUpload'] = (id, body) => post(`${datasets}/${id}/files/upload/pre-upload`, body);
  const newUpload: Client['newUpload'] = async (id, body) => (await preUpload(id, body)).is(200, Id);
  const sendChunk: Client['sendChunk'] = (id, fields, order) =>
    call('POST', `${datasets}/${id}/files/upload/chunk`, { form: chunkParts(fields, order) });
  const chunk: Client['chunk'] = async (id, fields) => (await sendChunk(id, fields)).is(200, ChunkResultShape);

  return {
    url,
    call,
    callRaw,
    get,
    post,
    put: (path, json) => call('PUT', path, { json }),
    patch: (path, json) => call('PATCH', path, { json }),
    delete: (path) => call('DELETE', path),

    as,
    withBearer: (token) => as({ Authorization: `Bearer ${token}` }),
    withKey: (key) => as({ 'X-API-Key': key }),
    withoutCredential: () => as({}),

    newDataset: async (fields = {}) =>
      (await post(datasets, { name: 'Fields', type: 'TEXT', ...fields })).is(201, DatasetShape),
    dataset: async (id) => (await get(`${datasets}/${id}`)).is(200, DatasetShape),
    async files(id, query = '') {
      const { content } = (await get(`${datasets}/${id}/files?size=1000${query}`)).is(200, FileList);
      return new Map(content.map((file) => [file.filePath, file]));
    },
    download: (id, fileId, headers) => get(`${datasets}/${id}/files/${fileId}/download`, headers),

    async putFiles(id, files) {
      const form = Object.entries(files).map(([path, value]) => ({ name: 'files', value, fileName: path }));
      return (await call('POST', `${datasets}/${id}/files/upload`, { form })).is(201, Type.Array(File));
    },
    preUpload,
    newUpload,
    sendChunk,
    chunk,
    async uploadFile(id, path, content, chunks = 1) {
      const reqId = await newUpload(id, { totalFileNum: 1, totalSize: content.length });
      const size = Math.ceil(content.length / chunks);
      let file: File | undefined;
      for (let chunkNo = 1; chunkNo <= chunks; chunkNo += 1) {
        const bytes = content.subarray((chunkNo - 1) * size, chunkNo * size);
        const result = await chunk(id, { reqId, fileNo: 1, fileName: path, totalChunkNum: chunks, chunkNo, bytes });
        file = result.file ?? file;
      }
      return file ?? assert.fail(`${path} was not completed by its last chunk`);
    },
  };
}

const FileList = Type.Object({ content: Type.Array(File) });

function requestOf(credential: Headers, options: CallOptions): Pick<HttpRequest, 'body'> & { headers: Headers } {
  const headers: Record<string, string> = { ...credential };
  let { body } = options;
  if (options.form !== undefined) {
    const form = toForm(options.form);
    headers['Content-Type'] = form.contentType;
    body = form.body;
  }
  if (options.json !== undefined) {
    headers['Content-Type'] = 'application/json';
    body = Buffer.from(JSON.stringify(options.json));
  }
  if (options.contentType !== undefined) headers['Content-Type'] = options.contentType;
  return { headers: { ...headers, ...options.headers }, ...(body === undefined ? {} : { body }) };
}
