import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open as openFile, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../support/free-port.ts';
import { installPythonPackage } from '../support/python-package.ts';
import { startRateGate } from '../support/rate-gate.ts';
import type { Api } from '../support/api.ts';
import { startApp, startProcess } from '../support/server.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { findTool, testWith } from '../support/tools.ts';

const script = fileURLToPath(new URL('transfer.py', import.meta.url));
const python3 = findTool('python3', 'python3-venv');
const MIB = 1024 * 1024;
/** Allows four chunks of 8 MiB in several copies; holding a file of 200 MB would take more. */
const mostGrownBytes = 140 * MIB;

type Result = {
  files?: number;
  stored?: number;
  skipped?: number;
  failed?: [string, string][];
  error?: string;
  message?: string;
  grownBytes: number;
};

/** The package, a dataset of the service, and a folder with a large file and small ones. */
async function prepare(t: TestContext, python: string, service: Api, largeBytes: number) {
  const made = await installPythonPackage(t, python);
  if (made === undefined) return undefined;
  const { body: dataset } = await service.api<{ id: string }>('POST', '/data-management/datasets', {
    name: 'Harvest',
    type: 'TEXT',
  });
  const { body: key } = await service.api<{ key: string }>('POST', '/auth/api-keys', { name: 'python' });
  const source = join(made.folder, 'source');
  await mkdir(source);
  const large = await openFile(join(source, 'large.bin'), 'w');
  for (let written = 0; written < largeBytes; written += MIB)
    await large.write(randomBytes(Math.min(MIB, largeBytes - written)));
  await large.close();
  for (let number = 0; number < 20; number += 1) await writeFile(join(source, `${number}.txt`), `small ${number}`);
  const start = (args: readonly string[], url = service.url, more: NodeJS.ProcessEnv = {}) => {
    const env = { ...made.env, TILTH_URL: url, TILTH_API_KEY: key.key, ...more };
    const child = spawn(made.python, [script, ...args], { env, cwd: made.folder });
    const output = { text: '', errors: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output.text += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output.errors += text));
    const ended = once(child, 'close').then((): Result => {
      assert.notEqual(output.text, '', output.errors);
      return JSON.parse(output.text) as Result;
    });
    ended.catch(() => undefined);
    return { child, output, ended };
  };
  /** What the upload in progress has received. */
  const received = async (): Promise<number> => {
    const uploads = join(made.folder, 'config', 'tilth', 'uploads');
    const [name] = (await readdir(uploads).catch((): string[] => [])).filter((each) => each.endsWith('.json'));
    if (name === undefined) return 0;
    const { req_id: id } = JSON.parse(await readFile(join(uploads, name), 'utf8')) as { req_id: string };
    const path = `/data-management/datasets/${dataset.id}/files/upload/${id}`;
    return (await service.api<{ receivedBytes: number }>('GET', path)).body.receivedBytes;
  };
  return { made, source, dataset: dataset.id, start, received, into: join(made.folder, 'into') };
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer);
  return hash.digest('hex');
}

/** The dataset has each file exactly once, as it is in the folder, in one version. */
async function isWhole({ api }: Api, dataset: string, source: string): Promise<void> {
  const list = await api<{ content: { filePath: string; sha256: string }[]; totalElements: number }>(
    'GET',
    `/data-management/datasets/${dataset}/files?size=1000`,
  );
  const names = (await readdir(source)).sort();
  assert.deepEqual(list.body.content.map(({ filePath }) => filePath).sort(), names);
  for (const { filePath, sha256 } of list.body.content)
    if (sha256 !== null) assert.equal(sha256, await sha256Of(join(source, filePath)), filePath);
  const { body } = await api<{ version: number }>('GET', `/data-management/datasets/${dataset}`);
  assert.equal(body.version, 2, 'one upload is one version');
}

testWith(
  [python3],
  'an upload of Python continues after kill -9, with the chunks that lack',
  async (t, python = '') => {
    const service = await startApp(t);
    const prepared = await prepare(t, python, service, 60 * MIB);
    if (prepared === undefined) return;
    const { source, dataset, start, received } = prepared;
    const proxy = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(service.url).port) });
    t.after(() => proxy.close());
    const url = `http://127.0.0.1:${proxy.port}`;
    const killed = start(['upload', dataset, source], url);
    while ((await received()) < 8 * MIB) {
      assert.equal(killed.child.exitCode, null, killed.output.errors);
      await pause(5);
    }
    proxy.stall();
    killed.child.kill('SIGKILL');
    await once(killed.child, 'close');
    const before = await received();
    assert.ok(before < 60 * MIB, String(before));
    proxy.cut();
    proxy.flow();
    const resumed = await start(['upload', dataset, source], url).ended;
    assert.deepEqual([resumed.files, resumed.stored, resumed.failed], [21, 21, []], JSON.stringify(resumed));
    await isWhole(service, dataset, source);
    assert.equal(await received(), 0, 'the journal is empty');
  },
);

