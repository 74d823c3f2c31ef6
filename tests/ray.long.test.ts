// Runs on a real Ray cluster. One cluster serves all tests of this file: starting it takes longer than the tests.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import {
  addDataset,
  addTask,
  ended,
  execute,
  findRun,
  logOf,
  openClusterPlace,
  outcomeOf,
  rowsOf,
  startRayFor,
  startService,
  withRay,
  type ClusterOutcome,
  type ClusterPlace,
} from './support/cluster-service.ts';
import {
  addSynthesis,
  callsOf,
  recordsOf,
  rowsToAskAbout,
  startPairProvider,
  timesAsked,
  type HoldingProvider,
} from './support/cluster-synthesis.ts';
import { docxOf } from './support/document-files.ts';
import { send, testWithRay, type RayCluster } from './support/ray.ts';
import type { RunningProcess } from './support/server.ts';
import { endOfTask } from './support/synthesis.ts';

const worker = /^\S*node\S* \S*main\.ts worker --stdio\b/;
const driver = /^\S*node\S* \S*main\.ts drive /;

type Bench = {
  place: ClusterPlace;
  ray: RayCluster;
  service: RunningProcess;
  source: string;
  /** The result of a service without a cluster for the source. */
  expected: ClusterOutcome;
  /** The same for synthesis. */
  asked: { provider: HoldingProvider; source: string; expected: Awaited<ReturnType<typeof recordsOf>> };
};

const ends: (() => Promise<void>)[] = [];
const ending = { after: (end: () => Promise<void>) => void ends.push(end) };
let shared: Promise<Bench> | undefined;
after(async () => {
  for (const end of ends.reverse()) await end();
});

function bench(): Promise<Bench> {
  shared ??= (async () => {
    const place = await openClusterPlace(ending);
    const ray = startRayFor(ending, place);
    // Before a service with a cluster exists, which would claim its runs.
    const settings = { TILTH_OUTGOING_ALLOW: '127.0.0.1' };
    const embedded = await startService(ending, { ...place.settings, ...settings });
    const source = await addDataset(embedded, {
      'a.jsonl': rowsOf(0, 12_000),
      'b.csv': 'n,text\n1,"a row  of a table, with words enough"\n2,short\n',
      'c.docx': docxOf(['A  paragraph of a document with words enough']),
    });
    const task = await addTask(embedded, source);
    const expected = await outcomeOf(embedded, task, await execute(embedded, task));
    const provider = await startPairProvider(ending);
    const texts = await addDataset(embedded, {
      'c.docx': docxOf(['A paragraph of a document about the harrow that crumbles heavy clods in spring']),
      'rows.jsonl': rowsToAskAbout(12),
    });
    const { id } = await addSynthesis(embedded, { provider, name: 'embedded', sourceDatasetId: texts });
    const asked = { provider, source: texts, expected: await recordsOf(embedded, id) };
    await embedded.close();
    const service = await startService(ending, { ...withRay(place, await ray), ...settings });
    return { place, ray: await ray, service, source, expected, asked };
  })();
  return shared;
}

async function until<T>(what: string, find: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (const deadline = performance.now() + 200_000; performance.now() < deadline; await pause(50)) {
    const found = await find();
    if (found !== undefined) return found;
  }
  throw new Error(`It never happened: ${what}`);
}

function environmentOf(pid: number): Map<string, string> {
  const variables = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
  return new Map(variables.map((one) => [one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)]));
}

testWithRay('a run gives the same bytes, ledger and counts on a Ray cluster as without one', async () => {
  const { ray, service, source, expected } = await bench();
  assert.equal(expected.status, 'COMPLETED', expected.error ?? '');
  const task = await addTask(service, source);
  assert.deepEqual(await outcomeOf(service, task, await execute(service, task)), expected);
  assert.equal(service.output().stderr.includes(ray.token), false);
});

