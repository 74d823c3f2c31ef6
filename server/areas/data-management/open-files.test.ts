// A service without a free file descriptor: calls that need one are put off, and nothing of them is stored.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { Agent, request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { patternBytes } from '../../../tests/support/blobs.ts';
import { startProcess } from '../../../tests/support/server.ts';

type Answer = { status: number; retryAfter: string | undefined; body: string };

test('calls without a free file descriptor get 503 and work again later', { timeout: 120_000 }, async (t) => {
  const service = await startProcess({ after: t.after.bind(t) });
  const { body: dataset } = await service.api<{ id: string }>('POST', '/data-management/datasets', {
    name: 'crowded',
    type: 'TEXT',
  });
  // One connection, which is open already: another one would need a descriptor itself.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const call = async (method: string, path: string, form?: FormData): Promise<Answer> => {
    const sent = form === undefined ? undefined : new Response(form);
    const type = sent?.headers.get('content-type');
    const headers = {
      authorization: `Bearer ${service.token}`,
      ...(type === null || type === undefined ? {} : { 'content-type': type }),
    };
    const url = `${service.url}/api/v1/data-management/datasets/${dataset.id}${path}`;
    const outgoing = request(url, { agent, method, headers });
    outgoing.end(sent === undefined ? undefined : Buffer.from(await sent.arrayBuffer()));
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      outgoing.once('response', resolve).once('error', reject);
    });
    return {
      status: response.statusCode ?? 0,
      retryAfter: response.headers['retry-after'],
      body: await text(response),
    };
  };
  const upload = (name: string): Promise<Answer> => {
    const form = new FormData();
    form.append('files', new Blob([Uint8Array.from(patternBytes(1, 2_000_000))]), name);
    return call('POST', '/files/upload', form);
  };
  const paths = async (): Promise<string[]> => {
    const { body } = await call('GET', '/files');
    return (JSON.parse(body) as { content: { filePath: string }[] }).content.map(({ filePath }) => filePath);
  };

  assert.equal((await upload('first.bin')).status, 201);
  const limit = (files: number): Buffer =>
    execFileSync('prlimit', ['--pid', String(service.pid), `--nofile=${files}:`]);
  const used = new Set(readdirSync(`/proc/${service.pid}/fd`).map(Number));
  const [, before] = /(\d+)\s*$/.exec(
    execFileSync('prlimit', ['--pid', String(service.pid), '--nofile', '--noheadings', '--output=SOFT']).toString(),
  ) ?? ['', '1024'];
  let free = 0;
  while (used.has(free)) free += 1;
  limit(free);
  for (const answer of [await upload('second.bin'), await upload('third.bin')]) {
    assert.equal(answer.status, 503, answer.body);
    assert.equal(answer.retryAfter, '1');
    assert.match(answer.body, /Too many files are open at the moment/);
  }
  assert.deepEqual(await paths(), ['first.bin'], 'calls that need no file are answered');
  limit(Number(before));
  assert.equal((await upload('second.bin')).status, 201);
  assert.deepEqual((await paths()).toSorted(), ['first.bin', 'second.bin']);
});
