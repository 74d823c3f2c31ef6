import { join } from 'node:path';
import type { Logger } from 'pino';
import { contributionsOf, type Area } from './area.ts';
import {
  documentLimits,
  readPackageArchive,
  retentionOf,
  tableQueries,
  uploadSettings,
  viewIndexes,
} from './area-settings.ts';
import {
  createAuth,
  createAuthArea,
  loadSharedSigningKey,
  loadSigningKey,
  signingKeyFile,
} from './areas/auth/index.ts';
import { createDataCleaning } from './areas/data-cleaning/index.ts';
import { createDataCollection } from './areas/data-collection/index.ts';
import { createDataManagement, createDatasetContents } from './areas/data-management/index.ts';
import { createDataSynthesis } from './areas/data-synthesis/index.ts';
import { createCatalogue, createOperatorMarket } from './areas/operator-market/index.ts';
import { createRag } from './areas/rag/index.ts';
import { createRunArea } from './areas/runs/index.ts';
import { createSettings } from './areas/settings/index.ts';
import type { Config } from './config.ts';
import { runClusterOf } from './cluster-settings.ts';
import { databaseOptions, openConfiguredDatabase, prepareDataDirectory } from './data-directory.ts';
import type { EngineOptions } from './engine/index.ts';
import { openFoundation } from './foundation.ts';
import { createChunkingThread } from './chunking/chunking-thread.ts';
import type { AreaApp } from './http/routes.ts';
import { systemClock, type Clock } from './kernel/clock.ts';
import { createLifetime } from './kernel/lifetime.ts';
import { createNodes } from './nodes/index.ts';
import { operators } from './operators/index.ts';
import { sandboxLimits } from './sandbox/index.ts';
import { createWebServer } from './web-server.ts';
import type { Secrets } from './secrets/index.ts';
import { arePinned, noteIndexesMade } from './storage/backup/index.ts';
import { createTaskFloor } from './tasks/index.ts';
import { createLanceStore } from './storage/vectors/index.ts';
import { keepReserveForDeletions, openDiskSpace } from './storage/disk-space/index.ts';
import type { Database } from './storage/database/database.ts';
import { loadPlace, lockDirectory } from './storage/database/directory-lock.ts';
import { openSignals } from './storage/database/signals.ts';

export { createLogger } from './http/logger.ts';

const mebibyte = 1024 * 1024;

/** Calls still in flight after this time are aborted, so that the process ends within 10 s. */
const graceMs = 8_000;

export type BuildOptions = {
  version: string;
  logger: Logger;
  clock?: Clock;
  /** Called when a newer release has made the database incompatible with this process, which must then end. */
  onOutdated?: (error: Error) => void;
  /** Threads for the work of runs, if shared with other services in this process. */
  sharedWorkers?: EngineOptions['sharedWorkers'];
};

/** A complete service that is not listening yet. */
export type BuiltApp = {
  app: AreaApp;
  /** Generated at the first start if no password was set; available only once. */
  generatedAdminPassword: string | undefined;
  /** Announces to load balancers and other nodes that it will stop; serves calls until `close`. */
  drain(): void;
  /** Stops within 10 s: new calls get 503, calls in flight finish, and the database closes last. */
  close(): Promise<void>;
};

