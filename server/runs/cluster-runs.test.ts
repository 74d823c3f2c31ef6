// Runs driven by a cluster: who owns a run, whatever is unreachable or lost.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { handedOver, openClusterRuns } from '../../tests/support/cluster-runs.ts';
import { postgres } from '../../tests/support/postgres.ts';
import { testWith } from '../../tests/support/tools.ts';
import { until } from '../../tests/support/until.ts';
import { newId } from '../kernel/ids.ts';
import { noSignals, type Signals } from '../storage/database/signals.ts';
import { driverPlacePrefix } from './index.ts';

testWith([postgres], 'a run is driven by the process that its job starts, under the epoch of the claim', async (t) => {
  const { head, startNode, drive, enqueue, until: untilRun, logOf } = await openClusterRuns(t);
  head.onJob = ({ submission_id: id }) => void drive(id);
  const node = await startNode();
  const run = await enqueue(node);
  const { counts } = await untilRun(node, run, 'COMPLETED');
  assert.equal(counts.in, 2);
  assert.deepEqual(await logOf(node, run), ['Started', handedOver, 'Completed']);
  const [job] = head.jobs.values();
  assert.equal(job?.submission_id, `tilth-${run.id}-1`);
  assert.deepEqual(job.runtime_env.env_vars, { TILTH_STORAGE_URL: 's3://b', RAY_JOB_STOP_WAIT_TIME_S: '130' });
  assert.match(
    job.entrypoint,
    /^exec python3 '\/app\/server\/cluster\/bridge\.py' '.+' '\/app\/server\/main\.ts' drive --run '.+' --epoch 1 -- '.+' '\/app\/server\/main\.ts' worker --stdio$/,
  );
});

testWith([postgres], 'a job that ends before it takes its run is told, and another follows', async (t) => {
  const { head, startNode, drive, enqueue, until: untilRun, logOf } = await openClusterRuns(t);
  head.onJob = (job) => {
    if (job.submission_id.endsWith('-1')) head.end(job, 'FAILED', 'exit code 1\nno module named ray');
    else void drive(job.submission_id);
  };
  const node = await startNode();
  const run = await enqueue(node);
  await untilRun(node, run, 'COMPLETED');
  assert.deepEqual(await logOf(node, run), [
    'Started',
    handedOver,
    'The job of the run on the cluster ended before it began to work: exit code 1 · no module named ray',
    'Going on from the last checkpoint',
    handedOver,
    'Completed',
  ]);
  // The driver of the first job comes up late.
  assert.equal(await drive(`tilth-${run.id}-1`), false);
});

testWith([postgres], 'a run waits for a head that is away or refuses, told once for each reason', async (t) => {
  const { head, startNode, drive, enqueue, until: untilRun, logOf } = await openClusterRuns(t);
  head.onJob = ({ submission_id: id }) => void drive(id);
  let calls = 0;
  head.decide = (call) => {
    if (call !== 'POST /api/jobs/') return undefined;
    calls += 1;
    if (calls <= 2) return 'cut';
    return calls === 3 ? { status: 401, body: 'Unauthorized: Missing authentication token' } : undefined;
  };
  const node = await startNode();
  const run = await enqueue(node);
  const { counts } = await untilRun(node, run, 'COMPLETED');
  assert.equal(counts.in, 2);
  assert.deepEqual(await logOf(node, run), [
    'Started',
    handedOver,
    'Waiting for the cluster, which can not be reached: socket hang up (ECONNRESET)',
    'Waiting for the cluster, which refuses to drive the run: 401 Unauthorized: Missing authentication token',
    'The cluster has accepted the run',
    'Completed',
  ]);
});

