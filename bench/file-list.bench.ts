// Commits of files and pages of their list. Each ratio is the median of interleaved pairs, with the smallest and largest.
// `TILTH_BENCH_FILES` sets the number of files (1,000,000), `TILTH_BENCH_DATABASE_URL` a PostgreSQL to use instead of SQLite.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatasets } from '../server/areas/data-management/datasets/datasets.ts';
import { createFiles } from '../server/areas/data-management/files/files.ts';
import type { FilesQuery } from '../server/areas/data-management/schemas/files.ts';
import { systemClock } from '../server/kernel/clock.ts';
import { openDatabase, type Database } from '../server/storage/database/database.ts';
import { createBenchCommits, fileSlices, insertBlobs, newFiles } from './many-files.ts';
import { printMachine } from './machine.ts';

const total = Number(process.env.TILTH_BENCH_FILES ?? 1_000_000);
const url = process.env.TILTH_BENCH_DATABASE_URL;
const pairs = 31;

printMachine();
const directory = await mkdtemp(join(tmpdir(), 'tilth-bench-'));
const db = await openDatabase(url === undefined ? { file: join(directory, 'tilth.db') } : { url });
try {
  await measure(db);
} finally {
  await db.close();
  await rm(directory, { recursive: true });
}

async function measure(db: Database): Promise<void> {
  const commits = createBenchCommits();
  const datasets = createDatasets({ db, clock: systemClock, isBusy: async () => false, onRemoved: () => {} });
  const files = createFiles({ db, commits });
  await insertBlobs(db);
  const create = async () => (await datasets.create({ name: 'bench', type: 'TEXT' }, 'bench')).id;
  const options = { by: 'bench', onConflict: 'REPLACE' } as const;

  const small = await create();
  const begun = performance.now();
  for (let start = 0; start < 20_000; start += 64) {
    const batch = [...newFiles(start, Math.min(20_000, start + 64))];
    await db.write((tx) => commits.add(tx, { ...options, datasetId: small, files: batch }));
  }
  report('20,000 files in commits of 64', performance.now() - begun, 20_000);

  for (const count of [Math.min(100_000, total), total]) {
    const datasetId = await create();
    const idle = process.memoryUsage.rss();
    let peak = idle;
    const begun = performance.now();
    const slices = fileSlices(count, () => (peak = Math.max(peak, process.memoryUsage.rss())));
    await db.write((tx) => commits.addAll(tx, { ...options, datasetId, slices }));
    report(`${count.toLocaleString('en')} files in one commit`, performance.now() - begun, count);
    console.log(`  resident memory over idle: ${Math.round((peak - idle) / 2 ** 20)} MiB`);
    if (count === total) await measurePages(datasetId);
  }

  async function measurePages(id: string): Promise<void> {
    const page = (query: Partial<FilesQuery>) => () =>
      files.list(id, { page: 0, size: 20, directories: false, ...query });
    const last = (query: Partial<FilesQuery>, share: number) => ({
      ...query,
      page: Math.floor((total * share * 0.8) / 20),
    });
    const cases: [name: string, query: Partial<FilesQuery>, share: number][] = [
      ['unfiltered', {}, 1],
      ['by type', { fileType: 'jsonl' }, 0.25],
      ['by status COMPLETED', { status: 'COMPLETED' }, 0.9],
      ['by status ERROR', { status: 'ERROR' }, 0.1],
      ['by type and status', { fileType: 'jsonl', status: 'ERROR' }, 0.05],
      ['backwards', { sort: 'filePath,desc' }, 1],
    ];
    for (const [name, query, share] of cases) {
      const deep = last(query, share);
      await compare(`page ${deep.page.toLocaleString('en')} against page 0, ${name}`, page(deep), page(query));
    }
    await compare(
      'statistics against the dataset itself',
      () => datasets.statistics(id),
      () => datasets.get(id),
    );
    const timed: [name: string, call: () => Promise<unknown>][] = [
      ['keyword that is in few paths', page({ keyword: 'FILE-0099999' })],
      ['keyword that is in all paths', page({ keyword: 'file' })],
      ['sort by size', page({ sort: 'fileSize,desc' })],
      ['folders of the root', page({ directories: true })],
      ['files below a folder', page({ prefix: 'part-007' })],
      ['version 1', page({ version: 1 })],
    ];
    for (const [name, call] of timed) {
      const begun = performance.now();
      await call();
      console.log(`  ${name}: ${(performance.now() - begun).toFixed(1)} ms`);
    }
    const endBegun = performance.now();
    const { endedFiles } = await db.write((tx) => commits.end(tx, { datasetId: id, by: 'bench', prefix: 'part-007' }));
    report(`end a folder of ${endedFiles.toLocaleString('en')} files`, performance.now() - endBegun, endedFiles);
  }
}

async function compare(name: string, left: () => Promise<unknown>, right: () => Promise<unknown>): Promise<void> {
  await timeOf(left);
  await timeOf(right);
  const times: { left: number; right: number }[] = [];
  for (let pair = 0; pair < pairs; pair++) times.push({ left: await timeOf(left), right: await timeOf(right) });
  const ratios = times.map((time) => time.left / time.right).sort((a, b) => a - b);
  const middle = Math.floor(pairs / 2);
  const of = (values: number[]) => values.sort((a, b) => a - b)[middle] ?? 0;
  console.log(
    `  ${name}: ${(ratios[middle] ?? 0).toFixed(2)}× (${(ratios[0] ?? 0).toFixed(2)}–${(ratios.at(-1) ?? 0).toFixed(2)}), ` +
      `${of(times.map((time) => time.left)).toFixed(3)} ms against ${of(times.map((time) => time.right)).toFixed(3)} ms`,
  );
}

/** Milliseconds of one call, over ten in a row. */
async function timeOf(call: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  for (let index = 0; index < 10; index++) await call();
  return (performance.now() - begun) / 10;
}

function report(name: string, ms: number, count: number): void {
  console.log(
    `  ${name}: ${(ms / 1000).toFixed(2)} s, ${Math.round((count / ms) * 1000).toLocaleString('en')} a second`,
  );
}
