// A driver of a cluster: drives one run claimed for it by an API node; talks to the bridge over standard input and
// output.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createDataCleaning } from './areas/data-cleaning/index.ts';
import { createDatasetContents } from './areas/data-management/index.ts';
import { createDataSynthesis } from './areas/data-synthesis/index.ts';
import { createCatalogue } from './areas/operator-market/index.ts';
import { createChunkingThread } from './chunking/chunking-thread.ts';
import { requireShared, taskResources } from './cluster-settings.ts';
import type { Config } from './config.ts';
import { databaseOptions, openConfiguredDatabase } from './data-directory.ts';
import { openFoundation } from './foundation.ts';
import { systemClock } from './kernel/clock.ts';
import { newId } from './kernel/ids.ts';
import { createLifetime } from './kernel/lifetime.ts';
import { openProcessScratch } from './process-scratch.ts';
import { operators } from './operators/index.ts';
import { driverPlacePrefix, type DriverKey } from './runs/index.ts';
import type { Database } from './storage/database/database.ts';
import { openSignals } from './storage/database/signals.ts';
import { isDatabaseUnavailable } from './storage/database/unavailable.ts';
import { createTaskFloor } from './tasks/index.ts';

const mebibyte = 1024 * 1024;
const retryMs = 500;
/** Default time limit of a model call; the bridge and Ray give a driver slightly longer. */
const repliesMs = 120_000;
const stopMs = 2_000;
/** Drives a run to its end, or until this process loses it; returns false if it was not available. */
export async function driveOneRun(config: Config, key: DriverKey, logger: Logger): Promise<boolean> {
  requireShared(config, 'A driver');
  const { stdin: input, stdout: output } = process;
  // Keeps all other output off stdout, which carries orders only.
  Object.defineProperty(process, 'stdout', { value: process.stderr });
  const directory = await openProcessScratch('driver');
  // Background services are not started: they are not the work of a driver.
  const lifetime = createLifetime();
  lifetime.add({ stop: () => rm(directory, { recursive: true, force: true }) });
  try {
    const db = await openDatabase(config, directory);
    lifetime.add({ stop: () => db.close() });
    const clock = systemClock;
    const signals = await openSignals(databaseOptions(config, directory), logger);
    lifetime.add({ stop: () => signals.close() });
    const { blobs, runs, engine, models } = await openFoundation(config, {
      db,
      directory,
      place: `${driverPlacePrefix}${newId()}`,
      clock,
      logger,
      signals,
      lifetime,
      blobs: { sweeps: false },
      runs: { maxDriven: 0, maxShort: 0 },
      workCluster: {
        lines: { input, output },
        resources: taskResources(config),
        countRuns: () => runs.countTakingSlots(),
        onLost: (message) => {
          logger.warn({ runId: key.runId, message }, 'work was lost on the cluster');
          db.write((tx) => runs.log(tx, key.runId, 'WARN', message)).catch(() => {});
        },
        onStandstill: (message, isOver) => {
          db.write((tx) => runs.log(tx, key.runId, isOver ? 'INFO' : 'WARN', message)).catch(() => {});
        },
      },
      shardBytes: config.rayShardMb * mebibyte,
    });
    const contents = createDatasetContents({
      db,
      blobs,
      clock,
      engine,
      runs,
      viewIndexes: { directory: join(directory, 'views'), maxBytes: 0 },
      logger,
    });
    lifetime.add(contents);
    const datasets = contents.access;
    const tasks = createTaskFloor({ db, clock, logger, runs });
    const catalogue = createCatalogue({ db, operators });
    createDataCleaning({ db, clock, engine, models, runs, tasks, datasets, catalogue });
    const chunking = createChunkingThread();
    lifetime.add({ stop: () => chunking.close() });
    createDataSynthesis({
      db,
      clock,
      blobs,
      engine,
      models,
      chunking,
      runs,
      tasks,
      datasets,
    });
    // Calls made before a stop are already paid for, so their replies belong in the ledger.
    lifetime.add({ stop: () => models.awaitReplies(repliesMs) });
    lifetime.add(runs);
    stopOnSignals(runs.stop, () => models.awaitReplies(repliesMs));
    return await runs.driveOne(key);
  } finally {
    await lifetime.stop();
  }
}

/** Waits for an unreachable database, which may just be restarting. */
async function openDatabase(config: Config, directory: string): Promise<Database> {
  for (const deadline = performance.now() + config.databaseWaitSeconds * 1000; ;) {
    try {
      return await openConfiguredDatabase(config, directory);
    } catch (error) {
      if (!isDatabaseUnavailable(error) || performance.now() >= deadline) throw error;
    }
    await pause(retryMs);
  }
}

/**
 * Releases the run at its last checkpoint, so that others need not wait for the lease; then ends the process in any
 * case.
 */
function stopOnSignals(stop: () => Promise<void>, awaitReplies: () => Promise<void>): void {
  let isStopping = false;
  const end = async (): Promise<void> => {
    // Ray and the bridge each send a signal.
    if (isStopping) return;
    isStopping = true;
    stop().catch(() => {});
    await pause(stopMs);
    await awaitReplies();
    await pause(stopMs);
    process.exit(1);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void end());
}
