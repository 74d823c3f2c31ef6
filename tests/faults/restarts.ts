import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { startPostgres, type PostgresCluster } from '../support/postgres.ts';
import { adminPassword, type Ending } from '../support/server.ts';
import { startTcpProxy, throughPort, type TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';
import { createCaller, type Caller } from './caller.ts';
import type { CaseOutcome, FaultCase, FaultFamily } from './family.ts';
import { lookInto, type FaultDatabase } from './fault-database.ts';
import { findLeftovers } from './leftovers.ts';
import { createRandom, type Random } from './random.ts';
import { createCleaner } from './restarts/cleaner.ts';
import { createDatasetWorker } from './restarts/dataset-worker.ts';
import { startService, type ServiceProcess } from './service-process.ts';
import { scenarios } from './scenarios.ts';
import { listFindings } from './storage-findings.ts';
import { serviceSettings } from './workbench.ts';

const cases = { short: 3, full: 50 } as const;
/** The service must recover by itself within this time after its database returns. */
const recoveryMs = 30_000;

/** The service under load, its database, and the connection between them. */
type Setting = {
  service: ServiceProcess;
  cluster: PostgresCluster;
  proxy: TcpProxy;
  dataDir: string;
  database: Pick<FaultDatabase, 'environment' | 'optionsFor'>;
  token: string;
};

/** Disturbs the database or the connection to it; resolves when all works again. */
const disturbances: Readonly<Record<string, (setting: Setting, random: Random) => Promise<void>>> = {
  fast: ({ cluster }) => cluster.restart('fast'),
  immediate: ({ cluster }) => cluster.restart('immediate'),
  'killed-backends': async ({ cluster }, random) => {
    for (let times = random.integer(1, 4); times > 0; times -= 1) {
      await terminateBackends(cluster.url);
      await pause(random.integer(0, 300));
    }
  },
  cut: async ({ proxy }, random) => {
    for (let times = random.integer(2, 8); times > 0; times -= 1) {
      proxy.cut(random.pick([0.3, 1]));
      await pause(random.integer(0, 200));
    }
  },
  'lost-commits': async ({ proxy }, random) => {
    for (let times = random.integer(4, 10); times > 0; times -= 1) {
      const known = proxy.cuts.length;
      proxy.cutAfter('; commit');
      await until(() => proxy.cuts.length > known);
      await pause(random.integer(20, 150));
    }
  },
  away: async ({ cluster }, random) => {
    await cluster.halt(random.pick(['fast', 'immediate']));
    await pause(random.integer(1_000, 5_000));
    await cluster.start();
  },
  stalled: async ({ proxy }, random) => {
    proxy.stall();
    await pause(random.integer(1_000, 25_000));
    proxy.flow();
  },
  dropped: async ({ proxy }) => {
    proxy.drop();
  },
};
const kinds = Object.keys(disturbances);
/** The disturbances that `npm run test:long` tries. */
const shortKinds = ['immediate', 'killed-backends', 'lost-commits'];

/**
 * PostgreSQL is restarted, cut off or stops answering while files are uploaded in every form, deleted, listed and
 * cleaned. The same process must continue: calls are answered 503 meanwhile, everything acknowledged exists, everything
 * begun is finished, and nothing is left behind.
 */
export const restarts: FaultFamily = {
  name: 'restarts',
  databases: ['postgres'],
  missing: () => undefined,
  // One database, one service, one disturbance at a time.
  jobs: 1,
  caseTimeoutMs: 300_000,
  async prepare(t, { seed, size, caseId }) {
    const setting = await start(t);
    const chosen = size === 'short' ? shortKinds : kinds;
    const ids = Array.from({ length: cases[size] }, (_, index) => `${chosen[index % chosen.length]}/${index + 1}`);
    return (caseId === undefined ? ids : [caseId]).map((id): FaultCase => ({
      id,
      run: () => disturb(setting, id, createRandom(seed, 'restarts', id)),
    }));
  },
};

async function start(t: Ending): Promise<Setting> {
  const cluster = await startPostgres({ isCrashSafe: true });
  t.after(() => cluster.stop());
  const proxy = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(cluster.url).port) });
  t.after(() => proxy.close());
  const dataDir = await mkdtemp(join(tmpdir(), 'tilth-restarts-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const service = await startService({
    ...serviceSettings,
    TILTH_DATA_DIR: dataDir,
    TILTH_ADMIN_PASSWORD: adminPassword,
    TILTH_DATABASE_URL: throughPort(cluster.url, proxy.port),
  });
  t.after(() => service.kill());
  const database = {
    environment: { TILTH_DATABASE_URL: cluster.url },
    optionsFor: () => ({ url: cluster.url }),
  };
  return { service, cluster, proxy, dataDir, database, token: await signIn(service.url) };
}

