// 20,000 files of 3.5 KB sent as one tar stream, durable when acknowledged: against SQLite alone writing the same rows,
// and against `tar -x && sync -f`. Reports CPU time by thread. Server and tar on the first core, curl on the second.
// The number, sizes and some contents of the stored files are checked first. `TILTH_BENCH_PAIRS` (7) and
// `TILTH_BENCH_FILES` (20000) set the length.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { printMachine } from './machine.ts';
import { comparePairs, microsecondsPerFile } from './pairs.ts';
import {
  createDataset,
  curl,
  growthDuring,
  missingPrograms,
  serverCores,
  startService,
  type RunningService,
} from './running-service.ts';
import { startSqlFloor } from './running-sql-floor.ts';
import { smallContent } from './small-content.ts';

const execute = promisify(execFile);
const fileCount = Number(process.env['TILTH_BENCH_FILES'] ?? 20_000);
const sizeBytes = 3_500;

if ((await missingPrograms({ tar: 'tar', curl: 'curl', taskset: 'util-linux' })).length === 0) await main();

async function main(): Promise<void> {
  printMachine();
  const folder = await mkdtemp(join(tmpdir(), 'tilth-bench-'));
  try {
    const archive = join(folder, 'files.tar');
    await makeArchive(folder, archive);
    const service = await startService(join(folder, 'data'));
    try {
      let last = await send(service, archive);
      await compareStored(service, last);
      const floor = startSqlFloor({
        source: join(folder, 'data', 'tilth.db'),
        target: join(folder, 'floor.db'),
        // One version and one transaction, as in the service.
        groupFiles: fileCount,
        withUpload: false,
        lastDataset: () => last.dataset.split('/').at(-1) ?? '',
      });
      let round = 0;
      const growthMib = await growthDuring(service, async () => {
        await comparePairs(
          `${fileCount} files of 3.5 KB as a tar stream`,
          {
            name: 'tilth',
            unit: 'files/s',
            async run() {
              last = await send(service, archive);
              return fileCount / last.seconds;
            },
            cpu: { unit: microsecondsPerFile, read: service.cpuTimes, amountOf: () => fileCount },
          },
          floor.side,
          {
            name: 'tar -x && sync',
            unit: 'files/s',
            run: async () => fileCount / (await unpack(archive, join(folder, `out-${round++}`))),
          },
        );
      });
      await floor.stop();
      console.log(`resident memory grew by ${growthMib.toFixed(0)} MiB`);
    } finally {
      await service.stop();
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function makeArchive(folder: string, archive: string): Promise<void> {
  const files = join(folder, 'files');
  for (let index = 0; index < fileCount; index++) {
    const path = join(files, nameOf(index));
    if (index % 500 === 0) await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, smallContent(index, sizeBytes));
  }
  await execute('tar', ['-C', files, '-cf', archive, '.']);
}

async function send(service: RunningService, archive: string): Promise<{ dataset: string; seconds: number }> {
  const dataset = await createDataset(service);
  const begun = performance.now();
  const answer = await curl([
    ...service.headerArgs,
    '-X',
    'POST',
    '-T',
    archive,
    '-H',
    'Content-Type: application/x-tar',
    '-H',
    'Expect:',
    `${dataset}/files/upload/stream?format=tar`,
  ]);
  const seconds = (performance.now() - begun) / 1000;
  const { files, bytes, failed } = JSON.parse(answer) as { files: number; bytes: number; failed: number };
  if (files !== fileCount || bytes !== fileCount * sizeBytes || failed !== 0)
    throw new Error(`Wrong receipt: ${answer}`);
  return { dataset, seconds };
}

async function compareStored({ headers }: RunningService, { dataset }: { dataset: string }): Promise<void> {
  for (let index = 0; index < fileCount; index += 997) {
    const page = await fetch(`${dataset}/files?size=1&keyword=${nameOf(index)}`, { headers });
    const { content } = (await page.json()) as { content: { id: string; filePath: string }[] };
    const [file] = content;
    if (file?.filePath !== nameOf(index)) throw new Error(`${nameOf(index)} is missing`);
    const answer = await fetch(`${dataset}/files/${file.id}/download`, { headers });
    if (!smallContent(index, sizeBytes).equals(Buffer.from(await answer.arrayBuffer())))
      throw new Error(`${nameOf(index)} differs`);
  }
}

async function unpack(archive: string, target: string): Promise<number> {
  await mkdir(target);
  const begun = performance.now();
  const command = 'tar -C "$1" -xf "$2" && sync -f "$1"';
  await execute('taskset', ['-c', serverCores, 'sh', '-c', command, 'sh', target, archive]);
  return (performance.now() - begun) / 1000;
}

function nameOf(index: number): string {
  return `folder-${Math.floor(index / 500)}/file-${index}.txt`;
}
