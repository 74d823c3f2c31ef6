// One file of 2 GiB in chunks of 8 MiB, each with its CRC-32, 1 and 4 in flight, durable at the end. Compared with a
// bare `node:http` server that checks and writes the same chunks, with `cp source copy && sync copy`, and with nginx
// WebDAV PUT; bare server and nginx sync nothing. Reports CPU time by thread. Servers and cp run on the first core
// (`TILTH_BENCH_CORES=0,1`: the scheduler chooses), the client on the second. The stored file is compared byte for byte
// first. Then measures how much longer the last chunk takes than an average one, with chunks in order, shuffled and
// reversed. `TILTH_BENCH_PAIRS` (7), `TILTH_BENCH_MIB` (2048).
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  chunkBytes,
  createContent,
  removeDataset,
  upload,
  writeSource,
  type Content,
  type Uploaded,
} from './chunked-file.ts';
import type { CpuTimes } from './cpu-times.ts';
import { printMachine } from './machine.ts';
import { comparePairs, secondsPerGib } from './pairs.ts';
import { pinClient, prepareRequest, sendAll } from './prepared-requests.ts';
import { startNginx } from './running-nginx.ts';
import {
  curl,
  growthDuring,
  missingPrograms,
  serverCores,
  startServer,
  startService,
  type RunningService,
} from './running-service.ts';

const execute = promisify(execFile);
const chunkCount = Math.max(2, Math.round(Number(process.env['TILTH_BENCH_MIB'] ?? 2048) / 8));
const sizeBytes = chunkCount * chunkBytes;
const gib = sizeBytes / 1024 ** 3;

if ((await missingPrograms({ nginx: 'nginx-light', curl: 'curl', taskset: 'util-linux' })).length === 0) await main();

async function main(): Promise<void> {
  printMachine();
  await pinClient();
  const folder = await mkdtemp(join(tmpdir(), 'tilth-bench-'));
  const ends: (() => Promise<void>)[] = [];
  try {
    const source = join(folder, 'source.bin');
    const copies = join(folder, 'copies');
    const served = join(folder, 'served');
    await mkdir(copies);
    await mkdir(served);
    const content = createContent(chunkCount);
    await writeSource(source, content);
    const nginx = await startNginx(folder, served);
    ends.push(nginx.stop);
    const service = await startService(join(folder, 'data'));
    ends.push(service.stop);

    await compareStored(service, await upload(service, content, inOrder(), 4), source);
    const bare = await startServer(['bench/bare-node.ts', join(folder, 'bare.bin')]);
    ends.push(bare.stop);
    let rounds = 0;
    const cpuOf = (cpuTimes: () => Promise<CpuTimes>) => ({ unit: secondsPerGib, read: cpuTimes, amountOf: () => gib });
    for (const parallel of [1, 4]) {
      const growthMib = await growthDuring(service, async () => {
        await comparePairs(
          `upload, ${parallel} in flight`,
          {
            name: 'tilth',
            unit: 'GiB/s',
            async run() {
              const { datasetPath, seconds } = await upload(service, content, inOrder(), parallel);
              await removeDataset(service, datasetPath);
              return gib / seconds;
            },
            cpu: cpuOf(service.cpuTimes),
          },
          {
            name: 'bare node:http without a sync',
            unit: 'GiB/s',
            run: async () => gib / (await sendBare(bare.url, content, parallel)),
            cpu: cpuOf(bare.cpuTimes),
          },
          {
            name: 'cp && sync',
            unit: 'GiB/s',
            run: async () => gib / (await timeCopy(source, join(copies, String(rounds++)))),
          },
          {
            name: 'nginx PUT without a sync',
            unit: 'GiB/s',
            async run() {
              const name = `${rounds++}.bin`;
              const seconds = await timePut(source, `${nginx.url}/${name}`);
              await rm(join(served, name));
              return gib / seconds;
            },
            cpu: cpuOf(nginx.cpuTimes),
          },
        );
      });
      console.log(`resident memory grew by ${growthMib.toFixed(0)} MiB`);
    }
    for (const [name, order] of [
      ['in order', inOrder()],
      ['shuffled', shuffled()],
      ['reversed', inOrder().reverse()],
    ] as const) {
      const { lastMs, averageMs } = await upload(service, content, order, 1);
      console.log(
        `last chunk, ${name}: ${lastMs.toFixed(0)} ms, ${(lastMs - averageMs).toFixed(0)} ms more than an average one`,
      );
    }
  } finally {
    for (const end of ends) await end();
    await rm(folder, { recursive: true });
  }
}

/** The same chunks as plain bodies, to a server that only checks and writes them. */
async function sendBare(url: string, { chunkAt, checksums }: Content, parallel: number): Promise<number> {
  const { seconds } = await sendAll(Number(new URL(url).port), parallel, chunkCount, (chunk) =>
    prepareRequest('POST', `${url}/?position=${chunk * chunkBytes}`, { 'x-crc32': checksums[chunk] ?? '' }, [
      chunkAt(chunk),
    ]),
  );
  return seconds;
}

async function timeCopy(source: string, target: string): Promise<number> {
  const begun = performance.now();
  await execute('taskset', ['-c', serverCores, 'sh', '-c', 'cp "$1" "$2" && sync "$2"', 'sh', source, target]);
  const seconds = (performance.now() - begun) / 1000;
  await rm(target);
  return seconds;
}

/** One PUT of the whole file; curl reads it from the page cache. */
async function timePut(source: string, url: string): Promise<number> {
  return Number(await curl(['-T', source, '-o', '/dev/null', '-w', '%{time_total}', url]));
}

async function compareStored({ headerArgs }: RunningService, stored: Uploaded, source: string): Promise<void> {
  const url = `${stored.datasetPath}/files/${stored.fileId}/download`;
  const command = 'set -o pipefail; curl -sS --fail "${@:3}" "$1" | cmp - "$2"';
  await execute('bash', ['-c', command, 'bash', url, source, ...headerArgs]);
}

function inOrder(): number[] {
  return Array.from({ length: chunkCount }, (_, index) => index);
}

/** Always the same order. */
function shuffled(): number[] {
  const order = inOrder();
  let state = 1;
  for (let index = order.length - 1; index > 0; index--) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const other = state % (index + 1);
    const value = order[index] ?? 0;
    order[index] = order[other] ?? 0;
    order[other] = value;
  }
  return order;
}