testWith(
  [python3],
  'transfers of a 200 MB file outlive kills of the service, in bounded memory',
  async (t, python = '') => {
    const service = await startProcess(t, { settings: { TILTH_PORT: String(await freePort()) } });
    const prepared = await prepare(t, python, service, 200 * MIB);
    if (prepared === undefined) return;
    const { source, dataset, start, received, into } = prepared;
    const up = start(['upload', dataset, source]);
    while ((await received()) < 16 * MIB) {
      assert.equal(up.child.exitCode, null, up.output.errors);
      await pause(10);
    }
    await service.restart();
    const sent = await up.ended;
    assert.deepEqual([sent.stored, sent.failed], [21, []], JSON.stringify(sent));
    assert.ok(sent.grownBytes < mostGrownBytes, `${sent.grownBytes} bytes for an upload`);
    await isWhole(service, dataset, source);

    const down = start(['download', dataset, into]);
    const isUnderWay = async (): Promise<boolean> => {
      const parts = await readdir(join(into, '.tilth-download')).catch((): string[] => []);
      const sizes = await Promise.all(
        parts.map((name) =>
          stat(join(into, '.tilth-download', name)).then(
            ({ size }) => size,
            () => 0,
          ),
        ),
      );
      return sizes.some((size) => size > 8 * MIB);
    };
    while (!(await isUnderWay())) {
      assert.equal(down.child.exitCode, null, down.output.errors);
      await pause(2);
    }
    await service.restart();
    const got = await down.ended;
    assert.deepEqual([got.stored, got.failed], [21, []], JSON.stringify(got));
    assert.ok(got.grownBytes < mostGrownBytes, `${got.grownBytes} bytes for a download`);
    for (const name of await readdir(source))
      assert.equal(await sha256Of(join(into, name)), await sha256Of(join(source, name)), name);
    assert.deepEqual((await readdir(into)).sort(), (await readdir(source)).sort());
  },
);

testWith([python3], 'transfers of Python outlive connections that are cut again and again', async (t, python = '') => {
  const service = await startApp(t);
  const prepared = await prepare(t, python, service, 100 * MIB);
  if (prepared === undefined) return;
  const { source, dataset, start, into } = prepared;
  const proxy = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(service.url).port) });
  t.after(() => proxy.close());
  for (const [what, folder] of [
    ['upload', source],
    ['download', into],
  ] as const) {
    // The lost calls include the one that announces an upload, whose response has its id.
    if (what === 'upload') proxy.cutAfter('/pre-upload');
    const transfer = start([what, dataset, folder], `http://127.0.0.1:${proxy.port}`);
    let cuts = 0;
    while (transfer.child.exitCode === null && cuts < 8) {
      if (proxy.open > 0) {
        await pause(60);
        cuts += Number(proxy.open > 0);
        proxy.cut();
      }
      await pause(20);
    }
    const result = await transfer.ended;
    assert.deepEqual([result.stored, result.failed], [21, []], JSON.stringify(result));
    assert.ok(cuts >= 2, `${cuts} cuts`);
  }
  await isWhole(service, dataset, source);
  for (const name of await readdir(source))
    assert.equal(await sha256Of(join(into, name)), await sha256Of(join(source, name)), name);
});

testWith(
  [python3],
  'Python tells damaged parts, used-up limits and expired keys, and never does twice what must be done once',
  async (t, python = '') => {
    const service = await startApp(t);
    const prepared = await prepare(t, python, service, 3 * MIB);
    if (prepared === undefined) return;
    const { source, dataset, start, into } = prepared;
    assert.equal((await start(['upload', dataset, source]).ended).stored, 21);

    type Files = { content: { id: string; filePath: string }[] };
    const { body } = await service.api<Files>('GET', `/data-management/datasets/${dataset}/files?size=1000`);
    const large = body.content.find(({ filePath }) => filePath === 'large.bin');
    const bytes = await readFile(join(source, 'large.bin'));
    const part = join(into, '.tilth-download', `${large?.id ?? ''}-2`);
    await mkdir(join(into, '.tilth-download'), { recursive: true });
    const damaged = Buffer.from(bytes.subarray(0, MIB));
    damaged.writeUInt8(damaged.readUInt8(7) ^ 1, 7);
    await writeFile(part, damaged);
    const found = await start(['download', dataset, into]).ended;
    assert.deepEqual(
      found.failed?.map(([path]) => path),
      ['large.bin'],
    );
    assert.match(found.failed?.[0]?.[1] ?? '', /checksum does not match/);
    const repaired = await start(['download', dataset, into]).ended;
    assert.deepEqual([repaired.stored, repaired.skipped], [1, 20]);
    assert.ok((await readFile(join(into, 'large.bin'))).equals(bytes));

    const gate = await startRateGate(t, service.url, /tasks/);
    const waited = start(['task', dataset], gate.url);
    assert.equal((await waited.ended).error, undefined);
    assert.match(waited.output.errors, /Rate limit of 100 calls exceeded.*trying again in 1 s/);
    const count = async (): Promise<number> =>
      (await service.api<{ data: { totalElements: number } }>('GET', '/data-cleaning/tasks')).body.data.totalElements;
    assert.equal(await count(), 1);
    const proxy = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(service.url).port) });
    t.after(() => proxy.close());
    // The task is created, but the response is lost.
    proxy.cutAfter('POST /api/v1/data-cleaning/tasks');
    const lost = await start(['task', dataset], `http://127.0.0.1:${proxy.port}`).ended;
    assert.equal(lost.error, 'ConnectionLost');
    assert.match(lost.message ?? '', /may have executed the call/);
    assert.equal(await count(), 2, 'once more, not twice');

    const expiresAt = new Date(Date.now() + 1500).toISOString();
    const { body: brief } = await service.api<{ key: string }>('POST', '/auth/api-keys', { name: 'brief', expiresAt });
    await pause(1600);
    const refused = start(['task', dataset], service.url, { TILTH_API_KEY: brief.key });
    await once(refused.child, 'close');
    assert.match(refused.output.errors, /Unauthenticated.*page API keys/s);
  },
);
