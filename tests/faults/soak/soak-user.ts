import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { toTar, toZip } from '../../contract/archive-bytes.ts';
import { readZip } from '../../contract/zip-reading.ts';
import { patternBytes } from '../../support/blobs.ts';
import { adminPassword, type RunningProcess } from '../../support/server.ts';
import type { AnswerTimes } from '../answer-times.ts';
import { createRandom, type Random } from '../random.ts';

/** A user who works with one dataset, knows all of its contents, and checks them. */
export type SoakUser = {
  /** One random action; throws when an answer is wrong. */
  act(): Promise<void>;
};

type Answer = { status: number; bytes: Buffer };
type Listed = { id: string; filePath: string; fileSize: number; status: string };
type Known = { id: string; bytes: Buffer };

const data = '/api/v1/data-management';
const cleaning = '/api/v1/data-cleaning';
/** Beyond this size a dataset is deleted, so that storage stays bounded. */
const mostFiles = 60;
const waitMs = 120_000;

export function createSoakUser(
  service: RunningProcess,
  options: { number: number; seed: number; times: () => AnswerTimes },
): SoakUser {
  const random = createRandom(options.seed, 'soak', options.number);
  const files = new Map<string, Known>();
  let datasetId: string | undefined;
  let uploads = 0;

  async function call(
    method: string,
    path: string,
    { body, headers = {}, status }: { body?: RequestInit['body']; headers?: Record<string, string>; status: number },
  ): Promise<Answer> {
    const startedAt = performance.now();
    const answer = await fetch(service.url + path, {
      method,
      headers: { Authorization: `Bearer ${service.token}`, ...headers },
      ...(body === undefined || body === null ? {} : { body, duplex: 'half' }),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    options.times().add(performance.now() - startedAt);
    assert.equal(answer.status, status, `${method} ${path} → ${answer.status} ${bytes.toString('utf8', 0, 300)}`);
    return { status: answer.status, bytes };
  }

  async function send<T>(method: string, path: string, json: unknown, status: number): Promise<T> {
    const headers = { 'Content-Type': 'application/json' };
    const { bytes } = await call(method, path, { body: JSON.stringify(json), headers, status });
    return JSON.parse(bytes.toString('utf8')) as T;
  }

  async function get<T>(path: string): Promise<T> {
    return JSON.parse((await call('GET', path, { status: 200 })).bytes.toString('utf8')) as T;
  }

  async function at(): Promise<string> {
    if (datasetId === undefined) {
      const made = await send<{ id: string }>(
        'POST',
        `${data}/datasets`,
        { name: `soak ${options.number}`, type: 'TEXT' },
        201,
      );
      datasetId = made.id;
    }
    return `${data}/datasets/${datasetId}`;
  }

  const newPath = (): string =>
    `folder-${random.integer(0, 3)}/file-${random.integer(0, 80)}.${random.pick(['txt', 'bin', 'csv.gz'])}`;
  const newBytes = (): Buffer => {
    const size = random.pick([0, 1, 900, 3_500, 3_500, 20_000, 120_000, 1_300_000]);
    return patternBytes(random.integer(1, 1_000_000), size);
  };
  const newFiles = (most: number): Map<string, Buffer> =>
    new Map(Array.from({ length: random.integer(1, most) }, () => [newPath(), newBytes()]));
  const pickFile = (): [string, Known] | undefined => (files.size === 0 ? undefined : random.pick([...files]));

  /** Files were sent by path: their ids come from the list. */
  async function learn(sent: ReadonlyMap<string, Buffer>): Promise<void> {
    for (const { id, filePath } of await list()) {
      const bytes = sent.get(filePath);
      if (bytes !== undefined) files.set(filePath, { id, bytes });
    }
    for (const path of sent.keys()) assert.ok(files.has(path), `${path} was acknowledged and is not listed`);
  }

  async function list(): Promise<Listed[]> {
    const listed: Listed[] = [];
    for (let page = 0; ; page += 1) {
      const { content, last } = await get<{ content: Listed[]; last: boolean }>(
        `${await at()}/files?size=40&page=${page}`,
      );
      listed.push(...content);
      if (last) return listed;
    }
  }

  async function uploadWhole(): Promise<void> {
    const sent = newFiles(5);
    const body = new FormData();
    for (const [path, bytes] of sent) body.append('files', new Blob([Uint8Array.from(bytes)]), path);
    const { bytes } = await call('POST', `${await at()}/files/upload`, { body, status: 201 });
    for (const { id, filePath } of JSON.parse(bytes.toString('utf8')) as Listed[])
      files.set(filePath, { id, bytes: sent.get(filePath) ?? Buffer.alloc(0) });
  }

  async function announce(body: object): Promise<string> {
    return send<string>('POST', `${await at()}/files/upload/pre-upload`, body, 200);
  }

  async function sendChunk(reqId: string, fileName: string, chunks: readonly Buffer[], chunkNo: number): Promise<void> {
    const body = new FormData();
    const fields = { reqId, fileNo: 1, fileName, totalChunkNum: chunks.length, chunkNo };
    for (const [name, value] of Object.entries(fields)) body.set(name, String(value));
    body.set('file', new Blob([Uint8Array.from(chunks[chunkNo - 1] ?? [])]), 'blob');
    await call('POST', `${await at()}/files/upload/chunk`, { body, status: 200 });
  }

  /** In chunks, shuffled, four at a time; sometimes the client never comes back. */
  async function uploadChunks(): Promise<void> {
    const path = newPath();
    const chunks = Array.from({ length: random.integer(1, 6) }, newBytes);
    const bytes = Buffer.concat(chunks);
    const reqId = await announce({ totalFileNum: 1, totalSize: bytes.length });
    const order = random.shuffle(chunks.map((_, index) => index + 1));
    const isForsaken = random.next() < 0.2;
    const queue = order.slice(isForsaken ? 1 : 0).values();
    const work = async (): Promise<void> => {
      for (const chunkNo of queue) await sendChunk(reqId, path, chunks, chunkNo);
    };
    await Promise.all([work(), work(), work(), work()]);
    if (isForsaken) await call('DELETE', `${await at()}/files/upload/${reqId}`, { status: 204 });
    else await learn(new Map([[path, bytes]]));
  }

  async function uploadStream(): Promise<void> {
    const sent = newFiles(12);
    const archive = toTar([...sent].map(([name, content]) => ({ name, content })));
    const headers = { 'Content-Type': 'application/x-tar' };
    await call('POST', `${await at()}/files/upload/stream?format=tar`, {
      body: Uint8Array.from(archive),
      headers,
      status: 201,
    });
    await learn(sent);
  }

  async function uploadArchive(): Promise<void> {
    const sent = newFiles(8);
    const zip = toZip([...sent].map(([name, content]) => ({ name, content, deflate: random.next() < 0.5 })));
    const name = `archive-${uploads++}.zip`;
    const reqId = await announce({ totalFileNum: 1, totalSize: zip.length, hasArchive: true });
    await sendChunk(reqId, name, [zip], 1);
    const isUnpacked = async (): Promise<boolean> => !(await list()).some(({ status }) => status === 'PROCESSING');
    await until(isUnpacked, 'an archive is not unpacked');
    await learn(sent);
  }

  async function download(): Promise<void> {
    const [path, known] = pickFile() ?? [];
    if (path === undefined || known === undefined) return;
    const { id, bytes } = known;
    const whole = await call('GET', `${await at()}/files/${id}/download`, { status: 200 });
    assert.ok(whole.bytes.equals(bytes), `${path} is another one`);
    if (bytes.length < 2) return;
    const from = random.integer(0, bytes.length - 1);
    const to = random.integer(from, bytes.length - 1);
    const headers = { Range: `bytes=${from}-${to}` };
    const part = await call('GET', `${await at()}/files/${id}/download`, { headers, status: 206 });
    assert.ok(part.bytes.equals(bytes.subarray(from, to + 1)), `${path} ${from}-${to} is another one`);
  }

  async function downloadZip(): Promise<void> {
    const zip = await readZip((await call('GET', `${await at()}/files/download`, { status: 200 })).bytes);
    const entries = [...zip].filter(([path]) => !path.endsWith('/'));
    assert.deepEqual(entries.map(([path]) => path).sort(), [...files.keys()].sort());
    for (const [path, bytes] of entries) assert.ok(files.get(path)?.bytes.equals(bytes) === true, `${path} in the ZIP`);
  }

  async function compareLists(): Promise<void> {
    const told = (await list()).map(({ filePath, fileSize }) => `${filePath} ${fileSize}`);
    assert.deepEqual(told.sort(), [...files].map(([path, { bytes }]) => `${path} ${bytes.length}`).sort());
    const statistics = await get<{ totalFiles: number; totalSize: number }>(`${await at()}/statistics`);
    const totalSize = [...files.values()].reduce((sum, { bytes }) => sum + bytes.length, 0);
    assert.deepEqual([statistics.totalFiles, statistics.totalSize], [files.size, totalSize]);
  }

  async function rename(): Promise<void> {
    const [path, known] = pickFile() ?? [];
    const filePath = newPath();
    if (path === undefined || known === undefined || files.has(filePath)) return;
    await send('PATCH', `${await at()}/files/${known.id}`, { filePath }, 200);
    files.delete(path);
    files.set(filePath, known);
  }

  async function remove(): Promise<void> {
    const [path, known] = pickFile() ?? [];
    if (path === undefined || known === undefined) return;
    const purge = random.next() < 0.5 ? '?purge=true' : '';
    await call('DELETE', `${await at()}/files/${known.id}${purge}`, { status: 204 });
    files.delete(path);
  }

  async function removeDataset(): Promise<void> {
    await call('DELETE', await at(), { status: 204 });
    datasetId = undefined;
    files.clear();
  }

  /** A run over a separate dataset: every line must be accounted for, and the result must contain what was kept. */
  async function clean(): Promise<void> {
    const lines = Array.from({ length: random.integer(1, 3_000) }, (_, index) =>
      JSON.stringify({ text: `line   ${index} ${'x'.repeat(random.integer(0, 40))}` }),
    );
    const source = await send<{ id: string }>('POST', `${data}/datasets`, { name: 'source', type: 'TEXT' }, 201);
    const body = new FormData();
    body.append('files', new Blob([`${lines.join('\n')}\n`]), 'rows.jsonl');
    await call('POST', `${data}/datasets/${source.id}/files/upload`, { body, status: 201 });
    const task = await send<{ data: { id: string } }>(
      'POST',
      `${cleaning}/tasks`,
      {
        name: 'soak',
        sourceDatasetId: source.id,
        steps: [{ operatorId: 'whitespace-normalizer' }, { operatorId: 'text-length-filter', params: { min: 20 } }],
      },
      201,
    );
    const path = `${cleaning}/tasks/${task.data.id}`;
    await call('POST', `${path}/execute`, { status: 200 });
    type Task = {
      status: string;
      targetDatasetId: string;
      counts: { in: number; kept: number; dropped: number; failed: number };
    };
    const state = async (): Promise<Task> => (await get<{ data: Task }>(path)).data;
    await until(async () => (await state()).status !== 'RUNNING', 'a cleaning run does not end');
    const { status, counts, targetDatasetId } = await state();
    assert.deepEqual([status, counts.in, counts.failed], ['COMPLETED', lines.length, 0]);
    assert.equal(counts.kept + counts.dropped, counts.in);
    for (const id of [path, `${data}/datasets/${targetDatasetId}`, `${data}/datasets/${source.id}`])
      await call('DELETE', id, { status: 204 });
  }

  async function signIn(): Promise<void> {
    const login = { username: 'admin', password: adminPassword };
    const { token } = await send<{ token: string }>('POST', '/api/v1/auth/login', login, 200);
    await call('POST', '/api/v1/auth/logout', { headers: { Authorization: `Bearer ${token}` }, status: 204 });
    await call('GET', '/api/v1/auth/me', { headers: { Authorization: `Bearer ${token}` }, status: 401 });
  }

  const actions: readonly (readonly [weight: number, action: () => Promise<void>])[] = [
    [6, uploadWhole],
    [6, uploadChunks],
    [2, uploadStream],
    [2, uploadArchive],
    [12, download],
    [3, downloadZip],
    [6, compareLists],
    [4, rename],
    [6, remove],
    [1, clean],
    [1, signIn],
  ];

  return {
    async act() {
      if (files.size > mostFiles) await removeDataset();
      await pickAction(random, actions)();
    },
  };
}

function pickAction<T>(random: Random, weighted: readonly (readonly [weight: number, item: T])[]): T {
  return random.pick(weighted.flatMap(([weight, item]) => Array.from({ length: weight }, () => item)));
}

async function until(condition: () => Promise<boolean>, otherwise: string): Promise<void> {
  for (const deadline = performance.now() + waitMs; !(await condition()); await pause(50))
    if (performance.now() > deadline) throw new Error(`${otherwise} after ${waitMs / 1000} s`);
}
