// The files of a dataset as one ZIP against `zip -0` over the same files: 1 GiB in 16 files, and 20,000 files of 3.5
// KB. Server and `zip` on the first core, curl on the second; `zip` writes to /dev/null. The archive is unpacked and
// compared byte for byte first; a file is renamed before each download, so that every archive is new.
// `TILTH_BENCH_PAIRS` (7) sets the number of pairs, `TILTH_BENCH_FILES` (20000) that of the small files.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { comparePairs } from './pairs.ts';
import {
  curl,
  growthDuring,
  missingPrograms,
  serverCores,
  startService,
  timeDownload,
  type RunningService,
} from './running-service.ts';

const execute = promisify(execFile);
const smallCount = Number(process.env['TILTH_BENCH_FILES'] ?? 20_000);
const largeBytes = 64 * 1024 ** 2;
const smallBytes = 3_500;

if (
  (await missingPrograms({ zip: 'zip', unzip: 'unzip', tar: 'tar', curl: 'curl', taskset: 'util-linux' })).length === 0
) {
  const folder = await mkdtemp(join(tmpdir(), 'tilth-bench-'));
  try {
    await compare(folder, 'large', 'ZIP of 1 GiB in 16 files against zip -0', (at) =>
      writeFiles(at, 16, largeBytes, 16),
    );
    await compare(folder, 'small', `ZIP of ${smallCount} files of 3.5 KB against zip -0`, (at) =>
      writeFiles(at, smallCount, smallBytes, 200),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function compare(
  folder: string,
  name: string,
  title: string,
  make: (at: string) => Promise<void>,
): Promise<void> {
  const files = join(folder, name);
  await make(files);
  const service = await startService(join(folder, `${name}-data`));
  try {
    await execute('bash', [
      '-c',
      'set -o pipefail; tar -C "$1" -cf - . | curl -sS --fail -T - -X POST "${@:3}" "$2" -o /dev/null',
      'bash',
      files,
      `${service.dataset}/files/upload/stream?format=tar`,
      '-H',
      'Content-Type: application/x-tar',
      ...service.headerArgs,
    ]);
    const url = `${service.dataset}/files/download`;
    const archive = join(folder, `${name}.zip`);
    await curl([...service.headerArgs, '-o', archive, url]);
    await compareFiles(archive, files);
    const { size } = await stat(archive);
    const mib = size / 1024 ** 2;
    const growthMib = await growthDuring(service, async () => {
      await comparePairs(
        title,
        {
          name: 'tilth',
          unit: 'MiB/s',
          run: async () => {
            await renameOne(service);
            return mib / (await timeDownload(url, service.headerArgs, size));
          },
        },
        { name: 'zip', unit: 'MiB/s', run: async () => mib / (await timeZip(files)) },
      );
    });
    console.log(`resident memory grew by ${growthMib.toFixed(0)} MiB`);
  } finally {
    await service.stop();
  }
}

/** Creates a new version whose archive has the same size, so that nothing cached for the previous one helps. */
async function renameOne({ dataset, headerArgs }: RunningService): Promise<void> {
  const { content } = JSON.parse(await curl([...headerArgs, `${dataset}/files?size=1`])) as {
    content: { id: string; fileName: string }[];
  };
  const [file] = content;
  if (file === undefined) throw new Error('The dataset is empty');
  const fileName = file.fileName.endsWith('.bin')
    ? file.fileName.replace('.bin', '.BIN')
    : file.fileName.replace('.BIN', '.bin');
  const body = JSON.stringify({ fileName });
  await curl([
    ...headerArgs,
    '-X',
    'PATCH',
    '-H',
    'Content-Type: application/json',
    '-d',
    body,
    `${dataset}/files/${file.id}`,
  ]);
}

/** Non-repeating bytes, a few files per folder. */
async function writeFiles(at: string, count: number, sizeBytes: number, folders: number): Promise<void> {
  for (let index = 0; index < folders; index++) await mkdir(join(at, `folder-${index}`), { recursive: true });
  for (let index = 0; index < count; index++) {
    const words = new Float64Array(Math.ceil(sizeBytes / 8)).map((_, word) => Math.sin(index * 1_000_003 + word));
    const path = join(at, `folder-${index % folders}`, `file-${index}.bin`);
    await writeFile(path, new Uint8Array(words.buffer, 0, sizeBytes));
  }
}

/** Unpacks the archive in memory, entry by entry, and compares with the files. */
async function compareFiles(archive: string, files: string): Promise<void> {
  await execute('unzip', ['-tqq', archive]);
  const { stdout } = await execute('unzip', ['-Z1', archive], { maxBuffer: 256 * 1024 ** 2 });
  const names = stdout.trim().split('\n');
  const { stdout: found } = await execute('find', [files, '-type', 'f', '-printf', '%P\n'], {
    maxBuffer: 256 * 1024 ** 2,
  });
  const expected = found.trim().split('\n').sort();
  if (names.toSorted().join('\n') !== expected.join('\n')) throw new Error('The archive has other files');
  const bytes = await readFile(archive);
  let at = 0;
  for (const name of names) {
    const content = await readFile(join(files, name));
    const start = at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
    if (!bytes.subarray(start, start + content.length).equals(content)) throw new Error(`${name} differs`);
    at = start + content.length;
  }
}

async function timeZip(files: string): Promise<number> {
  const begun = performance.now();
  await execute('taskset', ['-c', serverCores, 'bash', '-c', 'cd "$1" && zip -0 -q -r - . > /dev/null', 'bash', files]);
  return (performance.now() - begun) / 1000;
}
