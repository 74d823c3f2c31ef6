import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { authRoutes, createAuth, loadSharedSigningKey, loadSigningKey, signingKeyFile } from './areas/auth/index.ts';
import { createDataCleaning } from './areas/data-cleaning/index.ts';
import { createDataCollection } from './areas/data-collection/index.ts';
import {
  ArchiveError,
  createDataManagement,
  readArchiveFiles,
  type UploadSettings,
} from './areas/data-management/index.ts';
import { createDataSynthesis } from './areas/data-synthesis/index.ts';
import { createCatalogue, createOperatorMarket, type ReadArchive } from './areas/operator-market/index.ts';
import { createRag } from './areas/rag/index.ts';
import { runRoutes } from './areas/runs/index.ts';
import { createSettings, type RetentionView } from './areas/settings/index.ts';
import type { Config } from './config.ts';
import { runClusterOf } from './cluster-settings.ts';
import { databaseOptions, openConfiguredDatabase, prepareDataDirectory } from './data-directory.ts';
import type { EngineOptions } from './engine/index.ts';
import { openFoundation } from './foundation.ts';
import { createChunkingThread } from './chunking/chunking-thread.ts';
import { addDocsPage } from './http/docs-page.ts';
import { addHealthRoutes } from './http/health.ts';
import { addDiskMetrics } from './http/disk-metrics.ts';
import { createMetrics } from './http/metrics.ts';
import { addOpenApi } from './http/openapi.ts';
import type { AreaApp } from './http/routes.ts';
import { createHttpServer } from './http/server.ts';
import { systemClock, type Clock } from './kernel/clock.ts';
import { createRateLimits } from './kernel/rate-limits.ts';
import { createNodes } from './nodes/index.ts';
import { operators } from './operators/index.ts';
import { keptRuns } from './runs/index.ts';
import { sandboxLimits } from './sandbox/index.ts';
import type { Secrets } from './secrets/index.ts';
import { arePinned, noteIndexesMade } from './storage/backup/index.ts';
import { createTaskFloor } from './tasks/index.ts';
import { translateStorageError } from './storage/blobs/index.ts';
import { createLanceStore } from './storage/vectors/index.ts';
import { freeingSpace, keepReserveForDeletions, openDiskSpace } from './storage/disk-space/index.ts';
import type { Database } from './storage/database/database.ts';
import { loadPlace, lockDirectory } from './storage/database/directory-lock.ts';
import { openSignals } from './storage/database/signals.ts';

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
  /** A newer release has changed the database in a way that this process can't live with: it must end. */
  onOutdated?: (error: Error) => void;
  /** For the work of runs, if other services of this process use them as well. */
  threads?: EngineOptions['threads'];
};

/** A complete service that does not listen yet. */
export type BuiltApp = {
  app: AreaApp;
  /** Generated at the first start if no password was set; available only this once. */
  generatedAdminPassword: string | undefined;
  /** Tells load balancers and other nodes that it will stop; serves calls until `close`. */
  drain(): void;
  /** Stops within 10 s: new calls get 503, calls in flight finish, and the database closes last. */
  close(): Promise<void>;
};

/** Puts the whole service together: this is its architecture diagram. */
export async function buildApp(
  config: Config,
  { version, logger, clock = systemClock, onOutdated = () => {}, threads }: BuildOptions,
): Promise<BuiltApp> {
  const runCluster = runClusterOf(config);
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
    const signals = await openSignals(databaseOptions(config, directory), logger);
    closing.push(() => signals.close());
    const place = await loadPlace(directory);
    const nodes = createNodes({ db, clock, signals, version, place, logger, onOutdated });
    closing.push(() => nodes.leave());
    await nodes.start();

    const isPinned = (): boolean => arePinned(directory);
    const foundation = await openFoundation(config, {
      db,
      directory,
      place,
      clock,
      logger,
      signals,
      closing,
      blobs: { space, isPinned },
      runCluster,
      threads,
    });
    const { secrets, outgoing, models, storage, documents, runs, lane, engine, scratchDirectory } = foundation;
    const { blobs } = storage;
    const signingKey = await signingKeyOf(config, { db, secrets, directory });
    const auth = createAuth({ db, clock, settings: { signingKey, tokenTtlSeconds: config.tokenTtlSeconds }, signals });
    const chunking = createChunkingThread();
    closing.push(() => chunking.close());
    const uploads = uploadSettings(config);
    const viewIndexes = {
      directory: join(directory, 'views'),
      maxBytes: config.viewIndexMb * mebibyte,
      room: { measure: space.measure, spareBytes: config.lowDiskSpaceMb * mebibyte },
    };
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
      hubFileAllowance: config.hubFileAllowance,
      uploads,
      cluster: { nodes, signals },
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
      signals,
      onIndexesWhole: () => noteIndexesMade(directory),
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
    const times = {
      monotonicMs: () => performance.now(),
      wallMs: () => clock.now().getTime(),
      shareOf: (limit: number) => nodes.shareOf(limit),
    };
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
      isLeaving: () => server.leaving,
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
    server.addArea(
      '/settings',
      createSettings({ models, nodes, runs, cluster: runCluster, retention: retentionOf(config) }).routes,
      {
        envelope: true,
      },
    );
    server.addArea('/runs', runRoutes({ tasks }), { envelope: true });
    server.addArea('/operator-market', operatorMarket.routes, { envelope: true });

    server.app.addHook('onListen', async () => nodes.serve(addressOf(server.app, config)));

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
    return {
      app: server.app,
      generatedAdminPassword: created?.generatedPassword,
      drain() {
        server.leave();
        nodes.drain();
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The key that signs tokens: of the setting, else of all nodes in the database, or of the data directory. */
async function signingKeyOf(
  config: Config,
  { db, secrets, directory }: { db: Database; secrets: Secrets; directory: string },
): Promise<Uint8Array> {
  if (config.jwtSecret !== undefined) return Buffer.from(config.jwtSecret);
  const file = signingKeyFile(directory);
  return db.dialect === 'postgres' ? loadSharedSigningKey({ db, secrets, file }) : loadSigningKey(file);
}

/** What administrators see as the address of this node. */
function addressOf(app: AreaApp, { nodeAddress, host }: Config): string {
  const { port } = app.server.address() as AddressInfo;
  return nodeAddress ?? `${/^(0\.0\.0\.0|::)$/.test(host) ? hostname() : host}:${port}`;
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
