// One download of 2 GiB against nginx with sendfile. Both servers on the first core, curl on the second. The answers are
// compared byte for byte first. `TILTH_BENCH_PAIRS` (7) and `TILTH_BENCH_MIB` (2048) set the length.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { writeContent } from './content.ts';
import { comparePairs } from './pairs.ts';
import { startNginx } from './running-nginx.ts';
import { curl, growthDuring, missingPrograms, startService, timeDownload } from './running-service.ts';

const execute = promisify(execFile);
const sizeBytes = Number(process.env['TILTH_BENCH_MIB'] ?? 2048) * 1024 ** 2;
const gib = 1024 ** 3;

if ((await missingPrograms({ nginx: 'nginx-light', curl: 'curl', taskset: 'util-linux' })).length === 0) await main();

async function main(): Promise<void> {
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
    const growthMib = await growthDuring(service, async () => {
      await comparePairs(
        `download of ${sizeBytes / gib} GiB against nginx sendfile`,
        {
          name: 'tilth',
          unit: 'GiB/s',
          run: async () => sizeBytes / gib / (await timeDownload(url, service.headerArgs, sizeBytes)),
        },
        {
          name: 'nginx',
          unit: 'GiB/s',
          run: async () => sizeBytes / gib / (await timeDownload(peerUrl, [], sizeBytes)),
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
