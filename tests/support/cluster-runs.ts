// Runs over a database and a cluster whose head may be away.
import { setTimeout as pause } from 'node:timers/promises';
import type { TestContext } from 'node:test';
import { startRayHead, type RayHead } from '../fakes/ray-head.ts';
import { createPostgresDatabase } from './postgres.ts';
import { createSleepKind } from './sleep-area/kind.ts';
import { createRayJobs } from '../../server/cluster/index.ts';
import { systemClock } from '../../server/kernel/clock.ts';
import { newId } from '../../server/kernel/ids.ts';
import { openDatabase, type Database } from '../../server/storage/database/database.ts';
import { noSignals, type Signals } from '../../server/storage/database/signals.ts';
import { createRuns, driverPlacePrefix, type Run, type Runs, type RunStatus } from '../../server/runs/index.ts';

const token = 'the token of the head';
/** The line in the log of a run for which a driver was started. */
export const handedOver = 'A driver for it is started on the cluster';
const logger = { error: () => {}, info: () => {} };

type Bench = {
  db: Database;
  head: RayHead;
  /** Places of drivers that nodes declared dead. */
  lost: string[];
  /** Starts a process that claims runs and hands them over to the cluster. */
  startNode(options?: { installation?: string; leaseMs?: number; token?: string }): Promise<Runs>;
  /** Acts as the driver of a job; returns whether it could adopt the run. */
  drive(submissionId: string, signals?: Signals): Promise<boolean>;
  enqueue(runs: Runs, steps?: number, kind?: string): Promise<Run>;
  /** Waits for a state of the run. */
  until(runs: Runs, run: Run, status: RunStatus): Promise<Run>;
  logOf(runs: Runs, run: Run): Promise<string[]>;
};

/** A database in PostgreSQL, and the head of a cluster that tests answer for. */
export async function openClusterRuns(t: TestContext): Promise<Bench> {
  const { url, drop } = await createPostgresDatabase();
  const db = await openDatabase({ url });
  const head = await startRayHead(t, token);
  const started: Runs[] = [];
  const lost: string[] = [];
  t.after(async () => {
    await Promise.all(started.map((runs) => runs.stop()));
    await db.close();
    await drop();
  });
  const kind = { ...createSleepKind(), isForCluster: true };
  const kinds = [kind, { ...kind, kind: 'working', takesSlots: true }];
  const clusterOf = (installation: string, ownToken: string) =>
    createRayJobs({
      url: head.url,
      token: ownToken,
      maxRuns: 2,
      directory: '/app',
      environment: { TILTH_STORAGE_URL: 's3://b' },
      installation,
    });
  return {
    db,
    head,
    lost,
    async startNode({ installation = 'ours', leaseMs = 2000, token: ownToken = token } = {}) {
      const runs = createRuns({
        db,
        clock: systemClock,
        logger,
        place: newId(),
        leaseMs,
        cluster: clusterOf(installation, ownToken),
        onDriverLost: async (dead) => void lost.push(dead),
      });
      for (const one of kinds) runs.register(one);
      started.push(runs);
      await runs.start();
      return runs;
    },
    async drive(submissionId, signals = noSignals) {
      const [, runId = '', epoch] = /^tilth-(.+)-(\d+)$/.exec(submissionId) ?? [];
      const place = `${driverPlacePrefix}${newId()}`;
      const own = { place, leaseMs: 2000, maxDriven: 0, maxShort: 0 };
      const runs = createRuns({ db, clock: systemClock, logger, signals, ...own });
      for (const one of kinds) runs.register(one);
      started.push(runs);
      return runs.driveOne({ runId, epoch: Number(epoch) });
    },
    async enqueue(runs, steps = 2, name = 'sleep') {
      const details = { steps, stepMs: 10 };
      const run = await db.write((tx) =>
        runs.enqueue(tx, { area: 'sleep', kind: name, taskId: newId(), by: 'anna', details, datasets: [] }),
      );
      runs.wake();
      return run;
    },
    async until(runs, run, status) {
      for (let looks = 0; looks < 3000; looks += 1) {
        const now = await runs.findRun(db.read, 'sleep', run.taskId, run.id);
        if (now?.status === status) return now;
        await pause(10);
      }
      throw new Error(`The run is never ${status}`);
    },
    async logOf(runs, run) {
      return (await runs.listLogs(run.id, { page: 0, size: 100 })).lines.map(({ message }) => message);
    },
  };
}
