// The common part of the service and the cluster's drivers: everything from the database to the engine.
import { join } from 'node:path';
import type { Logger } from 'pino';
import { createPackageStore } from './areas/operator-market/index.ts';
import { openConfiguredBlobs } from './blob-storage.ts';
import type { Config } from './config.ts';
import { openKeyRing } from './data-directory.ts';
import { createDocuments, type Documents } from './documents/index.ts';
import { createEngine, type Cluster, type Engine, type EngineOptions } from './engine/index.ts';
import type { Clock } from './kernel/clock.ts';
import { parseDestination } from './kernel/destination.ts';
import type { Lifetime } from './kernel/lifetime.ts';
import { createModels, modelsDirectoryOf, type Models } from './models/index.ts';
import { createOutgoing, type Outgoing } from './outgoing/index.ts';
import { createRuns, type RunCluster, type Runs, type RunsOptions } from './runs/index.ts';
import { checkLane, type LaneName } from './sandbox/index.ts';
import { createSecrets, type Secrets } from './secrets/index.ts';
import type { BlobStore, BlobStoreOptions } from './storage/blobs/index.ts';
import type { Database } from './storage/database/database.ts';
import type { Signals } from './storage/database/signals.ts';

export type FoundationOptions = {
  db: Database;
  /** Directory for files; a driver's is deleted with its process. */
  directory: string;
  place: string;
  clock: Clock;
  logger: Logger;
  signals: Signals;
  /** Starts and stops each part. */
  lifetime: Lifetime;
  blobs: Pick<BlobStoreOptions, 'space' | 'isPinned' | 'sweeps'>;
  runs?: Pick<RunsOptions, 'maxDriven' | 'maxShort'>;
  /** Drives runs elsewhere than in this process. */
  runCluster?: RunCluster | undefined;
  /** Does the work of the runs driven here, instead of own workers. */
  workCluster?: Cluster;
  shardBytes?: number;
  sharedWorkers?: EngineOptions['sharedWorkers'] | undefined;
};

export type Foundation = {
  secrets: Secrets;
  outgoing: Outgoing;
  models: Models;
  blobs: BlobStore;
  /** Throws if the storage is currently unusable. */
  checkStorage(): Promise<void>;
  documents: Documents;
  runs: Runs;
  lane: LaneName;
  engine: Engine;
  scratchDirectory: string;
};

export async function openFoundation(config: Config, options: FoundationOptions): Promise<Foundation> {
  const { db, directory, place, clock, logger, signals, lifetime, runCluster, workCluster, shardBytes, sharedWorkers } =
    options;
  const keys = await openKeyRing(config, directory);
  const secrets = createSecrets({ db, keys, clock, logger, requireKey: db.dialect === 'postgres' });
  await secrets.start();
  const outgoing = createOutgoing({ allow: config.outgoingAllow.map(parseDestination) });
  const models = createModels({
    db,
    clock,
    logger,
    secrets,
    outgoing,
    modelsDirectory: modelsDirectoryOf(directory),
    replyRetentionDays: config.modelReplyRetentionDays,
    // A driver has its own place, by which the service aborts its calls when it is lost.
    processId: workCluster === undefined ? undefined : place,
  });
  // Parts stop in reverse order: connections close before models commit the data they carried.
  lifetime.add(models);
  lifetime.add({ stop: () => outgoing.close() });

  const { blobs, check: checkStorage } = await openConfiguredBlobs(config, directory, {
    db,
    place,
    logger,
    ...options.blobs,
  });
  lifetime.add({ stop: () => blobs.close() });
  const documents = createDocuments({
    timeoutMs: config.documentTimeoutSeconds * 1000,
    memoryMb: config.documentMemoryMb,
    ...(config.documentProcesses === 0 ? {} : { processes: config.documentProcesses }),
  });
  lifetime.add({ stop: () => documents.close() });
  const scratchDirectory = join(directory, 'scratch');
  const lane = laneOf(config, logger);
  const runs = createRuns({
    db,
    clock,
    logger,
    place,
    leaseMs: config.runLeaseSeconds * 1000,
    retentionDays: config.runRetentionDays,
    signals,
    cluster: runCluster,
    onDriverLost: models.endProcess,
    ...options.runs,
  });
  const engine = createEngine({
    db,
    blobs,
    runs,
    models,
    documents,
    scratchDirectory,
    sandbox: { lane, source: createPackageStore({ db, blobs }) },
    ...engineSettings(config),
    onWorkerLost: (why) => logger.warn({ why }, 'a worker process ended at work'),
    ...(workCluster === undefined ? {} : { cluster: workCluster }),
    ...(shardBytes === undefined ? {} : { shardBytes }),
    ...(sharedWorkers === undefined ? {} : { sharedWorkers }),
  });
  lifetime.add(engine);
  return { secrets, outgoing, models, blobs, checkStorage, documents, runs, lane, engine, scratchDirectory };
}

/** The lane of the sandbox: as configured, or else the fast one if it works here. */
function laneOf({ sandboxLane }: Config, logger: Logger): LaneName {
  if (sandboxLane === 'safe') return 'SAFE';
  const checked = checkLane();
  if (checked.lane === 'FAST') logger.info({ lane: 'FAST' }, 'Published operators run in the fast lane of the sandbox');
  else
    logger.warn(
      { lane: 'SAFE', why: checked.why },
      'Published operators run in the safe lane of the sandbox: it is slower',
    );
  return checked.lane;
}

function engineSettings(config: Config) {
  const { runWorkers, runWorkersIn, runWorkerMemoryMb, sampleTimeoutSeconds, archiveMaxBytes, archiveMaxRatio } =
    config;
  return {
    ...(runWorkers === 0 ? {} : { workers: runWorkers }),
    workersIn: runWorkersIn,
    workerMemoryMb: runWorkerMemoryMb,
    sampleTimeoutMs: sampleTimeoutSeconds * 1000,
    unpackLimits: { maxBytes: archiveMaxBytes, maxRatio: archiveMaxRatio },
  };
}