testWithRay('a run of synthesis gives the same on a Ray cluster, where its driver asks the model', async () => {
  const { place, service, asked } = await bench();
  const { provider, source: sourceDatasetId, expected } = asked;
  assert.deepEqual([expected.status, expected.counts.kept], ['COMPLETED', 13], expected.error ?? '');
  const task = await addSynthesis(service, { provider, name: 'on the cluster', sourceDatasetId });
  assert.deepEqual(await recordsOf(service, task.id), expected);
  const { calls, owners } = await callsOf(place, task.modelId);
  assert.equal(calls, 13);
  assert.match(owners.join(), /^driver\/[^,]+$/);
});

testWithRay('what a model was asked before a stop or the loss of the driver is not asked again', async (t) => {
  const { place, ray, service } = await bench();
  const provider = await startPairProvider(t, 8);
  const sourceDatasetId = await addDataset(service, { 'rows.jsonl': rowsToAskAbout(24) });
  const { id, modelId } = await addSynthesis(service, { provider, name: 'held', sourceDatasetId });
  const route = `/data-synthesis/tasks/${id}`;
  const untilHeld = (least: number): Promise<true> =>
    until('calls in flight', () => (provider.held >= least ? true : undefined));
  await untilHeld(4);
  assert.equal((await service.api('POST', `${route}/stop`)).status, 200);
  assert.equal((await endOfTask(service, id)).status, 'STOPPED');
  const inFlight = provider.held;
  // Longer than the grace period of a process that Ray stops.
  await pause(4_000);
  assert.equal(provider.held, inFlight, 'the driver waits for what it asked');
  provider.answerNext(0);
  await until('the end of the driver', () => (ray.find(driver).length === 0 ? true : undefined));
  const asked = timesAsked(provider);
  assert.deepEqual((await callsOf(place, modelId)).done, new Set(asked.keys()), 'every reply is in the ledger');

  provider.answerNext(4);
  assert.equal((await service.api('POST', `${route}/execute`, { resume: true })).status, 200);
  await untilHeld(1);
  const done = await until('replies after the stop', async () => {
    const { done: known } = await callsOf(place, modelId);
    return known.size > asked.size ? known : undefined;
  });
  const before = timesAsked(provider);
  for (const { pid } of ray.find(driver)) send(pid, 'SIGKILL');
  provider.answerNext(Number.POSITIVE_INFINITY);
  const { status, error, counts, lastRunId } = await endOfTask(service, id);
  assert.deepEqual([status, error, counts.in, counts.kept], ['COMPLETED', null, 24, 24]);
  const times = timesAsked(provider);
  assert.equal(times.size, 24);
  for (const row of done) assert.equal(times.get(row), before.get(row), `${row} was paid for`);
  const { body } = await service.api<{ data: { content: { message: string }[] } }>(
    'GET',
    `${route}/runs/${lastRunId}/logs`,
  );
  t.diagnostic(
    `asked ${Array.from(times.values()).join(' ')}; ${body.data.content.map(({ message }) => message).join(' | ')}`,
  );
});

testWithRay('a cluster that refuses the token is told in its words, and the run waits', async (t) => {
  const { ray } = await bench();
  const service = await startService(t, withRay(await openClusterPlace(t), { ...ray, token: 'a wrong token' }));
  const task = await addTask(service, await addDataset(service, { 'a.jsonl': rowsOf(0, 5) }));
  const runId = await execute(service, task);
  await until('a line that says why', async () =>
    (await logOf(service, task, runId)).find((line) =>
      /^Waiting for the cluster, which refuses to drive the run: 40[13] \w+: Invalid authentication token/.test(line),
    ),
  );
  assert.equal((await findRun(service, task, runId)).status, 'RUNNING');
});

