import { setTimeout as pause } from 'node:timers/promises';
import { exitCodes, type ExitCode } from './cli-problem.ts';
import type { CliContext } from './cli-context.ts';
import { printable } from './progress-bar.ts';
import { apiPath } from './service-client.ts';

export type FollowedRun = {
  id: string;
  area: string;
  taskId: string;
  status: string;
  phase: string | null;
  progress: number;
  counts: { in: number; kept: number; changed: number; dropped: number; failed: number; emitted: number };
  skipped: number;
  failures: { reason: string; count: number }[];
  error: string | null;
};

const pollMs = 2000;
const logMs = 10_000;
const ended = new Set(['COMPLETED', 'FAILED', 'STOPPED']);

/** `follow`: shows a run until it ends; the exit code reflects its result. */
export async function follow(runId: string, { client, output, signal }: CliContext): Promise<ExitCode> {
  const { isTTY } = process.stderr;
  let shownAt = 0;
  for (;;) {
    const run = await client.call<FollowedRun>('GET', apiPath(['runs', runId]));
    if (isTTY && !output.json) process.stderr.write('\r\u001b[K');
    if (ended.has(run.status)) {
      output.show(run, () => resultText(run));
      return run.status === 'COMPLETED' ? exitCodes.done : exitCodes.partly;
    }
    if (!output.json && (isTTY || performance.now() - shownAt >= logMs || shownAt === 0)) {
      shownAt = performance.now();
      process.stderr.write(`${stateText(run)}${isTTY ? '' : '\n'}`);
    }
    await pause(pollMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

function stateText({ status, phase, progress, counts }: FollowedRun): string {
  const where = phase === null ? '' : ` (${phase})`;
  return `${status}${where} ${progress.toFixed(0)} %, ${counts.in} read, ${counts.kept} kept, ${counts.dropped} dropped, ${counts.failed} failed`;
}

function resultText({ id, status, counts, skipped, failures, error }: FollowedRun): string {
  const lines = failures.map(({ reason, count }) => `failed   ${count}: ${printable(reason)}`);
  if (error !== null) lines.push(`error    ${printable(error)}`);
  lines.push(
    `run ${id} ${status}: ${counts.in} read = ${counts.kept} kept (${counts.changed} changed) + ${counts.dropped} dropped + ${counts.failed} failed; ${skipped} skipped, ${counts.emitted} written`,
  );
  return `${lines.join('\n')}\n`;
}