/** Assembles the whole service: its architecture diagram in code. */
export async function buildApp(
  config: Config,
  { version, logger, clock = systemClock, onOutdated = () => {}, sharedWorkers }: BuildOptions,
): Promise<BuiltApp> {
  const runCluster = runClusterOf(config);
  const directory = await prepareDataDirectory(config);
  const lifetime = createLifetime();
  let graceEndsAt = 0;
  try {
    const lock = lockDirectory(directory);
    lifetime.add({ stop: () => lock.release() });
    // Opened before the database, which cannot be opened on a full disk otherwise.
    const space = await openDiskSpace({
      directory,
      reserveBytes: config.diskReserveMb * mebibyte,
      lowBytes: config.lowDiskSpaceMb * mebibyte,
      logger,
    });
    lifetime.add({ stop: () => space.close() });
    const opened = await openConfiguredDatabase(config, directory);
    lifetime.add({ stop: () => opened.close() });
    const db = keepReserveForDeletions(opened, space);
    const signals = await openSignals(databaseOptions(config, directory), logger);
    lifetime.add({ stop: () => signals.close() });
    const place = await loadPlace(directory);
    const nodes = createNodes({ db, clock, signals, version, place, logger, onOutdated });
    lifetime.add({ stop: () => nodes.leave() });
    await nodes.start();

    const isPinned = (): boolean => arePinned(directory);
    const foundation = await openFoundation(config, {
      db,
      directory,
      place,
      clock,
      logger,
      signals,
      lifetime,
      blobs: { space, isPinned },
      runCluster,
      sharedWorkers,
    });
    const { secrets, models, runs, lane } = foundation;
    const auth = createAuth({
      db,
      clock,
      settings: {
        signingKey: await signingKeyOf(config, { db, secrets, directory }),
        tokenTtlSeconds: config.tokenTtlSeconds,
      },
      signals,
    });
    const chunking = createChunkingThread();
    lifetime.add({ stop: () => chunking.close() });
    const contents = createDatasetContents({
      ...foundation,
      db,
      clock,
      logger,
      viewIndexes: viewIndexes(config, directory, space),
    });
    lifetime.add(contents);
    const vectors = createLanceStore({
      directory: join(directory, 'vectors'),
      residentBytes: config.vectorGraphMb * mebibyte,
      logger,
    });
    lifetime.add({ stop: () => vectors.close() });
    const tasks = createTaskFloor({ db, clock, logger, runs });
    const services = {
      ...foundation,
      db,
      clock,
      logger,
      signals,
      nodes,
      runCluster,
      chunking,
      vectors,
      tasks,
      contents,
      datasets: contents.access,
      measureSpace: space.measure,
    };

    const cleaning = createDataCleaning({ ...services, catalogue: createCatalogue({ db, operators }) });
    const { references } = cleaning;
    const contributing: readonly Area[] = [
      cleaning,
      createDataCollection({ ...services, roots: config.collectionRoots }),
      createDataSynthesis(services),
      createRag({
        ...services,
        limits: documentLimits(config),
        onIndexesWhole: () => noteIndexesMade(directory),
      }),
      createSettings({ ...services, retention: retentionOf(config) }),
      createOperatorMarket({
        ...services,
        references,
        readArchive: readPackageArchive,
        sandbox: { lane, limits: sandboxLimits },
      }),
    ];
    const contributions = contributionsOf(contributing);
    const dataManagement = createDataManagement({
      ...services,
      ...contributions,
      hubFileAllowance: config.hubFileAllowance,
      tableQueries: tableQueries(config, directory),
      uploads: uploadSettings(config),
      cluster: { nodes, signals },
    });
    const areas: readonly Area[] = [
      createAuthArea(auth),
      dataManagement,
      ...contributing,
      createRunArea({ ...services, ...contributions }),
    ];
    for (const area of areas) lifetime.add(area);
    lifetime.add({ stop: () => models.awaitReplies(graceEndsAt - performance.now()) });
    lifetime.add(runs);
    lifetime.add(tasks);

    const server = await createWebServer(config, {
      version,
      lifetime,
      graceMs,
      logger,
      clock,
      nodes,
      auth,
      areas,
      space,
      secrets,
      checkStorage: foundation.checkStorage,
      hubRoutes: dataManagement.hubRoutes,
    });

    await server.app.ready();
    lifetime.add({
      // Started last: until then everything may write, even to a full disk.
      start: () => space.start(),
      stop: () => void (graceEndsAt = performance.now() + graceMs),
    });
    await lifetime.start();
    // Done last: if the start failed after this, the generated password would never be shown.
    const created = await auth.users.ensureAdmin(config.adminPassword);
    return {
      app: server.app,
      generatedAdminPassword: created?.generatedPassword,
      drain() {
        server.leave();
        nodes.drain();
      },
      close: () => lifetime.stop(),
    };
  } catch (error) {
    await lifetime.stop();
    throw error;
  }
}

/**
 * The key that signs tokens: from the setting, else shared by all nodes in the database, else from the data directory.
 */
async function signingKeyOf(
  config: Config,
  { db, secrets, directory }: { db: Database; secrets: Secrets; directory: string },
): Promise<Uint8Array> {
  if (config.jwtSecret !== undefined) return Buffer.from(config.jwtSecret);
  const file = signingKeyFile(directory);
  return db.dialect === 'postgres' ? loadSharedSigningKey({ db, secrets, file }) : loadSigningKey(file);
}
