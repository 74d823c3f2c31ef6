import { setTimeout as pause } from 'node:timers/promises';
import {
  addDataset,
  addTask,
  ended,
  execute,
  logOf,
  openClusterPlace,
  outcomeOf,
  rowsOf,
  startRayFor,
  startService,
  withRay,
  type ClusterOutcome,
} from '../support/cluster-service.ts';
import { startFaultyS3, type FaultyS3 } from '../support/faulty-s3.ts';
import { postgres, startPostgres, type PostgresCluster } from '../support/postgres.ts';
import { missingForRay, send, type RayCluster } from '../support/ray.ts';
import type { Ending, RunningProcess } from '../support/server.ts';
import { sharedS3, versitygw } from '../support/versitygw.ts';
import type { FaultCase, FaultFamily } from './family.ts';
import { createRandom, type Random } from './random.ts';

type Bench = {
  ray: RayCluster;
  service: RunningProcess;
  database: PostgresCluster;
  s3: FaultyS3;
  source: string;
  expected: ClusterOutcome;
};

type Fault = { name: string; strike(bench: Bench, random: Random): Promise<boolean> };

const processes = {
  worker: /^\S*node\S* \S*main\.ts worker --stdio\b/,
  driver: /^\S*node\S* \S*main\.ts drive /,
  bridge: /^\S*python3? \S*bridge\.py /,
  task: /^ray::/,
};

async function hit(
  { ray }: Bench,
  random: Random,
  command: RegExp,
  signal: NodeJS.Signals,
): Promise<number | undefined> {
  const found = ray.find(command).filter(({ command: one }) => !/Agent/.test(one));
  if (found.length === 0) return undefined;
  const { pid } = random.pick(found);
  return send(pid, signal) ? pid : undefined;
}

function killOf(name: keyof typeof processes): Fault {
  return {
    name: `${name} killed`,
    strike: async (bench, random) => (await hit(bench, random, processes[name], 'SIGKILL')) !== undefined,
  };
}

/** Paused for so long that another process has taken over. */
function pauseOf(name: keyof typeof processes, seconds: number): Fault {
  return {
    name: `${name} paused`,
    async strike(bench, random) {
      const pid = await hit(bench, random, processes[name], 'SIGSTOP');
      if (pid === undefined) return false;
      await pause(seconds * 1000);
      send(pid, 'SIGCONT');
      return true;
    },
  };
}

const nodeLost: Fault = {
  name: 'node lost',
  async strike({ ray }) {
    await ray.nodes.at(-1)?.kill();
    await ray.addNode();
    return true;
  },
};

const headLost: Fault = {
  name: 'head lost',
  async strike({ ray }) {
    await ray.restart();
    return true;
  },
};

const serviceKilled: Fault = {
  name: 'service killed',
  async strike({ service }) {
    await service.restart();
    return true;
  },
};

const databaseRestarted: Fault = {
  name: 'database restarted',
  async strike({ database }, random) {
    await database.halt(random.pick(['fast', 'immediate']));
    await pause(random.integer(0, 3000));
    await database.start();
    return true;
  },
};

const storeFails: Fault = {
  name: 'object store fails',
  async strike({ s3 }, random) {
    s3.decide = () => {
      const kind = random.integer(1, 6);
      if (kind === 1) return { kind: 'cut', afterBytes: 100 };
      return kind <= 3 ? { kind: 'status', status: 503, code: 'SlowDown' } : undefined;
    };
    await pause(random.integer(500, 3000));
    s3.decide = () => undefined;
    return true;
  },
};

/**
 * `npm run test:long` tries within one run what `tests/ray.long.test.ts` does not. The campaign tries each fault alone, and then draws
 * from them; a few are listed twice, to be drawn more often.
 */
