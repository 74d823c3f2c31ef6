// Two nodes behind a load balancer are replaced one after the other while clients work: none of their calls may fail.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { patternBytes } from './support/blobs.ts';
import { startHttpBalancer } from './support/http-balancer.ts';
import { openNodeGroup } from './support/nodes.ts';
import { postgres } from './support/postgres.ts';
import { testWith } from './support/tools.ts';
import { versitygw } from './support/versitygw.ts';

testWith([postgres, versitygw], 'no call fails while nodes are replaced one after the other', async (t) => {
  const group = await openNodeGroup(t, { TILTH_DRAIN_SECONDS: '2' });
  const nodes = [await group.start(), await group.start()];
  const balancer = await startHttpBalancer(
    t,
    nodes.map(({ url }) => url),
  );
  const api = `${balancer.url}/api/v1/data-management/datasets`;
  const headers = { authorization: `Bearer ${nodes[0]?.token}` };
  const call = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const answer = await fetch(`${api}${path}`, { ...init, headers: { ...headers, ...init.headers } });
    if (!answer.ok) assert.fail(`${init.method ?? 'GET'} ${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
  const json = (body: object): RequestInit => ({
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
  const { id } = (await (await call('', json({ name: 'rolling', type: 'TEXT' }))).json()) as { id: string };
  const files = `/${id}/files`;
  const state = { isOver: false };
  const counts = { reads: 0, chunks: 0, downloads: 0, streams: 0 };
  const stored = new Map<string, Buffer>();

  async function read(): Promise<void> {
    while (!state.isOver) {
      await (await call(`${files}?size=5`)).arrayBuffer();
      counts.reads += 1;
    }
  }

  /** Files of two chunks, each chunk sent to either node. */
  async function upload(worker: number): Promise<void> {
    const count = 400;
    const announced = { totalFileNum: count, totalSize: count * 2 * 40_000 };
    const reqId = (await (await call(`${files}/upload/pre-upload`, json(announced))).json()) as string;
    for (let fileNo = 1; fileNo <= count && !state.isOver; fileNo++) {
      const name = `${worker}-${fileNo}.bin`;
      const bytes = patternBytes(worker * 1000 + fileNo, 80_000);
      for (const chunkNo of [1, 2]) {
        const form = new FormData();
        const fields = { reqId, fileNo, fileName: name, totalChunkNum: 2, chunkNo };
        for (const [field, value] of Object.entries(fields)) form.set(field, String(value));
        form.set('file', new Blob([new Uint8Array(bytes.subarray((chunkNo - 1) * 40_000, chunkNo * 40_000))]), name);
        await (await call(`${files}/upload/chunk`, { method: 'POST', body: form })).arrayBuffer();
        counts.chunks += 1;
      }
      stored.set(name, bytes);
    }
  }

  async function download(): Promise<void> {
    while (!state.isOver) {
      const list = (await (await call(`${files}?size=20`)).json()) as { content: { id: string; filePath: string }[] };
      for (const file of list.content) {
        const expected = stored.get(file.filePath);
        if (expected === undefined) continue;
        const bytes = Buffer.from(await (await call(`${files}/${file.id}/download`)).arrayBuffer());
        assert.ok(bytes.equals(expected), file.filePath);
        counts.downloads += 1;
      }
      await pause(20);
    }
  }

  /** Streams end with their node; the client reopens them at once. */
  async function follow(): Promise<void> {
    const body = json({ totalFileNum: 1, totalSize: 1 });
    const reqId = (await (await call(`${files}/upload/pre-upload`, body)).json()) as string;
    while (!state.isOver) {
      const stream = await call(`${files}/upload/${reqId}/events`);
      counts.streams += 1;
      const reader = stream.body?.getReader();
      for (;;) {
        const part = await Promise.race([reader?.read(), over.promise]);
        if (part === undefined || part.done) break;
      }
      await reader?.cancel().catch(() => {});
    }
  }

  const over = Promise.withResolvers<undefined>();
  const work = Promise.all([read(), upload(1), upload(2), download(), follow()]);
  const failed = work.then(
    () => undefined,
    (error: unknown) => error,
  );
  for (const index of [0, 1]) {
    const before = { ...counts };
    const old = nodes[index];
    const ended = old?.kill('SIGTERM');
    assert.equal(await Promise.race([failed, ended?.then(({ code }) => code)]), 0);
    const next = await group.start();
    nodes[index] = next;
    balancer.nodes = nodes.map(({ url }) => url);
    while ((balancer.taken.get(next.url) ?? 0) < 20) {
      await Promise.race([pause(20), failed.then((error) => assert.ifError(error))]);
    }
    assert.ok(counts.chunks > before.chunks && counts.reads > before.reads, 'work went on');
  }
  state.isOver = true;
  over.resolve(undefined);
  assert.equal(await failed, undefined);
  assert.ok(counts.streams > 1, 'streams were opened again');
  t.diagnostic(JSON.stringify(counts));
});
