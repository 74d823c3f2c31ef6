// The cost of a Ray cluster compared with bare processes: the same orders in two processes of `worker --stdio` and on a cluster of two
// slots; empty orders per second; then how soon work starts, is retried and ends. `TILTH_BENCH_PAIRS` (7), `TILTH_BENCH_SHARDS` (4) of
// `TILTH_BENCH_MIB` (64). Needs PostgreSQL, versitygw and Ray.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createClusterLink, type ClusterLink } from '../server/engine/drive/remote/cluster-link.ts';
import type { RemoteOrder } from '../server/engine/drive/remote/remote-order.ts';
import { openDatabase } from '../server/storage/database/database.ts';
import { startCluster, workerArgs } from '../tests/support/cluster.ts';
import {
  addDataset,
  addTask,
  ended,
  execute,
  findRun,
  logOf,
  openClusterPlace,
  rowsOf,
  startRayFor,
  startService,
  withRay,
  type ClusterPlace,
} from '../tests/support/cluster-service.ts';
import { step } from '../tests/support/engine.ts';
import { openClusterBench, openPoolPlace, putAll } from '../tests/support/pools.ts';
import { postgres } from '../tests/support/postgres.ts';
import { findRayPython, missingForRay, send, type RayCluster } from '../tests/support/ray.ts';
import type { Ending } from '../tests/support/server.ts';
import { versitygw } from '../tests/support/versitygw.ts';
import { printMachine } from './machine.ts';
import { comparePairs, medianOf, pairCount } from './pairs.ts';

const shards = Math.max(2, Number(process.env['TILTH_BENCH_SHARDS'] ?? 4));
const shardBytes = Number(process.env['TILTH_BENCH_MIB'] ?? 64) * 2 ** 20;
const emptyOrders = 400;
const resources = { cpus: 1, memoryBytes: 0, gpus: 0 };
const bridge = fileURLToPath(new URL('../server/cluster/bridge.py', import.meta.url));
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const worker = /^\S*node\S* \S*main\.ts worker --stdio\b/;
const program = /main\.ts/;
const never = new AbortController().signal;

// Workers read variables with this prefix as settings.
for (const name of Object.keys(process.env)) if (name.startsWith('TILTH_BENCH_')) delete process.env[name];
const missing = [postgres, versitygw].find(({ path }) => path === undefined)?.howToGet ?? missingForRay();
if (missing === undefined) await main();
else console.log(`Skipped: ${missing}.`);

async function main(): Promise<void> {
  printMachine();
  const ends: (() => unknown)[] = [];
  const t: Ending = { after: (end) => void ends.push(end) };
  try {
    const place = await openClusterPlace(t);
    const ray = await startRayFor(t, place);
    await compareShards(t, place, ray);
    await compareEmptyOrders(t, ray);
    await measureShares(t, ray);
    await measureLoss(t, ray);
    await measureRun(t, place, ray);
  } finally {
    for (const end of ends.toReversed()) await end();
  }
}

type RayLink = {
  link: ClusterLink;
  /** CPU time of the whole cluster and the bridge, since their start. */
  cpuSeconds: () => number;
};

/** The bridge to a cluster with other workers, as a driver uses it. */
async function openRayLink(
  t: Ending,
  ray: RayCluster,
  args: readonly string[],
  { env = {}, countRuns }: { env?: Record<string, string>; countRuns?: () => Promise<number> } = {},
): Promise<RayLink> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const python = findRayPython();
  const child = spawn(
    python,
    [bridge, process.execPath, here('cluster-relay.ts'), String(port), '--', process.execPath, ...args],
    {
      stdio: ['ignore', 'ignore', 'ignore'],
      detached: true,
      env: {
        ...process.env,
        PATH: [dirname(python), process.env['PATH'] ?? ''].join(delimiter),
        RAY_ADDRESS: ray.address,
        RAY_AUTH_MODE: 'token',
        RAY_AUTH_TOKEN: ray.token,
        // The job's environment is passed on to its workers.
        RAY_JOB_CONFIG_JSON_ENV_VAR: JSON.stringify({ runtime_env: { env_vars: env } }),
      },
    },
  );
  const exited = once(child, 'exit');
  t.after(async () => {
    child.kill('SIGTERM');
    await exited;
  });
  const [socket] = (await once(server, 'connection')) as [Socket];
  server.close();
  const link = await linkOf({ input: socket, output: socket }, countRuns);
  return { link, cpuSeconds: () => cpuSecondsOf([...ray.find(/^/).map(({ pid }) => pid), child.pid ?? 0]) };
}

