import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { curl, postJson, startService, type RunningService } from './running-service.ts';

const measuredMs = 15_000;
/** One request after the other at this interval: a user with a few open pages. */
const pauseMs = 5;

const steps = [
  { operatorId: 'control-character-remover', params: {} },
  { operatorId: 'unicode-normalizer', params: {} },
  { operatorId: 'whitespace-normalizer', params: {} },
  { operatorId: 'special-character-ratio-filter', params: {} },
  { operatorId: 'text-length-filter', params: {} },
];

type Run = { id: string; status: string };

/** Prints the time of `GET /datasets` without a run and during one over the corpus: median and 99th percentile. */
export async function measureResponsiveness(directory: string, corpusPath: string): Promise<void> {
  const service = await startService(join(directory, 'service'));
  try {
    await curl([
      ...service.headerArgs,
      '-F',
      `files=@${corpusPath};filename=corpus.jsonl`,
      `${service.dataset}/files/upload`,
    ]);
    const sourceDatasetId = service.dataset.split('/').at(-1);
    const body = { name: 'Benchmark', sourceDatasetId, steps, input: { textField: 'text' } };
    const tasks = `${service.api}/data-cleaning/tasks`;
    const { data: task } = (await postJson(tasks, body, service.headers)) as { data: { id: string } };
    const taskUrl = `${tasks}/${task.id}`;
    await requestsUntil(service, () => Promise.resolve(false), 2_000);
    const alone = await requestsUntil(service, () => Promise.resolve(false), measuredMs);
    const busy: number[] = [];
    let runs = 0;
    while (busy.length === 0 || (sum(busy) + busy.length * pauseMs < measuredMs && runs < 20)) {
      const { data: run } = (await postJson(`${taskUrl}/execute`, {}, service.headers)) as { data: Run };
      runs += 1;
      busy.push(...(await requestsUntil(service, () => hasEnded(service, `${taskUrl}/runs/${run.id}`), 60_000)));
    }
    const ratio = percentile(busy, 0.99) / percentile(alone, 0.99);
    console.log(`  without a run: ${describe(alone)}`);
    console.log(`  with ${runs === 1 ? 'a run' : `${runs} runs, one after the other,`} going on: ${describe(busy)}`);
    console.log(`99th percentile of GET /datasets with a run going on against without: ${ratio.toFixed(1)}×`);
  } finally {
    await service.stop();
  }
}

/** Milliseconds of each request. */
async function requestsUntil(
  { api, headers }: RunningService,
  isOver: () => Promise<boolean>,
  longestMs: number,
): Promise<number[]> {
  const times: number[] = [];
  const begun = performance.now();
  while (performance.now() - begun < longestMs && !(times.length % 50 === 49 && (await isOver()))) {
    const sent = performance.now();
    const response = await fetch(`${api}/data-management/datasets?size=20`, { headers });
    await response.arrayBuffer();
    times.push(performance.now() - sent);
    if (!response.ok) throw new Error(`GET /datasets answered ${response.status}`);
    await setTimeout(pauseMs);
  }
  return times;
}

async function hasEnded({ headers }: RunningService, runUrl: string): Promise<boolean> {
  const { data: run } = (await (await fetch(runUrl, { headers })).json()) as { data: Run };
  if (run.status === 'COMPLETED') return true;
  if (run.status === 'QUEUED' || run.status === 'RUNNING') return false;
  throw new Error(`The run is ${run.status}`);
}

function describe(times: readonly number[]): string {
  const [median, most] = [0.5, 0.99].map((share) => percentile(times, share).toFixed(1));
  return `${times.length} requests, median ${median} ms, 99th percentile ${most} ms, longest ${Math.max(...times).toFixed(1)} ms`;
}

function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function sum(times: readonly number[]): number {
  return times.reduce((total, time) => total + time, 0);
}