async function disturb(setting: Setting, id: string, random: Random): Promise<CaseOutcome> {
  const { service, token, database, dataDir } = setting;
  const disturbance = disturbances[id.slice(0, id.indexOf('/'))];
  if (disturbance === undefined) throw new Error(`No case is called ${id}`);
  const before = service.log.length;
  const callers: Caller[] = [];
  const newCaller = (): Caller => {
    const caller = createCaller({ url: service.url, token });
    callers.push(caller);
    return caller;
  };
  const state = { isOver: false };
  const workers = [
    ...scenarios.map((scenario) =>
      createDatasetWorker({
        caller: newCaller(),
        scenario,
        dataDir,
        random: createRandom(random.next(), scenario.name),
      }),
    ),
    createCleaner({ url: service.url, token, random: createRandom(random.next(), 'cleaner') }),
  ];
  // The load continues until the database has been back for a while; then each worker finishes what it has begun.
  const working = workers.map((worker) => worker.work(() => !service.isRunning || state.isOver));
  await pause(random.integer(50, 1_500));
  await disturbance(setting, random);
  const wrong: string[] = [];
  const recovered = await untilItAnswers(service, newCaller());
  if (!recovered) wrong.push(`No answer ${recoveryMs / 1000} s after the database was back`);
  state.isOver = true;
  for (const sentences of await Promise.all(working)) wrong.push(...sentences);
  if (!service.isRunning) {
    wrong.push(`The service ended: ${service.log.slice(-2_000)}`);
    return { violations: wrong };
  }
  wrong.push(...callers.flatMap(({ complaints }) => complaints));
  wrong.push(...(await listUnfinishedRuns(setting)), ...(await listFindings(dataDir, database)));
  for (const worker of workers) await worker.clear();
  wrong.push(...(await findLeftovers({ dataDir, database })), ...(await listFindings(dataDir, database)));
  if (wrong.length > 0) wrong.push(`log: ${service.log.slice(before).slice(-4_000)}`);
  return { violations: wrong };
}

async function untilItAnswers({ isRunning }: ServiceProcess, caller: Caller): Promise<boolean> {
  for (const deadline = performance.now() + recoveryMs; performance.now() < deadline; await pause(50)) {
    const outcome = await caller.call('GET', '/datasets');
    if (outcome.kind === 'answer' && outcome.status === 200) return true;
    if (!isRunning) return false;
  }
  return false;
}

/** Runs that have not ended, although the area reported that all had. */
function listUnfinishedRuns({ database, dataDir }: Setting): Promise<string[]> {
  return lookInto(database.optionsFor(dataDir), async (db) => {
    const { rows } = await sql<{ id: string; status: string }>`
      select id, status from runs where status in ('QUEUED', 'RUNNING')`.execute(db.read);
    return rows.map(({ id, status }) => `Run ${id} is still ${status}`);
  });
}

async function terminateBackends(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
  } finally {
    await client.end();
  }
}

async function signIn(url: string): Promise<string> {
  const answer = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password: adminPassword }),
  });
  if (answer.status !== 200) throw new Error(`Signing in failed with ${answer.status}`);
  return ((await answer.json()) as { token: string }).token;
}
