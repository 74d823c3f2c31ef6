// Runs of synthesis that end early: what they pay for, and what is made when they are resumed.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { refuse, startProvider } from '../../../tests/fakes/model-provider.ts';
import { longTests } from '../../../tests/support/long-tests.ts';
import { startApp, startProcess } from '../../../tests/support/server.ts';
import {
  createModel,
  createSource,
  createTask,
  endOfTask,
  listRecords,
  pair,
  rows,
  textOf,
  type SynthesisTask,
} from '../../../tests/support/synthesis.ts';
import { sharedApp } from '../../../tests/support/shared-app.ts';

type Answer<T> = { data: T; error: string };
const settings = { TILTH_OUTGOING_ALLOW: '127.0.0.1' };
const shared = sharedApp(import.meta.url, { settings });

shared.forAnyDatabase(
  'a budget stops a run with its reason, and resuming it pays for nothing twice',
  async (t, service) => {
    const provider = await startProvider(t, pair);
    const sourceDatasetId = await createSource(service, { 'rows.jsonl': rows(30) });
    const model = await createModel(service, provider);
    const { id } = await createTask(service, { sourceDatasetId, model, budget: { maxCalls: 12 } });
    const stopped = await endOfTask(service, id);
    assert.equal(stopped.status, 'STOPPED');
    assert.match(stopped.error ?? '', /limit of 12 calls \(maxCalls\)/);
    assert.deepEqual([stopped.counts.in, provider.requests.length], [12, 12]);
    assert.equal((await service.api('POST', `/data-synthesis/tasks/${id}/execute`, { resume: true })).status, 200);
    assert.equal((await endOfTask(service, id)).status, 'STOPPED', 'the budget holds over all runs of the chain');
    assert.equal(provider.requests.length, 12);
    assert.equal((await service.api('PUT', `/data-synthesis/tasks/${id}`, { budget: { maxCalls: 100 } })).status, 200);
    await service.api('POST', `/data-synthesis/tasks/${id}/execute`, { resume: true });
    const done = await endOfTask(service, id);
    assert.deepEqual([done.status, done.counts.in, done.counts.kept, done.counts.emitted], ['COMPLETED', 30, 30, 30]);
    assert.equal(provider.requests.length, 30);
    assert.equal(new Set(provider.requests.map(textOf)).size, 30, 'each sample was asked about once');
  },
);

test('a run whose model refuses every call fails at once, and resuming it makes all records', async (t) => {
  const provider = await startProvider(t, refuse(401, 'no such key'));
  const service = await shared.open();
  const sourceDatasetId = await createSource(service, { 'rows.jsonl': rows(40) });
  const model = await createModel(service, provider);
  const { id } = await createTask(service, { sourceDatasetId, model });
  const failed = await endOfTask(service, id);
  assert.equal(failed.status, 'FAILED');
  assert.match(failed.error ?? '', /can not be used.*resume/);
  assert.ok(provider.requests.length < 40);
  provider.answer = pair;
  await service.api('POST', `/data-synthesis/tasks/${id}/execute`, { resume: true });
  const done = await endOfTask(service, id);
  assert.deepEqual([done.status, done.counts.in, done.counts.kept], ['COMPLETED', 40, 40]);
});

shared.forAnyDatabase(
  'a stop keeps the replies in flight: resuming asks for none of them again',
  async (t, service) => {
    const held: (() => void)[] = [];
    const state = { isHolding: true };
    const provider = await startProvider(t, (request, response, raw) => {
      const answer = (): unknown => pair(request, response, raw);
      if (state.isHolding) held.push(answer);
      else answer();
    });
    const sourceDatasetId = await createSource(service, { 'rows.jsonl': rows(12) });
    const model = await createModel(service, provider);
    const { id } = await createTask(service, { sourceDatasetId, model });
    while (held.length < 4) await setTimeout(5);
    await service.api('POST', `/data-synthesis/tasks/${id}/stop`);
    const stopped = await endOfTask(service, id);
    assert.deepEqual([stopped.status, stopped.counts.in, held.length], ['STOPPED', 0, 4], 'a stop waits for no reply');
    state.isHolding = false;
    for (const answer of held) answer();
    await service.api('POST', `/data-synthesis/tasks/${id}/execute`, { resume: true });
    const done = await endOfTask(service, id);
    assert.deepEqual([done.status, done.counts.kept, provider.requests.length], ['COMPLETED', 12, 12]);
    const usage = await service.api<Answer<{ actual: { calls: number; inputTokens: number } }>>(
      'GET',
      `/data-synthesis/tasks/${id}/runs/${done.lastRunId}/usage`,
    );
    const { calls, inputTokens } = usage.body.data.actual;
    assert.deepEqual([calls, inputTokens], [12, 120], 'the replies after the stop are accounted for');
  },
);

