import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { authRoutes, createAuth, loadSigningKey, signingKeyFile } from './areas/auth/index.ts';
import { createDataCleaning } from './areas/data-cleaning/index.ts';
import { createDataCollection } from './areas/data-collection/index.ts';
import {
  ArchiveError,
  createDataManagement,
  readArchiveFiles,
  type UploadSettings,
} from './areas/data-management/index.ts';
import { createDataSynthesis } from './areas/data-synthesis/index.ts';
import {
  createCatalogue,
  createOperatorMarket,
  createPackageStore,
  type ReadArchive,
} from './areas/operator-market/index.ts';
import { createRag } from './areas/rag/index.ts';
import { runRoutes } from './areas/runs/index.ts';
import { createSettings, type RetentionView } from './areas/settings/index.ts';
import type { Config } from './config.ts';
import { openConfiguredBlobs } from './blob-storage.ts';
import { openConfiguredDatabase, openKeyRing, prepareDataDirectory } from './data-directory.ts';
import { createChunkingThread } from './chunking/chunking-thread.ts';
import { createDocuments } from './documents/index.ts';
import { createEngine } from './engine/index.ts';
import { addDocsPage } from './http/docs-page.ts';
import { addHealthRoutes } from './http/health.ts';
import { addDiskMetrics } from './http/disk-metrics.ts';
import { createMetrics } from './http/metrics.ts';
import { addOpenApi } from './http/openapi.ts';
import type { AreaApp } from './http/routes.ts';
import { createHttpServer } from './http/server.ts';
import { systemClock, type Clock } from './kernel/clock.ts';
import { errors, unavailable, type AppError } from './kernel/errors.ts';
import { parseDestination } from './kernel/destination.ts';
import { createRateLimits } from './kernel/rate-limits.ts';
import { createModels, modelsDirectoryOf } from './models/index.ts';
import { operators } from './operators/index.ts';
import { createOutgoing } from './outgoing/index.ts';
import { createRuns, keptRuns } from './runs/index.ts';
import { checkLane, sandboxLimits, type LaneName } from './sandbox/index.ts';
import { createSecrets } from './secrets/index.ts';
import { arePinned } from './storage/backup/index.ts';
import { createTaskFloor } from './tasks/index.ts';
import { createLanceStore } from './storage/vectors/index.ts';
import { freeingSpace, keepReserveForDeletions, openDiskSpace } from './storage/disk-space/index.ts';
import { loadPlace, lockDirectory } from './storage/database/directory-lock.ts';
import { isStorageFull } from './storage/database/sql.ts';
import { isDatabaseUnavailable } from './storage/database/unavailable.ts';

/** Folder of the built web application in a checkout. */
const webFolder = fileURLToPath(new URL('../web/dist', import.meta.url));

export { createLogger } from './http/logger.ts';

const mebibyte = 1024 * 1024;

/** Calls still in flight after this time are cut, so that the process ends within 10 s. */
const graceMs = 8_000;

export type BuildOptions = {
  version: string;
  logger: Logger;
  clock?: Clock;
};

/** A complete service that does not listen yet. */
export type BuiltApp = {
  app: AreaApp;
  /** Generated at the first start if no password was set; available only this once. */
  generatedAdminPassword: string | undefined;
  /** Stops within 10 s: new calls get 503, calls in flight finish, and the database closes last. */
  close(): Promise<void>;
};