testWithRay(
  'workers have no secret of the service; a stopped run is fenced at once, and its processes end',
  async (t) => {
    const { ray, service } = await bench();
    const task = await addTask(service, await addDataset(service, { 'many.jsonl': rowsOf(0, 30_000) }));
    const runId = await execute(service, task);
    const { pid } = await until('a worker', () => ray.find(worker)[0]);
    const variables = environmentOf(pid);
    assert.ok(
      variables.has('TILTH_STORAGE_URL') && variables.has('AWS_SECRET_ACCESS_KEY'),
      [...variables.keys()].join(),
    );
    for (const name of ['TILTH_DATABASE_URL', 'TILTH_SECRETS_KEY', 'RAY_AUTH_TOKEN'])
      assert.equal(variables.has(name), false);
    assert.ok(environmentOf(ray.find(driver)[0]?.pid ?? 0).has('TILTH_DATABASE_URL'), 'its driver has them');

    const since = performance.now();
    assert.equal((await service.api('POST', `/data-cleaning/tasks/${task.id}/stop`)).status, 200);
    assert.equal((await findRun(service, task, runId)).status, 'STOPPED');
    const fencedMs = performance.now() - since;
    await until('the end of its processes', () => (ray.find(/main\.ts/).length === 0 ? true : undefined));
    t.diagnostic(`fenced after ${Math.round(fencedMs)} ms, gone after ${Math.round(performance.now() - since)} ms`);
    assert.equal((await findRun(service, task, runId)).status, 'STOPPED');
  },
);

testWithRay(
  'with TILTH_RAY_ENVIRONMENT=JOB a driver has the secrets of the service that sent it, and workers have none',
  async (t) => {
    const { ray } = await bench();
    // Another database and key than in the environment of the nodes.
    const place = await openClusterPlace(t);
    const service = await startService(t, {
      ...withRay(place, ray),
      TILTH_RAY_ENVIRONMENT: 'JOB',
      TILTH_SECRETS_KEY: 'c2'.repeat(32),
    });
    const task = await addTask(service, await addDataset(service, { 'a.jsonl': rowsOf(0, 3_000) }));
    const runId = await execute(service, task);
    const driving = await until('its driver', () => ray.find(driver)[0]);
    const known = environmentOf(driving.pid);
    assert.deepEqual(
      [known.get('TILTH_DATABASE_URL'), known.get('TILTH_SECRETS_KEY')],
      [place.databaseUrl, 'c2'.repeat(32)],
    );
    const working = environmentOf((await until('a worker', () => ray.find(worker)[0])).pid);
    for (const name of ['TILTH_DATABASE_URL', 'TILTH_SECRETS_KEY']) assert.equal(working.has(name), false, name);
    const { status, error, counts } = await ended(service, task, runId);
    assert.deepEqual([status, error, counts.in], ['COMPLETED', null, 3_000]);
  },
);

testWithRay('a run outlives the loss of a worker, of its driver and of the whole cluster', async (t) => {
  const { ray, service } = await bench();
  const task = await addTask(service, await addDataset(service, { 'many.jsonl': rowsOf(0, 30_000) }));
  const runId = await execute(service, task);
  const says = (text: string): Promise<string> =>
    until(text, async () => (await logOf(service, task, runId)).find((line) => line.startsWith(text)));
  // A table whose scan loses two processes counts as one failed sample; another test covers that.
  await says('Planned');
  await until('a worker to kill while it works', async () => {
    for (const { pid } of ray.find(worker)) send(pid, 'SIGKILL');
    await pause(500);
    return (await logOf(service, task, runId)).find((line) => line.startsWith('Work was lost on the cluster'));
  });
  for (const { pid } of ray.find(driver)) send(pid, 'SIGKILL');
  await says('The driver of the run on the cluster was lost');
  await until('the next driver', () => ray.find(driver)[0]);
  await ray.restart();
  const run = await ended(service, task, runId);
  assert.equal(run.status, 'COMPLETED', run.error ?? '');
  assert.deepEqual([run.counts.in, run.counts.kept + run.counts.dropped], [30_000, 30_000]);
  const log = await logOf(service, task, runId);
  assert.equal(log.filter((line) => line === 'Completed').length, 1);
  t.diagnostic(log.join(' | '));
});
