// 20,000 files of 3.5 KB, each sent by one call over one of 64 connections and durable when acknowledged. Compared with
// a bare `node:http` server that reads and checks the same requests and responds with as many bytes, with SQLite alone
// writing the same rows in groups of 64, and with nginx WebDAV PUT of the same files, which syncs nothing. Reports CPU
// time by thread. Servers on the first core, the client on the second. Stored content is compared with the sent content
// first. `TILTH_BENCH_PAIRS` (7) and `TILTH_BENCH_FILES` (20000) set the length.
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from '../server/kernel/crc32.ts';
import type { CpuTimes } from './cpu-times.ts';
import { printMachine } from './machine.ts';
import { comparePairs, microsecondsPerFile } from './pairs.ts';
import { pinClient, prepareChunk, prepareRequest, sendAll, type PreparedRequest } from './prepared-requests.ts';
import { startNginx } from './running-nginx.ts';
import {
  createDataset,
  growthDuring,
  missingPrograms,
  postJson,
  startServer,
  startService,
  type RunningService,
} from './running-service.ts';
import { startSqlFloor } from './running-sql-floor.ts';
import { smallContent } from './small-content.ts';

const fileCount = Number(process.env['TILTH_BENCH_FILES'] ?? 20_000);
const sizeBytes = 3_500;
const connections = 64;

if ((await missingPrograms({ nginx: 'nginx-light', curl: 'curl', taskset: 'util-linux' })).length === 0) await main();

async function main(): Promise<void> {
  printMachine();
  await pinClient();
  const folder = await mkdtemp(join(tmpdir(), 'tilth-bench-'));
  const ends: (() => Promise<void>)[] = [];
  try {
    const served = join(folder, 'served');
    await mkdir(served);
    const nginx = await startNginx(folder, served);
    ends.push(nginx.stop);
    const service = await startService(join(folder, 'data'));
    ends.push(service.stop);
    const dataset = await createDataset(service);
    await upload(service, dataset);
    await compareUploaded(service, dataset);
    await put(nginx.url, 'compared');
    for (let index = 0; index < fileCount; index++)
      if (!bytesOf(index).equals(await readFile(join(served, 'compared', nameOf(index)))))
        throw new Error(`nginx stored ${nameOf(index)} otherwise`);

    const bare = await startServer(['bench/bare-node.ts']);
    ends.push(bare.stop);
    let last = dataset;
    const floor = startSqlFloor({
      source: join(folder, 'data', 'tilth.db'),
      target: join(folder, 'floor.db'),
      groupFiles: connections,
      withUpload: true,
      lastDataset: () => last.split('/').at(-1) ?? '',
    });
    ends.push(floor.stop);
    let round = 0;
    const cpuOf = (cpuTimes: () => Promise<CpuTimes>) => ({
      unit: microsecondsPerFile,
      read: cpuTimes,
      amountOf: () => fileCount,
    });
    const growthMib = await growthDuring(service, async () => {
      await comparePairs(
        `${fileCount} files of 3.5 KB, durable`,
        {
          name: 'tilth',
          unit: 'files/s',
          async run() {
            last = await createDataset(service);
            return fileCount / (await upload(service, last));
          },
          cpu: cpuOf(service.cpuTimes),
        },
        {
          name: 'bare node:http, which stores nothing',
          unit: 'files/s',
          run: async () => fileCount / (await sendBare(bare.url)),
          cpu: cpuOf(bare.cpuTimes),
        },
        floor.side,
        {
          name: 'nginx PUT without a sync',
          unit: 'files/s',
          run: async () => fileCount / (await put(nginx.url, `round-${round++}`)),
          cpu: cpuOf(nginx.cpuTimes),
        },
      );
    });
    console.log(`resident memory grew by ${growthMib.toFixed(0)} MiB`);
  } finally {
    for (const end of ends) await end();
    await rm(folder, { recursive: true });
  }
}

/** Sends all files as single chunks; returns the seconds from the first byte to the last response. */
async function upload({ headers }: RunningService, dataset: string): Promise<number> {
  const reqId = (await postJson(
    `${dataset}/files/upload/pre-upload`,
    { totalFileNum: fileCount, totalSize: fileCount * sizeBytes },
    headers,
  )) as string;
  const url = `${dataset}/files/upload/chunk`;
  const requests = prepareChunks(url, headers, reqId);
  const { answers, seconds } = await sendAll(portOf(url), connections, fileCount, (index) => requests[index] ?? []);
  for (const { body } of answers) if (!body.includes('"fileCompleted":true')) throw new Error(`Not complete: ${body}`);
  return seconds;
}

/** The same requests to a server that reads and checks them, and responds with as many bytes. */
async function sendBare(url: string): Promise<number> {
  const requests = prepareChunks(url, { authorization: 'Bearer '.padEnd(250, 'x'), 'x-answer': '750' }, 'x'.repeat(36));
  return (await sendAll(portOf(url), connections, fileCount, (index) => requests[index] ?? [])).seconds;
}

function prepareChunks(url: string, headers: Readonly<Record<string, string>>, reqId: string): PreparedRequest[] {
  return Array.from({ length: fileCount }, (_, index) => {
    const bytes = bytesOf(index);
    const fields = {
      reqId,
      fileNo: index,
      fileName: nameOf(index),
      totalChunkNum: 1,
      chunkNo: 1,
      checkSumHex: crc32(bytes).toString(16).padStart(8, '0'),
    };
    return prepareChunk(url, headers, fields, bytes);
  });
}

async function put(url: string, folder: string): Promise<number> {
  const requests = Array.from({ length: fileCount }, (_, index) =>
    prepareRequest('PUT', `${url}/${folder}/${nameOf(index)}`, {}, [bytesOf(index)]),
  );
  return (await sendAll(portOf(url), connections, fileCount, (index) => requests[index] ?? [])).seconds;
}

async function compareUploaded({ headers }: RunningService, dataset: string): Promise<void> {
  const seen = new Set<number>();
  for (let page = 0; seen.size < fileCount; page++) {
    const { content } = (await (await fetch(`${dataset}/files?size=500&page=${page}`, { headers })).json()) as {
      content: { id: string; filePath: string }[];
    };
    if (content.length === 0) throw new Error(`${seen.size} of ${fileCount} files are listed`);
    for (const [place, { id, filePath }] of content.entries()) {
      const index = Number(/(\d+)\.txt$/.exec(filePath)?.[1]);
      if (nameOf(index) !== filePath) throw new Error(`${filePath} was never sent`);
      seen.add(index);
      if (place % 20 !== 0) continue;
      const answer = await fetch(`${dataset}/files/${id}/download`, { headers });
      if (!bytesOf(index).equals(Buffer.from(await answer.arrayBuffer()))) throw new Error(`${filePath} differs`);
    }
  }
}

function nameOf(index: number): string {
  return `folder-${Math.floor(index / 500)}/file-${index}.txt`;
}

function bytesOf(index: number): Buffer {
  return smallContent(index, sizeBytes);
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}
