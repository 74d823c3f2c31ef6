// A file of 1 GiB from nginx into a dataset, against curl into a file. nginx runs on the second core, the service and curl on the first.
// curl leaves the bytes in the page cache, as far as the kernel has not written them; the service syncs them, with a CRC-32, before its run
// completes. `curl and sync` does the same amount of work. `TILTH_BENCH_PAIRS` (7) and `TILTH_BENCH_MIB` (1024) set the length.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { writeContent } from './content.ts';
import { mainThread, type CpuTimes } from './cpu-times.ts';
import { printMachine } from './machine.ts';
import { comparePairs, secondsPerGib, type Side } from './pairs.ts';
import { startNginx } from './running-nginx.ts';
import {
  growthDuring,
  missingPrograms,
  postJson,
  serverCores,
  startService,
  type RunningService,
} from './running-service.ts';

const execute = promisify(execFile);
const sizeBytes = Number(process.env['TILTH_BENCH_MIB'] ?? 1024) * 1024 ** 2;
const gibs = sizeBytes / 1024 ** 3;
const peerCores = process.env['TILTH_BENCH_PEER_CORES'] ?? '1';

if ((await missingPrograms({ nginx: 'nginx-light', curl: 'curl', taskset: 'util-linux', bash: 'bash' })).length === 0)
  await main();

async function main(): Promise<void> {
  printMachine();
  const folder = await mkdtemp(join(tmpdir(), 'tilth-bench-'));
  const ends: (() => Promise<void>)[] = [];
  try {
    const served = join(folder, 'served');
    await mkdir(served);
    await writeContent(join(served, 'file.bin'), sizeBytes);
    const nginx = await startNginx(folder, served, peerCores);
    ends.push(nginx.stop);
    const service = await startService(join(folder, 'data'), { TILTH_OUTGOING_ALLOW: '127.0.0.1' });
    ends.push(service.stop);
    const url = `${nginx.url}/file.bin`;
    await compareContent(service, url, join(served, 'file.bin'));
    const growthMib = await growthDuring(service, async () => {
      await comparePairs(
        `collection of ${gibs} GiB over HTTP`,
        {
          name: 'tilth',
          unit: 'GiB/s',
          run: async () => gibs / (await collect(service, url)).seconds,
          cpu: { unit: secondsPerGib, read: service.cpuTimes, amountOf: () => gibs },
        },
        curlSide('curl', url, join(folder, 'fetched.bin'), false),
        curlSide('curl and sync', url, join(folder, 'fetched.bin'), true),
      );
    });
    console.log(`resident memory grew by ${growthMib.toFixed(0)} MiB`);
  } finally {
    for (const end of ends) await end();
    await rm(folder, { recursive: true });
  }
}

/** Seconds from the start to the end of a run that fetches a URL into a new dataset, which is deleted afterwards. */
async function collect(
  { api, headers }: RunningService,
  url: string,
  check: (dataset: string) => Promise<void> = async () => {},
): Promise<{ seconds: number }> {
  type Task = { data: { id: string; targetDatasetId: string | null } };
  type Run = { data: { id: string; status: string; startedAt: string; finishedAt: string; error: string | null } };
  const tasks = `${api}/data-collection/tasks`;
  const call = async (path: string, method = 'GET'): Promise<unknown> => {
    const answer = await fetch(path, { method, headers });
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}`);
    return answer.status === 204 ? undefined : answer.json();
  };
  const name = `Benchmark ${process.hrtime.bigint()}`;
  const { id } = (
    (await postJson(tasks, { name, connector: { type: 'http-files', config: { urls: [url] } } }, headers)) as Task
  ).data;
  const { id: runId } = ((await postJson(`${tasks}/${id}/execute`, {}, headers)) as Run).data;
  let run: Run['data'];
  do {
    await setTimeout(50);
    ({ data: run } = (await call(`${tasks}/${id}/runs/${runId}`)) as Run);
  } while (run.status === 'QUEUED' || run.status === 'RUNNING');
  if (run.status !== 'COMPLETED') throw new Error(`The run ended ${run.status}: ${run.error}`);
  const dataset = `${api}/data-management/datasets/${((await call(`${tasks}/${id}`)) as Task).data.targetDatasetId}`;
  await check(dataset);
  await call(`${tasks}/${id}`, 'DELETE');
  await call(dataset, 'DELETE');
  return { seconds: (Date.parse(run.finishedAt) - Date.parse(run.startedAt)) / 1000 };
}

function curlSide(name: string, url: string, file: string, isSynced: boolean): Side {
  let cpuSeconds = 0;
  return {
    name,
    unit: 'GiB/s',
    async run() {
      await rm(file, { force: true });
      const command = `TIMEFORMAT='%R %U %S'; time taskset -c ${serverCores} bash -c '${
        isSynced ? 'curl -sS --fail -o "$1" "$2" && sync "$1"' : 'exec curl -sS --fail -o "$1" "$2"'
      }' bash "$1" "$2"`;
      const { stderr } = await execute('bash', ['-c', command, 'bash', file, url]);
      const [seconds = 0, user = 0, system = 0] = stderr.trim().split(' ').map(Number);
      cpuSeconds += user + system;
      return gibs / seconds;
    },
    cpu: {
      unit: secondsPerGib,
      read: async (): Promise<CpuTimes> => new Map([[mainThread, cpuSeconds]]),
      amountOf: () => gibs,
    },
  };
}

/** Checks that the dataset has exactly the bytes that were served. */
async function compareContent(service: RunningService, url: string, file: string): Promise<void> {
  const expected = createHash('sha256');
  await pipeline(createReadStream(file), expected);
  await collect(service, url, async (dataset) => {
    const { headers } = service;
    const { content } = (await (await fetch(`${dataset}/files`, { headers })).json()) as { content: { id: string }[] };
    const answer = await fetch(`${dataset}/files/${content[0]?.id}/download`, { headers });
    const found = createHash('sha256');
    for await (const piece of answer.body ?? []) found.update(piece);
    if (found.digest('hex') !== expected.digest('hex')) throw new Error('The dataset has other bytes than were served');
  });
}
