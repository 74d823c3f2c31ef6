// Several nodes, as users see them: processes that share only a PostgreSQL and a bucket.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { toZip } from './contract/archive-bytes.ts';
import { startProvider } from './fakes/model-provider.ts';
import { patternBytes } from './support/blobs.ts';
import { openEventSource } from './support/event-source.ts';
import { openNodeGroup } from './support/nodes.ts';
import { createPostgresDatabase, postgres } from './support/postgres.ts';
import type { Api } from './support/api.ts';
import { adminPassword, runCommand, type RunningProcess } from './support/server.ts';
import { testWith } from './support/tools.ts';
import { versitygw } from './support/versitygw.ts';

const mebibyte = 1024 * 1024;

testWith([postgres, versitygw], 'two nodes are one service', async (t) => {
  const group = await openNodeGroup(t, { TILTH_OUTGOING_ALLOW: '127.0.0.1' });
  // Both start at once over an empty database: one migrates and creates the keys, the other waits for it.
  const [one, two] = await Promise.all([group.start(), group.start()]);

  await t.test('credentials and secrets of one are those of the other', async (t) => {
    const bearer = await fetch(`${two.url}/api/v1/auth/me`, { headers: { authorization: `Bearer ${one.token}` } });
    assert.equal(bearer.status, 200);
    const login = await post(one, '/auth/login', { username: 'admin', password: adminPassword, cookie: true });
    const cookie = login.headers
      .getSetCookie()
      .map((text) => text.split(';')[0])
      .join('; ');
    assert.equal((await fetch(`${two.url}/api/v1/auth/me`, { headers: { cookie } })).status, 200);
    const { body: made } = await one.api<{ id: string; key: string }>('POST', '/auth/api-keys', { name: 'k' });
    const withKey = (): Promise<number> =>
      fetch(`${two.url}/api/v1/auth/me`, { headers: { 'x-api-key': made.key } }).then(({ status }) => status);
    assert.equal(await withKey(), 200);
    // Without the hint, the key would stay cached for 5 s.
    await one.api('DELETE', `/auth/api-keys/${made.id}`);
    const deadline = performance.now() + 4_000;
    while ((await withKey()) === 200) assert.ok(performance.now() < deadline, 'the other node heard of the deletion');

    const provider = await startProvider(t);
    const model = await one.api<{ data: { id: string } }>('POST', '/settings/models', {
      name: 'm',
      kind: 'CHAT',
      provider: 'openai-compatible',
      baseUrl: provider.baseUrl,
      model: 'm',
      apiKey: 'sk-of-all-nodes',
    });
    assert.equal(model.status, 201, JSON.stringify(model.body));
    await two.api('POST', `/settings/models/${model.body.data.id}/test`);
    assert.equal(provider.requests[0]?.headers.authorization, 'Bearer sk-of-all-nodes');
  });

  await t.test('a node without the key of the others does not start, and says what to do', async (t) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'tilth-nodes-'));
    t.after(() => rm(dataDir, { recursive: true }));
    const env = { ...group.settings, TILTH_DATABASE_URL: group.database, TILTH_DATA_DIR: dataDir, TILTH_PORT: '0' };
    const without = runCommand(['serve'], env);
    assert.equal(await without.exited, 2);
    assert.match(without.output.stderr, /^tilth: TILTH_SECRETS_KEY must be set, and be the same on all nodes/m);
    const other = runCommand(['serve'], { ...env, TILTH_SECRETS_KEY: '0f'.repeat(32) });
    assert.equal(await other.exited, 1);
    assert.match(
      other.output.stderr,
      /^tilth: .* is not in TILTH_SECRETS_KEY: set TILTH_SECRETS_KEY to the value that/m,
    );
  });

  await t.test('chunks of one upload arrive on both, and events of it on either', async (t) => {
    const files = await newDataset(one);
    const size = 5 * mebibyte;
    const parts = [1, 2, 3, 4].map((number) => patternBytes(number, size));
    const small = [5, 6, 7].map((number) => patternBytes(number, 3000));
    const { body: reqId } = await one.api<string>('POST', `${files}/upload/pre-upload`, {
      totalFileNum: 4,
      totalSize: 4 * size + 3 * 3000,
    });
    const events = await openEventSource(`${two.url}/api/v1${files}/upload/${reqId}/events`, {
      authorization: `Bearer ${two.token}`,
    });
    t.after(async () => events.close());
    await events.next();
    const send = async (node: Api, fileNo: number, chunkNo: number): Promise<ChunkAnswer> => {
      const isLarge = fileNo === 1;
      const bytes = (isLarge ? parts[chunkNo - 1] : small[fileNo - 2]) ?? Buffer.alloc(0);
      const form = new FormData();
      const fields = { reqId, fileNo, fileName: `${fileNo}.bin`, totalChunkNum: isLarge ? 4 : 1, chunkNo };
      for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
      form.set('file', new Blob([new Uint8Array(bytes)]), 'b');
      const { status, body } = await node.api<ChunkAnswer>('POST', `${files}/upload/chunk`, form);
      assert.equal(status, 200, JSON.stringify(body));
      return body;
    };
    // The same file is started on both, with a chunk or two.
    await Promise.all([send(one, 1, 3), send(two, 1, 1), send(two, 1, 2), send(two, 2, 1)]);
    // The same chunk again, on the other node: neither a second file nor a conflict.
    await Promise.all([send(two, 1, 3), send(one, 2, 1), send(two, 3, 1)]);
    const answers = await Promise.all([send(two, 1, 4), send(one, 4, 1)]);
    assert.equal(answers.filter(({ uploadCompleted }) => uploadCompleted).length, 1);
    assert.deepEqual(
      answers.flatMap(({ warnings }) => warnings ?? []),
      [],
    );
    for (const node of [one, two]) {
      const { body } = await node.api<Status>('GET', `${files}/upload/${reqId}`);
      assert.deepEqual(
        [body.uploadCompleted, body.completedFiles, body.missingFiles, body.receivedBytes],
        [true, 4, 0, 4 * size + 9000],
      );
    }
    const { body: list } = await two.api<{ content: { id: string; filePath: string }[] }>('GET', `${files}?size=10`);
    assert.deepEqual(
      list.content.map(({ filePath }) => filePath),
      ['1.bin', '2.bin', '3.bin', '4.bin'],
    );
    assert.equal(await sha256(one, `${files}/${list.content[0]?.id}/download`), sha256Of(Buffer.concat(parts)));
    const told = await events.rest();
    assert.equal(told.at(-1)?.name, 'end');
    // The version is closed, so the next upload creates another one.
    const version = async (): Promise<number> =>
      (await one.api<{ version: number }>('GET', files.slice(0, -'/files'.length))).body.version;
    const before = await version();
    const form = new FormData();
    form.append('files', new Blob(['x']), 'x.txt');
    await two.api('POST', `${files}/upload`, form);
    assert.equal(await version(), before + 1);
  });

  await t.test('an upload that is abandoned on one ends on the other', async () => {
    const files = await newDataset(one);
    const { body: reqId } = await one.api<string>('POST', `${files}/upload/pre-upload`, {
      totalFileNum: 2,
      totalSize: 100,
    });
    const send = (node: Api, fileNo: number): Promise<{ status: number }> => {
      const form = new FormData();
      const fields = { reqId, fileNo, fileName: `${fileNo}.bin`, totalChunkNum: 1, chunkNo: 1 };
      for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
      form.set('file', new Blob(['x']), 'b');
      return node.api('POST', `${files}/upload/chunk`, form);
    };
    assert.equal((await send(two, 1)).status, 200);
    assert.equal((await one.api('DELETE', `${files}/upload/${reqId}`)).status, 204);
    // Immediately: what the hint does not stop, the transaction does.
    assert.equal((await send(two, 2)).status, 404);
  });

  await t.test('an archive is unpacked once, and either node tells of it', async () => {
    const files = await newDataset(one);
    const entries = Array.from({ length: 300 }, (_, index) => ({ name: `${index}.txt`, content: `row ${index}` }));
    const zip = toZip(entries);
    const { body: reqId } = await one.api<string>('POST', `${files}/upload/pre-upload`, {
      hasArchive: true,
      totalFileNum: 1,
      totalSize: zip.length,
    });
    const form = new FormData();
    const fields = { reqId, fileNo: 1, fileName: 'rows.zip', totalChunkNum: 1, chunkNo: 1 };
    for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
    form.set('file', new Blob([new Uint8Array(zip)]), 'rows.zip');
    assert.equal((await one.api('POST', `${files}/upload/chunk`, form)).status, 200);
    for (;;) {
      const { body } = await two.api<{ archives: { status: string; files: number }[] }>(
        'GET',
        `${files}/upload/${reqId}`,
      );
      const [receipt] = body.archives;
      if (receipt?.status === 'PROCESSING') {
        await pause(20);
        continue;
      }
      assert.deepEqual([receipt?.status, receipt?.files], ['UNPACKED', 300]);
      break;
    }
    const { body: list } = await two.api<{ totalElements: number }>('GET', `${files}?size=1`);
    assert.equal(list.totalElements, 300);
  });

  await t.test('wrong passwords count on both', async () => {
    const attempt = (node: Api, password: string): Promise<Response> =>
      post(node, '/auth/login', { username: 'nobody', password });
    for (let number = 0; number < 10; number++) {
      const { status } = await attempt(number % 2 === 0 ? one : two, 'wrong');
      assert.equal(status, 401);
    }
    for (const node of [one, two]) {
      const refused = await attempt(node, 'wrong');
      assert.equal(refused.status, 429);
      assert.ok(Number(refused.headers.get('retry-after')) > 800);
    }
  });

  await t.test('each hears within moments of what a run does on the other', async (t) => {
    const files = await newDataset(one);
    const form = new FormData();
    form.append('files', new Blob(['{"text":" one row"}\n']), 'rows.jsonl');
    await one.api('POST', `${files}/upload`, form);
    const task = await one.api<{ data: { id: string } }>('POST', '/data-cleaning/tasks', {
      name: 'clean',
      sourceDatasetId: files.split('/')[3],
      steps: [{ operatorId: 'whitespace-normalizer' }],
    });
    const runs = `/data-cleaning/tasks/${task.body.data.id}`;
    const delays: number[] = [];
    for (let round = 0; round < 3; round++) {
      const { body } = await one.api<{ data: { id: string } }>('POST', `${runs}/execute`, {});
      const ends = [one, two].map(async (node) => {
        const events = await openEventSource(`${node.url}/api/v1${runs}/runs/${body.data.id}/events`, {
          authorization: `Bearer ${node.token}`,
        });
        const all = await events.rest();
        const end = all.at(-1)?.data as { status: string } | undefined;
        assert.equal(end?.status, 'COMPLETED');
        return performance.now();
      });
      const [here, there] = await Promise.all(ends);
      delays.push(Math.abs((here ?? 0) - (there ?? 0)));
    }
    t.diagnostic(`the end of a run on both nodes: ${delays.map((ms) => ms.toFixed(0)).join(', ')} ms apart`);
    // Without hints they poll every 2 s.
    assert.ok(Math.min(...delays) < 1_000, String(delays));
  });

  await t.test('administrators see both', async () => {
    const { body } = await two.api<{ data: { content: NodeView[] } }>('GET', '/settings/nodes');
    assert.deepEqual(
      new Set(body.data.content.map(({ state, isSelf, address }) => `${address} ${state} ${isSelf}`)),
      new Set([one, two].map((node) => `${new URL(node.url).host} SERVING ${node === two}`)),
    );
  });
});

