// Time from the start of the process to its first response: with TILTH_BENCH_FILES files (1,000,000) in a dataset
// against an empty database, and a bare Fastify. Each figure is one start; the compile cache is warm, as with `npm
// start`.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatasets } from '../server/areas/data-management/datasets/datasets.ts';
import { systemClock } from '../server/kernel/clock.ts';
import { openDatabase } from '../server/storage/database/database.ts';
import { printMachine } from './machine.ts';
import { insertManyFiles } from './many-files.ts';
import { comparePairs, medianOf, pairCount } from './pairs.ts';
import { startServer, startService } from './running-service.ts';

const fileCount = Number(process.env['TILTH_BENCH_FILES'] ?? 1_000_000);

printMachine();
const directory = await mkdtemp(join(tmpdir(), 'tilth-bench-'));
try {
  process.env['NODE_COMPILE_CACHE'] = join(directory, 'cache');
  const empty = join(directory, 'empty');
  const full = join(directory, 'full');
  await fill(full);
  const ratio = await comparePairs(
    `start with ${fileCount.toLocaleString('en')} files against an empty database (less is better)`,
    { name: `${fileCount.toLocaleString('en')} files`, unit: 'ms', run: () => start(full) },
    { name: 'empty', unit: 'ms', run: () => start(empty) },
  );
  const bare: number[] = [];
  for (let run = 0; run <= pairCount; run++) bare.push(await startBare());
  const [, ...counted] = bare;
  console.log(`  bare Fastify: ${medianOf(counted).toFixed(0)} ms`);
  if (ratio > 1.2) process.exitCode = 1;
} finally {
  await rm(directory, { recursive: true });
}

async function fill(folder: string): Promise<void> {
  await mkdir(folder);
  const db = await openDatabase({ file: join(folder, 'tilth.db') });
  try {
    const datasets = createDatasets({ db, clock: systemClock, isBusy: async () => false, onRemoved: () => {} });
    const { id } = await datasets.create({ name: 'many files', type: 'TEXT' }, 'bench');
    await insertManyFiles(db, id, fileCount);
  } finally {
    await db.close();
  }
}

/** Milliseconds from the start to the first response; then the service ends. */
async function start(folder: string): Promise<number> {
  const service = await startService(folder);
  await service.stop();
  return service.startMs;
}

async function startBare(): Promise<number> {
  const server = await startServer(['bench/bare-fastify.ts']);
  await server.stop();
  return server.startMs;
}
