// Calls per second of one node over PostgreSQL against the same service over SQLite: GET of a dataset, a page of its files, and files of
// 3.5 KB, each sent by one call and durable when acknowledged (both databases sync their commits, on the same disk). The services run on
// the first core, PostgreSQL and the client on the second. `TILTH_BENCH_PAIRS` (7) and `TILTH_BENCH_FILES` (4000) set the length. Needs
// PostgreSQL.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../tests/support/postgres.ts';
import type { CpuTimes } from './cpu-times.ts';
import { printMachine } from './machine.ts';
import { comparePairs, microsecondsPerCall, type Side } from './pairs.ts';
import { pinClient, prepareChunk, sendAll } from './prepared-requests.ts';
import { createDataset, missingPrograms, postJson, startService, type RunningService } from './running-service.ts';
import { smallContent } from './small-content.ts';
import { requestRate } from './wrk.ts';

const fileCount = Number(process.env['TILTH_BENCH_FILES'] ?? 4_000);
const sizeBytes = 3_500;
const connections = 64;
const seconds = 2;

if ((await missingPrograms({ wrk: 'wrk', taskset: 'util-linux' })).length === 0) await main();

async function main(): Promise<void> {
  printMachine();
  await pinClient();
  const folder = await mkdtemp(join(tmpdir(), 'tilth-bench-'));
  const ends: (() => Promise<void>)[] = [];
  try {
    const cluster = await startPostgres({ isDurable: true });
    ends.push(cluster.stop);
    const shared = await startService(join(folder, 'shared'), { TILTH_DATABASE_URL: cluster.url });
    ends.push(shared.stop);
    const embedded = await startService(join(folder, 'embedded'));
    ends.push(embedded.stop);
    const datasets = new Map<RunningService, string>();
    for (const service of [shared, embedded]) {
      datasets.set(service, await createDataset(service));
      await upload(service, datasets.get(service) ?? '');
    }
    const answers = await Promise.all([shared, embedded].map((service) => read(service, datasets.get(service) ?? '')));
    if (new Set(answers).size !== 1) throw new Error(`The two services answer differently: ${answers.join('\n')}`);

    const reading = (service: RunningService, name: string, path: string): Side => ({
      name,
      unit: 'calls/s',
      run: () => requestRate(`${datasets.get(service)}${path}`, service.headerArgs, seconds),
      cpu: cpuOf(service.cpuTimes, (rate) => rate * seconds),
    });
    const writing = (service: RunningService, name: string): Side => ({
      name,
      unit: 'files/s',
      run: async () => fileCount / (await upload(service, await createDataset(service))),
      cpu: cpuOf(service.cpuTimes, () => fileCount),
    });
    for (const [title, path] of [
      ['GET of a dataset', ''],
      ['a page of 20 of its files', '/files?size=20&page=3'],
    ] as const)
      await comparePairs(title, reading(shared, 'PostgreSQL', path), reading(embedded, 'SQLite', path));
    await comparePairs('files of 3.5 KB, durable', writing(shared, 'PostgreSQL'), writing(embedded, 'SQLite'));
  } finally {
    for (const end of ends.toReversed()) await end();
    await rm(folder, { recursive: true });
  }
}

function cpuOf(read: () => Promise<CpuTimes>, amountOf: (figure: number) => number): NonNullable<Side['cpu']> {
  return { unit: microsecondsPerCall, read, amountOf };
}

/** Sends all files as single chunks; returns the seconds from the first byte to the last response. */
async function upload({ headers }: RunningService, dataset: string): Promise<number> {
  const announced = { totalFileNum: fileCount, totalSize: fileCount * sizeBytes };
  const reqId = (await postJson(`${dataset}/files/upload/pre-upload`, announced, headers)) as string;
  const url = `${dataset}/files/upload/chunk`;
  const requests = Array.from({ length: fileCount }, (_, fileNo) => {
    const fields = { reqId, fileNo, fileName: `file-${fileNo}.txt`, totalChunkNum: 1, chunkNo: 1 };
    return prepareChunk(url, headers, fields, smallContent(fileNo, sizeBytes));
  });
  const port = Number(new URL(url).port);
  const { answers, seconds: taken } = await sendAll(port, connections, fileCount, (index) => requests[index] ?? []);
  for (const { body } of answers) if (!body.includes('"fileCompleted":true')) throw new Error(`Not complete: ${body}`);
  return taken;
}

/** The response in which both must agree: the paths on a page. */
async function read({ headers }: RunningService, dataset: string): Promise<string> {
  const answer = await fetch(`${dataset}/files?size=20&page=3`, { headers });
  const { content } = (await answer.json()) as { content: { filePath: string }[] };
  return JSON.stringify(content.map(({ filePath }) => filePath));
}
