import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { systemClock } from '../../server/kernel/clock.ts';
import { newId } from '../../server/kernel/ids.ts';
import { createRuns, isUnfinished, type Run, type Runs } from '../../server/runs/index.ts';
import { openDatabase, type Database } from '../../server/storage/database/database.ts';
import type { Random } from '../faults/random.ts';
import { builtModule } from '../../server/kernel/built-modules.ts';

const program = fileURLToPath(builtModule(new URL('sleep-process.ts', import.meta.url)));
const area = 'sleep';

/**
 * Short, so that a pause beyond it is quick; test machines rarely stall a process this long, and a stalled one is
 * fenced.
 */
const leaseMs = 1_500;

/** Two processes that share a database, and a third that queues and stops runs. */
export type SharedRuns = {
  db: Database;
  runs: Runs;
  enqueue(steps: number, stepMs: number): Promise<Run>;
  find(run: Run): Promise<Run>;
  /** Waits until all runs have ended. */
  ended(): Promise<void>;
  /** Kills a process, which restarts at once: with its data folder, or as another process. */
  kill(index: number, comesBack: 'itself' | 'another'): Promise<void>;
  /** Pauses a process for this long, as a sleeping machine does. */
  pause(index: number, ms: number): Promise<void>;
  /** Errors in the runs and their checkpoints once all have ended, a sentence each. */
  findViolations(): Promise<string[]>;
  /** The names of the processes' data folders. */
  places(): string[];
  /** How often a process was refused because it had lost its run. */
  fenced(): number;
  close(): Promise<void>;
};

export { leaseMs as sharedLeaseMs };

type Child = { process: ChildProcessByStdio<null, Readable, null>; place: string };

export async function openSharedRuns(url: string, processes = 2): Promise<SharedRuns> {
  const db = await openDatabase({ url });
  await sql`create table sleep_steps (run_id text not null, step integer not null, epoch integer not null, place text not null)`.execute(
    db.read,
  );
  // This instance queues and stops runs; without `start` it drives none unless told to look for them.
  const runs = createRuns({ db, clock: systemClock, logger: { error: () => {}, info: () => {} } });
  const queued: Run[] = [];
  const problems: string[] = [];
  let fenced = 0;

  async function start(place: string): Promise<Child> {
    const child = spawn(process.execPath, [program, url, place, String(leaseMs)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ready = Promise.withResolvers<void>();
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line === 'ready') ready.resolve();
      else if (line.startsWith('fenced')) fenced += 1;
      else problems.push(line);
    });
    child.once('exit', (code, signal) => {
      ready.reject(new Error(`The process ended with ${code ?? signal} before it was ready`));
    });
    await ready.promise;
    return { process: child, place };
  }

  const children = await Promise.all(Array.from({ length: processes }, () => start(newId())));

  function childAt(index: number): Child {
    const child = children[index];
    if (child === undefined) throw new RangeError(`There is no process ${index}`);
    return child;
  }

  async function find(run: Run): Promise<Run> {
    const found = await runs.findRun(db.read, area, run.taskId, run.id);
    if (found === undefined) throw new Error(`There is no run ${run.id}`);
    return found;
  }

  return {
    db,
    runs,
    async enqueue(steps, stepMs) {
      const run = await db.write((tx) =>
        runs.enqueue(tx, {
          area,
          kind: 'sleep',
          taskId: newId(),
          by: 'tester',
          details: { steps, stepMs },
          datasets: [],
        }),
      );
      queued.push(run);
      return run;
    },
    find,
    async ended() {
      for (const run of queued) while (isUnfinished(await find(run))) await setTimeout(100);
    },
    async kill(index, comesBack) {
      const { process: child, place } = childAt(index);
      child.kill('SIGKILL');
      await once(child, 'exit');
      children[index] = await start(comesBack === 'itself' ? place : newId());
    },
    async pause(index, ms) {
      const { process: child } = childAt(index);
      child.kill('SIGSTOP');
      await setTimeout(ms);
      child.kill('SIGCONT');
    },
    async findViolations() {
      const violations = [...problems];
      for (const run of queued) violations.push(...(await violationsOf(db, await find(run))));
      return violations;
    },
    places: () => children.map(({ place }) => place),
    fenced: () => fenced,
    async close() {
      for (const { process: child } of children) {
        child.kill('SIGKILL');
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      }
      await db.close();
    },
  };
}

async function violationsOf(db: Database, run: Run): Promise<string[]> {
  const violations: string[] = [];
  const { steps } = run.details as { steps: number };
  const { rows } = await sql<{ step: number }>`
    select step from sleep_steps where run_id = ${run.id} order by step`.execute(db.read);
  const done = rows.map(({ step }) => step);
  const named = `run ${run.id} (${run.status})`;
  if (run.status !== 'COMPLETED' && run.status !== 'STOPPED') violations.push(`${named} failed: ${run.error}`);
  if (done.some((step, index) => step !== index)) violations.push(`${named} has the checkpoints ${done.join(' ')}`);
  if (run.status === 'COMPLETED' && done.length !== steps)
    violations.push(`${named} has ${done.length} of ${steps} steps`);
  if (run.counts.in !== done.length) violations.push(`${named} counts ${run.counts.in} where ${done.length} were done`);
  const log = await db.read.selectFrom('run_logs').selectAll().where('run_id', '=', run.id).orderBy('seq').execute();
  if (log.some(({ seq }, index) => seq !== index + 1)) violations.push(`${named} has gaps in its log`);
  const ends = log.filter(({ message }) => message === 'Completed' || message === 'Stopped');
  if (ends.length !== 1 || log.at(-1) !== ends[0]) violations.push(`${named} ends ${ends.length} times in its log`);
  return violations;
}

/** Kills and pauses at random while runs are queued and stopped; returns what is wrong afterwards. */
export async function disturb(shared: SharedRuns, random: Random, disturbances: number): Promise<string[]> {
  const running: Run[] = [];
  for (let number = 0; number < disturbances; number += 1) {
    while (running.length < 6) running.push(await shared.enqueue(random.integer(10, 40), random.integer(20, 120)));
    await setTimeout(random.integer(50, 700));
    if (random.integer(1, 6) === 1) {
      const [stopped] = running.splice(random.integer(0, running.length - 1), 1);
      if (stopped !== undefined) await shared.runs.stopRun(stopped.id);
    }
    const victim = random.integer(0, 1);
    const kind = random.integer(1, 4);
    if (kind === 1) await shared.kill(victim, 'itself');
    else if (kind === 2) await shared.kill(victim, 'another');
    else await shared.pause(victim, sharedPauseMs(random));
    for (const [index, run] of [...running.entries()].toReversed()) {
      if (!isUnfinished(await shared.find(run))) running.splice(index, 1);
    }
  }
  await shared.ended();
  // The process paused last may still believe that it owns a run.
  await setTimeout(500);
  return shared.findViolations();
}

function sharedPauseMs(random: Random): number {
  return random.integer(leaseMs + 500, 2 * leaseMs + 500);
}
