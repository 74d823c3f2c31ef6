import { fork } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Ending } from '../../support/server.ts';
import type { SlowPlan, SlowReport, SlowWord } from './slow-connections.ts';

const script = fileURLToPath(new URL('slow-connections.ts', import.meta.url));
const waitMs = 60_000;

/** Many slow clients at once. */
export type SlowCrowd = {
  readonly report: SlowReport;
  /** Resolves when the condition holds; returns whether it did within a minute. */
  until(condition: (report: SlowReport) => boolean | Promise<boolean>): Promise<boolean>;
  /** Completes the first connections up to this number; the others disconnect. */
  finish(count: number): void;
};

/** Opens all connections of a plan; they close with `t`. */
export async function openCrowd(t: Ending, plan: SlowPlan): Promise<SlowCrowd> {
  const child = fork(script, [JSON.stringify(plan)]);
  t.after(async () => {
    if (child.connected) child.disconnect();
    await new Promise<void>((resolve) => {
      if (child.exitCode === null && child.signalCode === null) child.once('exit', () => resolve());
      else resolve();
    });
  });
  let report: SlowReport = { opened: 0, open: 0, answered: {} };
  child.on('message', (message: SlowReport) => (report = message));
  const crowd: SlowCrowd = {
    get report() {
      return report;
    },
    async until(condition) {
      for (const deadline = performance.now() + waitMs; performance.now() < deadline; await pause(50))
        if (await condition(report)) return true;
      return false;
    },
    finish: (count) => void child.send({ finish: count } satisfies SlowWord),
  };
  if (!(await crowd.until(({ opened }) => opened >= plan.count)))
    throw new Error(`Only ${report.opened} of ${plan.count} connections were taken`);
  return crowd;
}

/** Number of open connections of a process. */
export async function countSockets(pid: number): Promise<number> {
  let sockets = 0;
  for (const name of await readdir(`/proc/${pid}/fd`)) {
    const target = await readlink(`/proc/${pid}/fd/${name}`).catch(() => '');
    if (target.startsWith('socket:')) sockets += 1;
  }
  return sockets;
}

/** Resident memory of a process in MiB. */
export async function residentMebibytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024);
}
