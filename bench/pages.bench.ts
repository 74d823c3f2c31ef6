// Pages of a list of TILTH_BENCH_FILES files (1,000,000) over HTTP: deep pages against the first, statistics against
// the dataset itself; requests per second of wrk with 32 connections, and the time of single calls that search or sort.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatasets } from '../server/areas/data-management/datasets/datasets.ts';
import { systemClock } from '../server/kernel/clock.ts';
import { openDatabase } from '../server/storage/database/database.ts';
import { insertManyFiles } from './many-files.ts';
import { printMachine } from './machine.ts';
import { comparePairs } from './pairs.ts';
import { curl, missingPrograms, startService, type RunningService } from './running-service.ts';
import { requestRate } from './wrk.ts';

const fileCount = Number(process.env['TILTH_BENCH_FILES'] ?? 1_000_000);
const seconds = 1;
const deepShare = 0.8;

if ((await missingPrograms({ wrk: 'wrk', curl: 'curl' })).length > 0) process.exit(0);
printMachine();
const directory = await mkdtemp(join(tmpdir(), 'tilth-bench-'));
let service: RunningService | undefined;
try {
  const id = await fill();
  service = await startService(directory);
  await measure(service, `${service.api}/data-management/datasets/${id}`);
} finally {
  await service?.stop();
  await rm(directory, { recursive: true });
}

async function fill(): Promise<string> {
  const db = await openDatabase({ file: join(directory, 'tilth.db') });
  try {
    const datasets = createDatasets({ db, clock: systemClock, isBusy: async () => false, onRemoved: () => {} });
    const { id } = await datasets.create({ name: 'many files', type: 'TEXT' }, 'bench');
    await insertManyFiles(db, id, fileCount);
    return id;
  } finally {
    await db.close();
  }
}

async function measure({ headerArgs }: RunningService, dataset: string): Promise<void> {
  const files = (query: string) => `${dataset}/files?size=20&${query}`;
  const side = (name: string, url: string) => ({
    name,
    unit: 'requests/s',
    run: () => requestRate(url, headerArgs, seconds),
  });
  const cases: [name: string, query: string, share: number][] = [
    ['unfiltered', '', 1],
    ['by type', 'fileType=jsonl', 0.25],
    ['by status COMPLETED', 'status=COMPLETED', 0.9],
    ['by status ERROR', 'status=ERROR', 0.1],
  ];
  for (const [name, query, share] of cases) {
    const page = Math.floor((fileCount * share * deepShare) / 20);
    const deep = files(`${query}&page=${page}`);
    const { content } = JSON.parse(await curl([...headerArgs, deep])) as { content: unknown[] };
    if (content.length !== 20) throw new Error(`${deep} holds ${content.length} files`);
    // The result: responses of the first page per response of the deep one.
    await comparePairs(
      `page 0 against page ${page.toLocaleString('en')}, ${name}: times as many requests`,
      side('page 0', files(query)),
      side(`page ${page.toLocaleString('en')}`, deep),
    );
  }
  await comparePairs(
    'dataset against statistics: times as many requests',
    side('dataset', dataset),
    side('statistics', `${dataset}/statistics`),
  );
  const timed: [name: string, query: string][] = [
    ['keyword that is in few paths', 'keyword=FILE-0099999'],
    ['keyword that is in all paths', 'keyword=file'],
    ['sort by size', 'sort=fileSize,desc'],
    ['sort by time of upload', 'sort=uploadTime,desc'],
    ['folders of the root', 'directories=true'],
    ['files below a folder', 'prefix=part-007'],
  ];
  for (const [name, query] of timed) {
    const time = await curl([...headerArgs, '-o', '/dev/null', '-w', '%{time_total}', files(query)]);
    console.log(`  ${name}: ${(Number(time) * 1000).toFixed(1)} ms`);
  }
}