test('a service that ends waits for the replies in flight, and the next one asks for none of them', async (t) => {
  const held: (() => void)[] = [];
  const provider = await startProvider(t, (request, response, raw) => held.push(() => pair(request, response, raw)));
  const dataDir = await mkdtemp(join(tmpdir(), 'tilth-synthesis-'));
  t.after(() => rm(dataDir, { recursive: true }));
  const first = await startApp(t, { settings, dataDir });
  const sourceDatasetId = await createSource(first, { 'rows.jsonl': rows(4) });
  const { id } = await createTask(first, { sourceDatasetId, model: await createModel(first, provider) });
  while (held.length < 4) await setTimeout(5);
  const ended = first.close();
  await setTimeout(100);
  for (const answer of held) answer();
  await ended;
  const done = await endOfTask(await startApp(t, { settings, dataDir }), id);
  assert.deepEqual([done.status, done.counts.kept, provider.requests.length], ['COMPLETED', 4, 4]);
});

longTests(() => {
  test('a service that ends waits for the replies in flight, and asks for none of them after its restart', async (t) => {
    const held: (() => void)[] = [];
    const provider = await startProvider(t, (request, response, raw) => held.push(() => pair(request, response, raw)));
    const service = await startProcess(t, { settings });
    const sourceDatasetId = await createSource(service, { 'rows.jsonl': rows(4) });
    const { id } = await createTask(service, { sourceDatasetId, model: await createModel(service, provider) });
    while (held.length < 4) await setTimeout(5);
    const ended = service.kill('SIGTERM');
    await setTimeout(100);
    for (const answer of held) answer();
    assert.equal((await ended).code, 0);
    await service.restart();
    const done = await endOfTask(service, id);
    assert.deepEqual([done.status, done.counts.kept, provider.requests.length], ['COMPLETED', 4, 4]);
  });
});

test('resuming a run that was stopped tries its failed records again, and its counts follow', async (t) => {
  let isBroken = true;
  const hanging = Promise.withResolvers<() => void>();
  const provider = await startProvider(t, (request, response, raw) => {
    const text = textOf(request);
    if (isBroken && /^row[0-9] /.test(text)) return refuse(400, 'refused today')(request, response, raw);
    if (isBroken && text.startsWith('row15 ')) return hanging.resolve(() => raw.socket.destroy());
    return pair(request, response, raw);
  });
  const service = await shared.open();
  const sourceDatasetId = await createSource(service, { 'rows.jsonl': rows(20) });
  const model = await createModel(service, provider);
  const { id } = await createTask(service, { sourceDatasetId, model });
  const breakOff = await hanging.promise;
  for (;;) {
    const { body } = await service.api<Answer<SynthesisTask>>('GET', `/data-synthesis/tasks/${id}`);
    if (body.data.counts.in >= 15) break;
  }
  await service.api('POST', `/data-synthesis/tasks/${id}/stop`);
  const stopped = await endOfTask(service, id);
  assert.deepEqual([stopped.status, stopped.counts.in, stopped.counts.failed], ['STOPPED', 15, 10]);
  isBroken = false;
  breakOff();
  await service.api('POST', `/data-synthesis/tasks/${id}/execute`, { resume: true });
  const done = await endOfTask(service, id);
  assert.deepEqual([done.status, done.counts.in, done.counts.kept, done.counts.failed], ['COMPLETED', 20, 20, 0]);
  assert.deepEqual(
    (await listRecords(service, id)).map(({ number }) => number),
    Array.from({ length: 20 }, (_, at) => at + 1),
  );
});
