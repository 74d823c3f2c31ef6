// One file of 1 GiB into an S3 server: through the service in chunks of 8 MiB with their CRC-32, 4 in flight, durable and
// committed at the end, against the vendor's own client (`Upload` of @aws-sdk/lib-storage, parts of 8 MiB, 4 in flight) that
// reads the same file from the page cache. Service and client run on the first core (`TILTH_BENCH_CORES=0,1`: the scheduler
// chooses), the sender of the chunks on the second; the S3 server (versitygw over a folder) on both. The stored file is
// compared byte for byte first. `TILTH_BENCH_PAIRS` (7), `TILTH_BENCH_MIB` (1024).
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { credentialsOf, startS3, versitygw } from '../tests/support/versitygw.ts';
import { chunkBytes, createContent, removeDataset, upload, writeSource } from './chunked-file.ts';
import type { CpuTimes } from './cpu-times.ts';
import { printMachine } from './machine.ts';
import { comparePairs, secondsPerGib } from './pairs.ts';
import { pinClient } from './prepared-requests.ts';
import { growthDuring, missingPrograms, startServer, startService } from './running-service.ts';

const chunkCount = Math.max(2, Math.round((Number(process.env['TILTH_BENCH_MIB'] ?? 1024) * 1024 ** 2) / chunkBytes));
const gib = (chunkCount * chunkBytes) / 1024 ** 3;

if (versitygw.path === undefined) console.log(`Skipped: versitygw (${versitygw.howToGet}).`);
else if ((await missingPrograms({ curl: 'curl', taskset: 'util-linux' })).length === 0) await main();

async function main(): Promise<void> {
  printMachine();
  await pinClient();
  const folder = await mkdtemp(join(tmpdir(), 'tilth-bench-'));
  const ends: (() => Promise<void>)[] = [];
  try {
    const server = await startS3({ after: (end) => void ends.unshift(end) }, 'bench');
    const credentials = credentialsOf(server);
    const content = createContent(chunkCount);
    const source = join(folder, 'source.bin');
    await writeSource(source, content);
    const service = await startService(join(folder, 'data'), {
      ...credentials,
      TILTH_STORAGE_URL: 's3://bench/tilth',
      TILTH_STORAGE_ENDPOINT: server.endpoint,
    });
    ends.unshift(service.stop);
    const vendor = await startServer(['bench/vendor-upload.ts', server.endpoint, 'bench', source], credentials);
    ends.unshift(vendor.stop);
    const order = Array.from({ length: chunkCount }, (_, index) => index);

    const stored = await upload(service, content, order, 4);
    const url = `${stored.datasetPath}/files/${stored.fileId}/download`;
    const compare = 'set -o pipefail; curl -sS --fail "${@:3}" "$1" | cmp - "$2"';
    await promisify(execFile)('bash', ['-c', compare, 'bash', url, source, ...service.headerArgs]);
    await removeDataset(service, stored.datasetPath);

    const cpuOf = (read: () => Promise<CpuTimes>) => ({ unit: secondsPerGib, read, amountOf: () => gib });
    const growthMib = await growthDuring(service, async () => {
      await comparePairs(
        'upload into S3, 4 in flight',
        {
          name: 'tilth',
          unit: 'GiB/s',
          async run() {
            const { datasetPath, seconds } = await upload(service, content, order, 4);
            await removeDataset(service, datasetPath);
            return gib / seconds;
          },
          cpu: cpuOf(service.cpuTimes),
        },
        {
          name: 'lib-storage',
          unit: 'GiB/s',
          async run() {
            const { seconds } = (await (await fetch(vendor.url, { method: 'POST' })).json()) as { seconds: number };
            return gib / seconds;
          },
          cpu: cpuOf(vendor.cpuTimes),
        },
      );
    });
    console.log(`resident memory of the service grew by ${growthMib.toFixed(0)} MiB`);
  } finally {
    for (const end of ends) await end();
    await rm(folder, { recursive: true });
  }
}