testWith([postgres], 'a run that the cluster does not take from one node is handed over by another', async (t) => {
  const { head, startNode, drive, enqueue, until: untilRun, logOf } = await openClusterRuns(t);
  head.onJob = ({ submission_id: id }) => void drive(id);
  const refused = await startNode({ leaseMs: 60_000, token: 'of another cluster' });
  const run = await enqueue(refused, 2);
  await until(async () => (await logOf(refused, run)).some((line) => line.includes('refuses to drive')));
  const node = await startNode({ leaseMs: 60_000 });
  await untilRun(node, run, 'COMPLETED');
  assert.deepEqual((await logOf(node, run)).slice(-3), ['Going on from the last checkpoint', handedOver, 'Completed']);
});

testWith([postgres], 'a run whose process is no longer heard of goes on by another, which says so', async (t) => {
  const { db, head, startNode, drive, enqueue, until: untilRun, logOf } = await openClusterRuns(t);
  const node = await startNode({ leaseMs: 60_000 });
  const run = await enqueue(node);
  await until(() => head.jobs.size === 1);
  await node.stop();
  // A driver that was paused while its job is alive.
  const place = `${driverPlacePrefix}${newId()}`;
  const paused = { lease_place: place, lease_until: Date.now() - 1 };
  await db.write((tx) => tx.updateTable('runs').set(paused).where('id', '=', run.id).execute());
  head.onJob = ({ submission_id: id }) => void drive(id);
  const next = await startNode({ leaseMs: 60_000 });
  await untilRun(next, run, 'COMPLETED');
  assert.deepEqual(await logOf(next, run), [
    'Started',
    handedOver,
    'The process that drove the run has not been heard of for the time of its lease; another one drives it now',
    'Going on from the last checkpoint',
    handedOver,
    'Completed',
  ]);
});

testWith([postgres], 'a job is submitted once, also when the answer to that is lost', async (t) => {
  const { head, startNode, drive, enqueue, until: untilRun, logOf } = await openClusterRuns(t);
  head.onJob = ({ submission_id: id }) => void drive(id);
  head.decide = (call) => (call === 'POST /api/jobs/' ? 'cut after it is done' : undefined);
  const node = await startNode();
  const run = await enqueue(node);
  await untilRun(node, run, 'COMPLETED');
  assert.deepEqual(await logOf(node, run), ['Started', handedOver, 'Completed']);
  assert.equal(head.jobs.size, 1);
});

testWith(
  [postgres],
  'a stopped run is fenced at once, and its job is stopped although the head is away meanwhile',
  async (t) => {
    const { db, head, startNode, drive, enqueue, until: untilRun } = await openClusterRuns(t);
    const driven: Promise<boolean>[] = [];
    head.onJob = ({ submission_id: id }) => void driven.push(drive(id));
    const node = await startNode();
    const run = await enqueue(node, 100_000);
    await until(async () => (await node.findRun(db.read, 'sleep', run.taskId, run.id))?.phase === 'SLEEP');
    let isAway = true;
    head.decide = () => (isAway ? 'cut' : undefined);
    assert.equal(await node.stopRun(run.id), true);
    await untilRun(node, run, 'STOPPED');
    await Promise.all(driven);
    isAway = false;
    await until(() => head.jobs.get(`tilth-${run.id}-1`)?.status === 'STOPPED');
  },
);