const shortFaults = [serviceKilled, killOf('bridge')];
const eachFault = [
  killOf('worker'),
  killOf('driver'),
  killOf('bridge'),
  killOf('task'),
  pauseOf('worker', 3),
  pauseOf('driver', 8),
  nodeLost,
  headLost,
  serviceKilled,
  databaseRestarted,
  storeFails,
];
const drawnFaults = [...eachFault, killOf('worker'), serviceKilled, storeFails];
const drawnCases = 40;
const faultsPerCase = 5;
const sizes = {
  short: { rows: 15_000, longestPauseMs: 500 },
  full: { rows: 60_000, longestPauseMs: 4000 },
} as const;

async function openBench(t: Ending, rows: number): Promise<Bench> {
  const database = await startPostgres({ isCrashSafe: true });
  t.after(() => database.stop());
  const s3 = await startFaultyS3(t, (await sharedS3()).endpoint);
  const place = await openClusterPlace(t, { databaseUrl: database.url, endpoint: s3.endpoint });
  const embedded = await startService(t, place.settings);
  const source = await addDataset(embedded, { 'a.jsonl': rowsOf(0, rows), 'b.jsonl': rowsOf(rows, 500) });
  const task = await addTask(embedded, source);
  const expected = await outcomeOf(embedded, task, await execute(embedded, task));
  await embedded.close();
  const ray = await startRayFor(t, place);
  const service = await startService(t, withRay(place, ray));
  return { ray, service, database, s3, source, expected };
}

/**
 * Runs on a real Ray cluster while its processes, nodes, head and everything around it fail: the result must equal that of a run
 * without a cluster, and be committed exactly once.
 */
export const cluster: FaultFamily = {
  name: 'cluster',
  databases: ['postgres'],
  jobs: 1,
  caseTimeoutMs: 1_200_000,
  missing() {
    const tool = [postgres, versitygw].find(({ path }) => path === undefined);
    return tool === undefined ? missingForRay() : `${tool.name}: ${tool.howToGet}`;
  },
  async prepare(t, { seed, size }) {
    let opened: Promise<Bench> | undefined;
    const disturbedBy = (id: string, draw: (random: Random) => readonly Fault[]): FaultCase => ({
      id,
      async run() {
        opened ??= openBench(t, sizes[size].rows);
        const random = createRandom(seed, 'cluster', id);
        return disturb(await opened, draw(random), random, sizes[size].longestPauseMs);
      },
    });
    if (size === 'short') return [disturbedBy('disturbed', () => shortFaults)];
    return [
      ...eachFault.map((fault) => disturbedBy(fault.name.replaceAll(' ', '-'), () => [fault])),
      ...Array.from({ length: drawnCases }, (_, number) =>
        disturbedBy(`disturbed-${number}`, (random) =>
          Array.from({ length: faultsPerCase }, () => random.pick(drawnFaults)),
        ),
      ),
    ];
  },
};

async function disturb(bench: Bench, faults: readonly Fault[], random: Random, longestPauseMs: number) {
  const { service, source, expected } = bench;
  const task = await addTask(service, source);
  const runId = await execute(service, task);
  const state = { isOver: false };
  const over = ended(service, task, runId).finally(() => {
    state.isOver = true;
  });
  const struck: string[] = [];
  for (const fault of faults) {
    await pause(random.integer(0, longestPauseMs));
    // The target of the fault may not exist yet.
    while (!state.isOver && !(await fault.strike(bench, random))) await pause(50);
    if (!state.isOver) struck.push(fault.name);
  }
  await over;
  const violations: string[] = [];
  const outcome = await outcomeOf(service, task, runId);
  const log = await logOf(service, task, runId);
  const after = `after ${struck.join(', ')}`;
  if (JSON.stringify(outcome) !== JSON.stringify(expected))
    violations.push(`${after} the run ended as ${JSON.stringify(outcome)}: ${log.join(' | ')}`);
  const ends = log.filter((line) => line === 'Completed');
  if (ends.length !== 1 || log.at(-1) !== 'Completed')
    violations.push(`${after} the run was completed ${ends.length} times: ${log.join(' | ')}`);
  return struck.length === 0 ? { violations, missed: true as const } : { violations };
}