function cpuSecondsOf(pids: readonly number[]): number {
  const ticks = pids.map((pid) => {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
        .replace(/^.*\) /s, '')
        .split(' ');
      return Number(fields[11]) + Number(fields[12]);
    } catch {
      return 0;
    }
  });
  return ticks.reduce((sum, one) => sum + one, 0) / 100;
}

async function linkOf(
  lines: Parameters<typeof createClusterLink>[0]['lines'],
  countRuns?: () => Promise<number>,
): Promise<ClusterLink> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const link = createClusterLink({ lines, resources, countRuns, onSlots: () => resolve(), onUnwanted: () => {} });
  await promise;
  return link;
}

/** Runs orders; returns the seconds that they took. */
async function secondsFor(link: ClusterLink, orders: readonly object[]): Promise<number> {
  const since = performance.now();
  const replies = await Promise.all(orders.map((order) => link.send(order as RemoteOrder, never)));
  for (const reply of replies) {
    if (reply.type === 'lost' || reply.answer.kind === 'failed') throw new Error(JSON.stringify(reply));
  }
  return (performance.now() - since) / 1000;
}

async function compareShards(t: Ending, place: ClusterPlace, ray: RayCluster): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tilth-bench-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const db = await openDatabase({ file: join(folder, 'bench.db') });
  t.after(async () => db.close());
  const pool = await openPoolPlace(t, db);
  const recorder = await openClusterBench(t, pool, { size: 2, args: workerArgs, shardBytes });
  const rows = Buffer.from(rowsOf(0, 50_000));
  const times = Math.ceil((shards * shardBytes) / rows.length);
  const source = await putAll(recorder, { 'a.jsonl': Buffer.concat(Array.from({ length: times }, () => rows)) });
  const { id } = await recorder.execute(source, {
    steps: [step('whitespace-normalizer'), step('text-length-filter', { min: 20 })],
  });
  const run = await recorder.ended(id);
  if (run.status !== 'COMPLETED') throw new Error(run.error ?? run.status);
  const orders = recorder.cluster.sent.map((text) => JSON.parse(text) as RemoteOrder);
  const shardOrders = orders.filter(({ work }) => work.task === 'process');
  console.log(`${shardOrders.length} shards of ${shardBytes / 2 ** 20} MiB`);
  const env = { ...place.settings, ...pool.env };
  const bare = startCluster(t, { size: 2, env, args: workerArgs, isApart: true });
  const bareLink = await linkOf(bare.lines);
  const onRay = await openRayLink(t, ray, workerArgs, { env });
  const side = (name: string, link: ClusterLink, cpuSeconds: () => number) => {
    const cpu: number[] = [];
    const run = async (): Promise<number> => {
      const before = cpuSeconds();
      const seconds = await secondsFor(link, shardOrders);
      cpu.push((cpuSeconds() - before) / shardOrders.length);
      return seconds / shardOrders.length;
    };
    return { name, unit: 's a shard', run, cpu };
  };
  const ours = side('cluster', onRay.link, onRay.cpuSeconds);
  const floor = side('two processes', bareLink, () => cpuSecondsOf(bare.pids));
  const timeOnly = ({ name, unit, run }: typeof ours) => ({ name, unit, run });
  await comparePairs('the same shards (less is better)', timeOnly(ours), timeOnly(floor));
  // The first round is a warm-up.
  const ratios = ours.cpu.slice(1).map((own, round) => own / (floor.cpu[round + 1] ?? 0));
  print('CPU of a shard on the cluster, with everything that runs there', ours.cpu.slice(1));
  print('CPU of a shard by the two processes', floor.cpu.slice(1));
  console.log(`CPU against two processes: ${medianOf(ratios).toFixed(3)}`);
  onRay.link.close();
  bareLink.close();
}

async function compareEmptyOrders(t: Ending, ray: RayCluster): Promise<void> {
  const args = [here('answering-worker.ts')];
  const { link: rayLink } = await openRayLink(t, ray, args);
  const bareLink = await linkOf(startCluster(t, { size: 2, env: {}, args, isApart: true }).lines);
  const orders = Array.from({ length: emptyOrders }, () => ({}));
  const side = (name: string, link: ClusterLink) => ({
    name,
    unit: 'orders/s',
    run: async () => emptyOrders / (await secondsFor(link, orders)),
  });
  await comparePairs('empty orders', side('cluster', rayLink), side('two processes', bareLink));
  rayLink.close();
  bareLink.close();
}