testWith(
  [postgres],
  'a run whose driver is lost goes on before its lease ends; jobs of other installations are left alone',
  async (t) => {
    const { db, head, lost, startNode, drive, enqueue, until: untilRun, logOf } = await openClusterRuns(t);
    const node = await startNode({ leaseMs: 60_000 });
    await startNode({ installation: 'theirs' });
    const run = await enqueue(node);
    await until(() => head.jobs.size === 1);
    const [first] = head.jobs.values();
    assert.ok(first !== undefined);
    // A driver that adopted the run and was killed.
    const place = `${driverPlacePrefix}${newId()}`;
    await db.write((tx) =>
      tx
        .updateTable('runs')
        .set({ lease_place: place, lease_until: Date.now() + 60_000 })
        .where('id', '=', run.id)
        .execute(),
    );
    head.jobs.set('tilth-unknown-1', {
      ...first,
      submission_id: 'tilth-unknown-1',
      metadata: { tilth_installation: 'others' },
    });
    head.jobs.set('tilth-deleted-1', { ...first, submission_id: 'tilth-deleted-1' });
    head.onJob = ({ submission_id: id }) => void drive(id);
    const noise = [
      "Running entrypoint for job tilth-1: exec python3 '/app/server/cluster/bridge.py'",
      '2026-11-26 21:00:00,123\tINFO worker.py:1879 -- Connecting to existing Ray cluster at address: 10.0.0.2:6379...',
      '{"level":30,"time":1,"msg":"a driver started"}',
      '(raylet) A worker died',
      'tilth: the memory of the node is full',
      '',
    ].join('\n');
    const said = 'Job entrypoint command failed with exit code 137, last available logs (truncated to 20,000 chars):';
    head.end(first, 'FAILED', `${said}\n${noise}`);
    await untilRun(node, run, 'COMPLETED');
    assert.deepEqual(lost, [place]);
    assert.match(
      (await logOf(node, run)).join('\n'),
      /driver of the run on the cluster was lost; .*: Job entrypoint command failed with exit code 137 · tilth: the memory of the node is full$/m,
    );
    await until(() => head.jobs.get('tilth-deleted-1')?.status === 'STOPPED');
    assert.equal(head.jobs.get('tilth-unknown-1')?.status, 'RUNNING');
  },
);

testWith([postgres], 'a process that stops leaves a run to the job that may still take it', async (t) => {
  const { head, startNode, drive, enqueue, until: untilRun } = await openClusterRuns(t);
  const node = await startNode({ leaseMs: 60_000 });
  const run = await enqueue(node);
  await until(() => head.jobs.size === 1);
  await node.stop();
  const next = await startNode({ leaseMs: 60_000 });
  assert.equal(await drive(`tilth-${run.id}-1`), true);
  await untilRun(next, run, 'COMPLETED');
  assert.equal(head.jobs.size, 1);
});

testWith([postgres], 'no more runs are handed over than the cluster may drive', async (t) => {
  const { head, startNode, drive, enqueue, until: untilRun } = await openClusterRuns(t);
  const node = await startNode();
  const queued = [await enqueue(node), await enqueue(node), await enqueue(node)];
  await until(() => head.jobs.size === 2);
  await pause(600);
  assert.equal(head.jobs.size, 2);
  const waiting = Array.from(head.jobs.keys());
  head.onJob = ({ submission_id: id }) => void drive(id);
  for (const id of waiting) void drive(id);
  for (const run of queued) await untilRun(node, run, 'COMPLETED');
});

testWith([postgres], 'a driver lets go of a stopped run when another process says so', async (t) => {
  const { head, startNode, drive, enqueue } = await openClusterRuns(t);
  const node = await startNode();
  const run = await enqueue(node, 100_000);
  await until(() => head.jobs.size === 1);
  // Tests the hint alone: the driver's next renewal would not find out in time, since the run is still going.
  let stopped: (id: string) => void = () => {};
  const on: Signals['on'] = (topic, listener) => {
    if (topic === 'run-stopped') stopped = listener;
    return () => {};
  };
  const driven = drive(`tilth-${run.id}-1`, { ...noSignals, on });
  await until(async () => {
    stopped(run.id);
    return Promise.race([driven, pause(10, false)]);
  });
});

testWith([postgres], 'runs share the slots of a cluster with those that take some', async (t) => {
  const { db, head, startNode, drive, enqueue } = await openClusterRuns(t);
  head.onJob = ({ submission_id: id }) => void drive(id);
  const node = await startNode();
  const runs = [await enqueue(node, 100_000), await enqueue(node, 100_000, 'working')];
  await until(async () =>
    (await Promise.all(runs.map(({ id, taskId }) => node.findRun(db.read, 'sleep', taskId, id)))).every(
      (run) => run?.phase === 'SLEEP',
    ),
  );
  assert.equal(await node.countTakingSlots(), 1);
});
