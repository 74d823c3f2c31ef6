import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startRayHead } from '../../../tests/fakes/ray-head.ts';
import { createRayJobs } from '../../cluster/index.ts';
import { createClusterView } from './cluster.ts';

const token = 'the token of the head';

test('the cluster is shown with its runs, or why it can not be used', async (t) => {
  const head = await startRayHead(t, token);
  const jobsWith = (ownToken: string) =>
    createRayJobs({
      url: head.url,
      token: ownToken,
      maxRuns: 4,
      directory: undefined,
      environment: {},
      installation: 'ours',
    });
  const ours = jobsWith(token);
  const view = createClusterView(ours);
  const known = { address: head.url, maxRuns: 4 };
  assert.deepEqual(await view.find(), { ...known, state: 'REACHABLE', problem: null, runs: 0 });
  for (const runId of ['one', 'two']) await ours.start({ runId, epoch: 1 }, new AbortController().signal);
  const [first] = head.jobs.values();
  assert.ok(first !== undefined);
  head.end(first, 'SUCCEEDED', 'done');
  assert.deepEqual(await view.find(), { ...known, state: 'REACHABLE', problem: null, runs: 1 });
  const refused = await createClusterView(jobsWith('of another cluster')).find();
  assert.deepEqual(refused, {
    ...known,
    state: 'REFUSING',
    problem: '403 Forbidden: Invalid authentication token',
    runs: 0,
  });
  head.decide = () => 'cut';
  const away = await view.find();
  assert.deepEqual([away.state, away.problem], ['AWAY', 'socket hang up (ECONNRESET)']);
  assert.deepEqual(await createClusterView(undefined).find(), {
    address: null,
    state: 'NONE',
    problem: null,
    runs: 0,
    maxRuns: null,
  });
});
