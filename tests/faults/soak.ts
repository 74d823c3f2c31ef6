import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startProcess, type Ending, type RunningProcess } from '../support/server.ts';
import { createAnswerTimes } from './answer-times.ts';
import type { CaseOutcome, FaultFamily } from './family.ts';
import { createFaultDatabase, databaseKinds, type DatabaseKind } from './fault-database.ts';
import { residentMebibytes } from './slow-clients/slow-crowd.ts';
import { createSoakUser } from './soak/soak-user.ts';
import { listFindings } from './storage-findings.ts';

const defaultMinutes = { short: 0.15, full: 30 } as const;
const users = 4;
/** Minimum number of rows in the table, so that its first third can be compared with its last. */
const fewestSamples = 6;

/** Allowed growth from the first third of the time to the last: a factor, and a constant on top. */
const margins = {
  memoryMebibytes: { share: 0.25, plus: 64 },
  openFiles: { share: 0.1, plus: 32 },
  storedMebibytes: { share: 0.5, plus: 256 },
} as const;

type Sample = {
  minute: number;
  answers: number;
  p50Ms: number;
  p99Ms: number;
  memoryMebibytes: number;
  openFiles: number;
  storedMebibytes: number;
};

/** Mixed work on bounded data for any duration: no wrong answer, and no growth. */
export const soak: FaultFamily = {
  name: 'soak',
  databases: databaseKinds,
  missing: () => (process.platform === 'linux' ? undefined : 'Linux (/proc tells what a process holds)'),
  caseTimeoutMs: 7 * 24 * 60 * 60_000,
  async prepare(_t, { seed, size, database, minutes = defaultMinutes[size] }) {
    return [{ id: 'mixed', run: (t) => runMixed(t, { seed, minutes, kind: database, judged: size === 'full' }) }];
  },
};

async function runMixed(
  t: Ending,
  { seed, minutes, kind, judged }: { seed: number; minutes: number; kind: DatabaseKind; judged: boolean },
): Promise<CaseOutcome> {
  const database = await createFaultDatabase(t, kind);
  const settings = { TILTH_LOG_LEVEL: 'error', TILTH_TOKEN_TTL_SECONDS: '2592000', ...database.environment };
  const service = await startProcess(t, { settings });
  let times = createAnswerTimes();
  const violations: string[] = [];
  const ending = new AbortController();
  const work = Array.from({ length: users }, async (_, number) => {
    const user = createSoakUser(service, { number, seed, times: () => times });
    try {
      while (!ending.signal.aborted) await user.act();
    } catch (error) {
      violations.push(`user ${number}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      ending.abort();
    }
  });
  const samples: Sample[] = [];
  const everyMs = Math.min(60_000, (minutes * 60_000) / fewestSamples);
  const endsAt = performance.now() + minutes * 60_000;
  if (judged) printHead();
  while (performance.now() < endsAt && !ending.signal.aborted) {
    await pause(everyMs, undefined, { signal: ending.signal }).catch(() => {});
    const taken = times;
    times = createAnswerTimes();
    const sample = await takeSample(service, ((samples.length + 1) * everyMs) / 60_000, taken);
    samples.push(sample);
    if (judged) printSample(sample);
  }
  ending.abort();
  await Promise.all(work);
  if (judged) violations.push(...compareThirds(samples));
  violations.push(...(await listFindings(service.dataDir, database)));
  const { stderr } = service.output();
  if (stderr !== '') violations.push(`the service complains: ${stderr.slice(0, 2_000)}`);
  return { violations };
}

async function takeSample(
  { pid, dataDir }: RunningProcess,
  minute: number,
  times: ReturnType<typeof createAnswerTimes>,
): Promise<Sample> {
  return {
    minute,
    answers: times.count,
    p50Ms: times.quantile(0.5),
    p99Ms: times.quantile(0.99),
    memoryMebibytes: await residentMebibytes(pid),
    openFiles: (await readdir(`/proc/${pid}/fd`)).length,
    storedMebibytes: await measureFolder(join(dataDir, 'blobs')),
  };
}

/** Bytes on the disk in MiB; files erased meanwhile don't count. */
async function measureFolder(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  let bytes = 0;
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const stats = await stat(join(entry.parentPath, entry.name)).catch(() => undefined);
    bytes += (stats?.blocks ?? 0) * 512;
  }
  return Math.round(bytes / 1024 / 1024);
}

function compareThirds(samples: readonly Sample[]): string[] {
  const third = Math.floor(samples.length / 3);
  if (third === 0) return [];
  const median = (part: readonly Sample[], of: keyof typeof margins): number =>
    part.map((sample) => sample[of]).sort((one, other) => one - other)[Math.floor(part.length / 2)] ?? 0;
  return (Object.keys(margins) as (keyof typeof margins)[]).flatMap((of) => {
    const first = median(samples.slice(0, third), of);
    const last = median(samples.slice(-third), of);
    const { share, plus } = margins[of];
    return last > first * (1 + share) + plus ? [`${of} grows: ${first} in the first third, ${last} in the last`] : [];
  });
}

function printHead(): void {
  console.log('  minute  answers    p50 ms    p99 ms  memory MiB  open files  stored MiB');
}

function printSample(sample: Sample): void {
  const cells: readonly (readonly [width: number, text: string])[] = [
    [8, sample.minute.toFixed(1)],
    [9, String(sample.answers)],
    [10, sample.p50Ms.toFixed(1)],
    [10, sample.p99Ms.toFixed(1)],
    [12, String(sample.memoryMebibytes)],
    [12, String(sample.openFiles)],
    [12, String(sample.storedMebibytes)],
  ];
  console.log(cells.map(([width, text]) => text.padStart(width)).join(''));
}