testWith([postgres], 'of nodes that start at once over an empty database, one makes the administrator', async (t) => {
  const { url, drop } = await createPostgresDatabase();
  t.after(drop);
  const folders = await Promise.all([1, 2].map(() => mkdtemp(join(tmpdir(), 'tilth-nodes-'))));
  t.after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));
  const nodes = folders.map((dataDir) =>
    runCommand(['serve'], {
      TILTH_DATABASE_URL: url,
      TILTH_DATA_DIR: dataDir,
      TILTH_SECRETS_KEY: '5e'.repeat(32),
      TILTH_PORT: '0',
      TILTH_DISK_RESERVE_MB: '0',
    }),
  );
  for (const { output, child } of nodes)
    while (!output.stdout.includes('listens on')) {
      assert.equal(child.exitCode, null, output.stderr);
      await pause(20);
    }
  await pause(20);
  assert.equal(nodes.filter(({ output }) => output.stdout.includes('Sign in as admin')).length, 1);
  for (const { child } of nodes) child.kill();
  await Promise.all(nodes.map(({ exited }) => exited));
});

type ChunkAnswer = { uploadCompleted: boolean; warnings?: string[] };
type Status = { uploadCompleted: boolean; completedFiles: number; missingFiles: number; receivedBytes: number };
type NodeView = { state: string; isSelf: boolean; address: string };

function post(node: Api, path: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(`${node.url}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
}

async function newDataset(node: RunningProcess): Promise<string> {
  const { body } = await node.api<{ id: string }>('POST', '/data-management/datasets', { name: 'd', type: 'TEXT' });
  return `/data-management/datasets/${body.id}/files`;
}

async function sha256(node: Api, path: string): Promise<string> {
  const answer = await fetch(`${node.url}/api/v1${path}`, { headers: { authorization: `Bearer ${node.token}` } });
  return sha256Of(Buffer.from(await answer.arrayBuffer()));
}

function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
