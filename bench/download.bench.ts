// One download of 2 GiB against nginx with sendfile, and against a bare `node:http` server that pipes the file; CPU time is reported by
// thread. The servers run on the first core, curl on the second. The responses are compared byte for byte first. `TILTH_BENCH_PAIRS` (7)
// and `TILTH_BENCH_MIB` (2048) set the length.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { writeContent } from './content.ts';
import type { CpuTimes } from './cpu-times.ts';
import { printMachine } from './machine.ts';
import { comparePairs, secondsPerGib } from './pairs.ts';
import { startNginx } from './running-nginx.ts';
import { curl, growthDuring, missingPrograms, startServer, startService, timeDownload } from './running-service.ts';

const execute = promisify(execFile);
const sizeBytes = Number(process.env['TILTH_BENCH_MIB'] ?? 2048) * 1024 ** 2;
const gib = 1024 ** 3;

if ((await missingPrograms({ nginx: 'nginx-light', curl: 'curl', taskset: 'util-linux' })).length === 0) await main();

async function main(): Promise<void> {
  printMachine();
  const folder = await mkdtemp(join(tmpdir(), 'tilth-bench-'));
  const ends: (() => Promise<void>)[] = [];
  try {
    const served = join(folder, 'served');
    await mkdir(served);
    const file = join(served, 'file.bin');
    await writeContent(file, sizeBytes);
    const nginx = await startNginx(folder, served);
    ends.push(nginx.stop);
    const service = await startService(join(folder, 'data'));
    ends.push(service.stop);
    const [uploaded] = JSON.parse(
      await curl([...service.headerArgs, '-F', `files=@${file}`, `${service.dataset}/files/upload`]),
    ) as { id: string }[];
    const url = `${service.dataset}/files/${uploaded?.id}/download`;
    await compareBytes(url, service.headerArgs, file);
    const peerUrl = `${nginx.url}/file.bin`;
    await compareBytes(peerUrl, [], file);
    const bare = await startServer(['bench/bare-node.ts', file]);
    ends.push(bare.stop);
    await compareBytes(`${bare.url}/file`, [], file);
    const growthMib = await growthDuring(service, async () => {
      const gibs = sizeBytes / gib;
      const cpuOf = (cpuTimes: () => Promise<CpuTimes>) => ({
        unit: secondsPerGib,
        read: cpuTimes,
        amountOf: () => gibs,
      });
      await comparePairs(
        `download of ${gibs} GiB`,
        {
          name: 'tilth',
          unit: 'GiB/s',
          run: async () => gibs / (await timeDownload(url, service.headerArgs, sizeBytes)),
          cpu: cpuOf(service.cpuTimes),
        },
        {
          name: 'nginx sendfile',
          unit: 'GiB/s',
          run: async () => gibs / (await timeDownload(peerUrl, [], sizeBytes)),
          cpu: cpuOf(nginx.cpuTimes),
        },
        {
          name: 'bare node:http stream',
          unit: 'GiB/s',
          run: async () => gibs / (await timeDownload(`${bare.url}/file`, [], sizeBytes)),
          cpu: cpuOf(bare.cpuTimes),
        },
      );
    });
    console.log(`resident memory grew by ${growthMib.toFixed(0)} MiB`);
  } finally {
    for (const end of ends) await end();
    await rm(folder, { recursive: true });
  }
}

async function compareBytes(url: string, headerArgs: readonly string[], file: string): Promise<void> {
  await execute('bash', [
    '-c',
    'set -o pipefail; curl -sS --fail "${@:3}" "$1" | cmp - "$2"',
    'bash',
    url,
    file,
    ...headerArgs,
  ]);
}