/** Puts the whole service together: this is its architecture diagram. */
export async function buildApp(
  config: Config,
  { version, logger, clock = systemClock }: BuildOptions,
): Promise<BuiltApp> {
  const directory = await prepareDataDirectory(config);
  const closing: (() => unknown)[] = [];
  let graceEndsAt = 0;
  const close = async (): Promise<void> => {
    graceEndsAt = performance.now() + graceMs;
    for (const step of closing.splice(0).reverse()) await step();
  };
  try {
    const lock = lockDirectory(directory);
    closing.push(() => lock.release());
    // Before the database: on a full disk it can't be opened otherwise.
    const space = await openDiskSpace({
      directory,
      reserveBytes: config.diskReserveMb * mebibyte,
      lowBytes: config.lowDiskSpaceMb * mebibyte,
      logger,
    });
    closing.push(() => space.close());
    const opened = await openConfiguredDatabase(config, directory);
    closing.push(() => opened.close());
    const db = keepReserveForDeletions(opened, space);

    const signingKey =
      config.jwtSecret === undefined ? await loadSigningKey(signingKeyFile(directory)) : Buffer.from(config.jwtSecret);
    const auth = createAuth({ db, clock, settings: { signingKey, tokenTtlSeconds: config.tokenTtlSeconds } });

    const secrets = createSecrets({ db, keys: await openKeyRing(config, directory), clock, logger });
    await secrets.start();
    const outgoing = createOutgoing({ allow: config.outgoingAllow.map(parseDestination) });
    const modelsDirectory = modelsDirectoryOf(directory);
    const models = createModels({
      db,
      clock,
      logger,
      secrets,
      outgoing,
      modelsDirectory,
      replyRetentionDays: config.modelReplyRetentionDays,
    });
    // Connections close before the data that they carried is committed.
    closing.push(() => models.stop());
    closing.push(() => outgoing.close());

    const isPinned = (): boolean => arePinned(directory);
    const place = await loadPlace(directory);
    const storage = await openConfiguredBlobs(config, directory, { db, place, space, isPinned, logger });
    const { blobs } = storage;
    closing.push(() => blobs.close());
    const documents = createDocuments({
      timeoutMs: config.documentTimeoutSeconds * 1000,
      memoryMb: config.documentMemoryMb,
      ...(config.documentProcesses === 0 ? {} : { processes: config.documentProcesses }),
    });
    closing.push(() => documents.close());
    const chunking = createChunkingThread();
    closing.push(() => chunking.close());
    const scratchDirectory = join(directory, 'scratch');
    const lane = laneOf(config, logger);
    const runs = createRuns({
      db,
      clock,
      logger,
      place,
      leaseMs: config.runLeaseSeconds * 1000,
      retentionDays: config.runRetentionDays,
    });
    const engine = createEngine({
      db,
      blobs,
      runs,
      models,
      documents,
      scratchDirectory,
      sharesBytes: storage.shared !== undefined,
      sandbox: { lane, source: createPackageStore({ db, blobs }) },
      ...engineSettings(config),
    });
    closing.push(() => engine.stop());
    const uploads = uploadSettings(config);
    const viewIndexes = { directory: join(directory, 'views'), maxBytes: config.viewIndexMb * mebibyte };
    const tableQueries = {
      directory: join(directory, 'queries'),
      memoryBytes: config.queryMemoryMb * mebibyte,
      diskBytes: config.queryDiskMb * mebibyte,
      timeoutMs: config.querySeconds * 1000,
    };
    const dataManagement = createDataManagement({
      db,
      blobs,
      clock,
      engine,
      runs,
      viewIndexes,
      tableQueries,
      logger,
      uploads,
    });
    closing.push(() => dataManagement.stop());
    const vectors = createLanceStore({
      directory: join(directory, 'vectors'),
      residentBytes: config.vectorGraphMb * mebibyte,
      logger,
    });
    closing.push(() => vectors.close());
    const limits = documentLimits(config);
    const rag = createRag({
      db,
      clock,
      blobs,
      documents,
      chunking,
      models,
      runs,
      vectors,
      dataManagement,
      limits,
      measureSpace: space.measure,
      logger,
    });
    closing.push(() => rag.stop());
    closing.push(() => models.awaitReplies(graceEndsAt - performance.now()));
    closing.push(() => runs.stop());
    dataManagement.addBusyCheck(runs.isDatasetBusy);
    dataManagement.addContentHolder(rag.fileErasure);
    dataManagement.addLineageSources({ ...rag.lineage, findModelNames: models.registry.findNames });
    const tasks = createTaskFloor({ db, clock, logger, runs });
    tasks.addRunNames(rag.runNames);
    closing.push(() => tasks.stop());
    const dataCleaning = createDataCleaning({
      db,
      clock,
      engine,
      models,
      runs,
      tasks,
      dataManagement,
      catalogue: createCatalogue({ db, operators }),
    });
    const roots = config.collectionRoots;
    const dataCollection = createDataCollection({
      db,
      clock,
      blobs,
      secrets,
      outgoing,
      roots,
      scratchDirectory,
      runs,
      tasks,
      dataManagement,
    });

    const dataSynthesis = createDataSynthesis({
      db,
      clock,
      blobs,
      engine,
      models,
      chunking,
      runs,
      tasks,
      dataManagement,
    });

    const operatorMarket = createOperatorMarket({
      db,
      clock,
      blobs,
      tasks,
      engine,
      references: dataCleaning.references,
      dataManagement,
      readArchive: readPackageArchive,
      sandbox: { lane, limits: sandboxLimits },
    });
    closing.push(() => operatorMarket.stop());

    const metrics = createMetrics();
    const times = { monotonicMs: () => performance.now(), wallMs: () => clock.now().getTime() };
    const server = createHttpServer({
      basePath: config.basePath,
      authenticator: auth.sessions,
      limits: createRateLimits({
        windows: [
          { limit: config.rateLimitPerMinute, spanMs: 60_000 },
          { limit: config.rateLimitPerHour, spanMs: 3_600_000 },
        ],
        ...times,
      }),
      cookieLimits: createRateLimits({
        windows: [{ limit: config.cookieRateLimitPerMinute, spanMs: 60_000 }],
        ...times,
      }),
      metrics,
      logger,
      clock,
      trustedProxies: config.trustedProxies,
      connections: {
        max: config.maxConnections,
        headersMs: config.headersTimeoutSeconds * 1000,
        stallMs: config.stallTimeoutSeconds * 1000,
      },
      translateError: translateStorageError,
      freeingSpace,
    });
    closing.push(() => server.close(graceMs));

    await addOpenApi(server.app, { version });
    addDocsPage(server.app, { atRoot: !(await server.addWebApp(webFolder)) });
    addHealthRoutes(server.app, {
      metrics,
      metricsAccess: config.metricsAccess,
      checks: { database: () => auth.users.exist(), storage: storage.check },
      isDraining: () => server.draining,
      measureDisk: space.measure,
      findKeyProblem: secrets.findKeyProblem,
    });
    addDiskMetrics(metrics, space.measure);
    server.addArea('/auth', authRoutes(auth));
    server.addArea('/data-management', dataManagement.routes);
    server.app.register(async (app) => dataManagement.hubRoutes(app));
    server.addArea('/data-cleaning', dataCleaning.routes, { envelope: true });
    server.addArea('/data-collection', dataCollection.routes, { envelope: true });
    server.addArea('/data-synthesis', dataSynthesis.routes, { envelope: true });
    server.addArea('/rag', rag.routes, { envelope: true });
    server.addArea('/settings', createSettings({ models, retention: retentionOf(config) }).routes, { envelope: true });
    server.addArea('/runs', runRoutes({ tasks }), { envelope: true });
    server.addArea('/operator-market', operatorMarket.routes, { envelope: true });

    await server.app.ready();
    dataManagement.start();
    await models.start();
    await dataCleaning.start();
    await dataSynthesis.start();
    await engine.start();
    await runs.start();
    tasks.start();
    rag.start();
    space.start();
    // Last: if the start failed after this, the generated password would never be shown.
    const created = await auth.users.ensureAdmin(config.adminPassword);
    return { app: server.app, generatedAdminPassword: created?.generatedPassword, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function uploadSettings(config: Config): Partial<UploadSettings> {
  return {
    chunkAllowance: config.uploadChunkAllowance,
    idleMs: config.uploadTtlSeconds * 1000,
    maxChunkBytes: config.maxChunkBytes,
    archives: {
      maxEntries: config.archiveMaxEntries,
      maxTotalBytes: config.archiveMaxBytes,
      maxRatio: config.archiveMaxRatio,
      ratioFreeBytes: 100 * 1024 * 1024,
    },
  };
}

/** Packages of operators are small: a bomb is refused long before it hurts. */
const packageLimits = {
  maxEntries: 200,
  maxTotalBytes: 16 * mebibyte,
  maxRatio: 100,
  ratioFreeBytes: mebibyte,
};

const readPackageArchive: ReadArchive = async (bytes) => {
  try {
    return await readArchiveFiles(bytes, packageLimits);
  } catch (error) {
    if (error instanceof ArchiveError) return { files: new Map(), refusals: [], problem: error.message };
    throw error;
  }
};

/** The lane of the sandbox: the one that is set, or the fast one where it works. */
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

const storageFailed = 'The disk or the database failed during this call; the log has the cause under this request id';

function translateStorageError(error: unknown): AppError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (isStorageFull(cause)) return errors.INSUFFICIENT_STORAGE({}, { cause: error });
    if (isDatabaseUnavailable(cause) || (cause as NodeJS.ErrnoException).code === 'EIO')
      return unavailable(storageFailed, 1, error);
  }
  return undefined;
}

function retentionOf({ runRetentionDays, modelReplyRetentionDays }: Config): RetentionView {
  const forGoodAt0 = (days: number): number | null => (days === 0 ? null : days);
  return {
    runDays: forGoodAt0(runRetentionDays),
    runsKeptPerTask: keptRuns,
    modelReplyDays: forGoodAt0(modelReplyRetentionDays),
  };
}

function documentLimits(config: Config) {
  return {
    maxDocuments: config.ragMaxDocuments,
    maxBytes: config.ragMaxDocumentMb * mebibyte,
    maxCharacters: config.ragMaxDocumentCharacters,
    maxReadings: config.ragMaxReadings,
    htmlPart: config.ragHtml,
    keptDays: config.modelReplyRetentionDays,
  };
}

function engineSettings(config: Config) {
  const { runWorkers, runWorkerMemoryMb, sampleTimeoutSeconds, archiveMaxBytes, archiveMaxRatio } = config;
  return {
    ...(runWorkers === 0 ? {} : { workers: runWorkers }),
    workerMemoryMb: runWorkerMemoryMb,
    sampleTimeoutMs: sampleTimeoutSeconds * 1000,
    unpackLimits: { maxBytes: archiveMaxBytes, maxRatio: archiveMaxRatio },
  };
}