/** Two concurrent runs; the second starts while the first occupies the whole cluster. */
async function measureShares(t: Ending, ray: RayCluster): Promise<void> {
  let runs = 1;
  const countRuns = async (): Promise<number> => runs;
  const args = [here('answering-worker.ts')];
  const state = { isOver: false };
  const done = [0, 0];
  const keepBusy = async (link: ClusterLink, number: number): Promise<void> => {
    const one = async (): Promise<void> => {
      while (!state.isOver) {
        await link.send({ pauseMs: 200 } as object as RemoteOrder, never);
        done[number] = (done[number] ?? 0) + 1;
      }
    };
    await Promise.all(Array.from({ length: 8 }, one));
  };
  const { link: first } = await openRayLink(t, ray, args, { countRuns });
  const busy = [keepBusy(first, 0)];
  await pause(3000);
  const { link: second } = await openRayLink(t, ray, args, { countRuns });
  runs = 2;
  busy.push(keepBusy(second, 1));
  await pause(10_000);
  const before = [...done];
  await pause(20_000);
  const [one = 0, other = 0] = done.map((count, number) => count - (before[number] ?? 0));
  state.isOver = true;
  await Promise.all(busy);
  console.log(`Two runs, from the 10th second to the 30th: ${one} and ${other} orders, ${(one / other).toFixed(2)}`);
  first.close();
  second.close();
}

async function measureLoss(t: Ending, ray: RayCluster): Promise<void> {
  const { link } = await openRayLink(t, ray, [here('answering-worker.ts')]);
  await link.send({} as RemoteOrder, never);
  const took: number[] = [];
  for (let round = 0; round < pairCount; round += 1) {
    const reply = link.send({ pauseMs: 10_000 } as object as RemoteOrder, never);
    await pause(3000);
    const since = performance.now();
    for (const { pid } of ray.find(/answering-worker\.ts/)) send(pid, 'SIGKILL');
    if ((await reply).type !== 'lost') throw new Error('No worker was lost');
    await link.send({} as RemoteOrder, never);
    took.push((performance.now() - since) / 1000);
  }
  print('A lost worker, until another one has answered', took);
  link.close();
}

/** Complete runs of a service. */
async function measureRun(t: Ending, place: ClusterPlace, ray: RayCluster): Promise<void> {
  const service = await startService(t, withRay(place, ray));
  const steps = [{ operatorId: 'whitespace-normalizer' }];
  const small = await addTask(service, await addDataset(service, { 'a.jsonl': rowsOf(0, 1000) }), steps);
  const large = await addTask(service, await addDataset(service, { 'a.jsonl': rowsOf(0, 200_000) }), steps);
  const rounds = { first: [] as number[], fenced: [] as number[], gone: [] as number[] };
  for (let round = 0; round < pairCount; round += 1) {
    let since = performance.now();
    const runId = await execute(service, small);
    const { status, error } = await ended(service, small, runId);
    if (status !== 'COMPLETED') throw new Error(`${error}: ${(await logOf(service, small, runId)).join(' | ')}`);
    rounds.first.push((performance.now() - since) / 1000);

    const stopped = await execute(service, large);
    while (ray.find(worker).length === 0) await pause(20);
    since = performance.now();
    await service.api('POST', `/data-cleaning/tasks/${large.id}/stop`);
    if ((await findRun(service, large, stopped)).status !== 'STOPPED') throw new Error('The run was not stopped');
    rounds.fenced.push((performance.now() - since) / 1000);
    while (ray.find(program).length > 0) await pause(20);
    rounds.gone.push((performance.now() - since) / 1000);
  }
  print('A run of one shard on a warm cluster, from the call to its end', rounds.first);
  print('Stopped until fenced', rounds.fenced);
  print('Stopped until its processes are gone', rounds.gone);
}

function print(title: string, seconds: readonly number[]): void {
  console.log(
    `${title}: ${medianOf(seconds).toFixed(2)} s (${Math.min(...seconds).toFixed(2)}–${Math.max(...seconds).toFixed(2)})`,
  );
}
