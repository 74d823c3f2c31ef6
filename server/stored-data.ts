// Access of commands to stored data, without or beside a running service.
import { join, resolve } from 'node:path';
import { createPasswordHashing, createUsers, type Users } from './areas/auth/index.ts';
import {
  createVerification,
  type Finding,
  type Verification,
  type VerificationOptions,
  type Verified,
} from './areas/data-management/index.ts';
import { listPackageReferences } from './areas/operator-market/index.ts';
import { createRagVerification, type RagFinding } from './areas/rag/index.ts';
import type { Config } from './config.ts';
import {
  blobDirectory,
  databaseOptions,
  openConfiguredDatabase,
  openKeyRing,
  prepareDataDirectory,
} from './data-directory.ts';
import { openStoredObjects } from './blob-storage.ts';
import { findBlobsInNotes, listBlobRuns, listHeldReferences } from './engine/index.ts';
import { systemClock } from './kernel/clock.ts';
import { listRunsOfDataset } from './runs/index.ts';
import { rotateKeys, type Rotation } from './secrets/index.ts';
import { areIndexesToBeMade, requireRestored } from './storage/backup/index.ts';
import { listDataFolders } from './storage/blobs/index.ts';
import type { DatabaseOptions } from './storage/database/database.ts';
import { findPlace } from './storage/database/directory-lock.ts';
import { openDatabaseReadOnly } from './storage/database/read-only-database.ts';
import { createLanceStore } from './storage/vectors/index.ts';

/** `indexesToBeMade`: indexes of knowledge bases that a backup does not contain and the service will rebuild. */
export type VerifiedData = Verified & { indexesToBeMade: number };
export type StoredDataFinding = Finding | RagFinding;

/** User administration for the command line; the service may be stopped. */
export async function openUsers(config: Config): Promise<{ users: Users; close(): Promise<void> }> {
  const directory = await prepareDataDirectory(config);
  const db = await openConfiguredDatabase(config, directory);
  // A running service reloads its cached credentials within seconds; this process caches none.
  const users = createUsers({
    db,
    clock: systemClock,
    passwords: createPasswordHashing(),
    onChange: () => {},
  });
  return { users, close: () => db.close() };
}

/** Encrypts the stored secrets with another key; the service may be running. */
export async function rotateStoredSecrets(
  config: Config,
  { discardUnreadable }: { discardUnreadable: boolean },
): Promise<Rotation> {
  const directory = await prepareDataDirectory(config);
  const db = await openConfiguredDatabase(config, directory);
  try {
    const keys = await openKeyRing(config, directory);
    return await rotateKeys({ db, keys, clock: systemClock, discardUnreadable });
  } finally {
    await db.close();
  }
}

/** Verification of all stored data; `verify` yields the problems and returns what was checked. */
export type StoredDataCheck = Pick<Verification, 'measure'> & {
  verify(options: VerificationOptions): AsyncGenerator<StoredDataFinding, VerifiedData, void>;
};

/** Opens stored data for verification by the command line. Changes nothing; the service may be running. */
export async function openVerification(
  config: Config,
): Promise<{ verification: StoredDataCheck; copiedTo: string | undefined; close(): Promise<void> }> {
  const directory = resolve(config.dataDir);
  await requireRestored(directory);
  const db = await openDatabaseReadOnly(databaseOptions(config, directory));
  const objects = await openStoredObjects(config, db).catch(async (error: unknown) => {
    await db.close();
    throw error;
  });
  const place = (await findPlace(directory)) ?? '';
  const vectors = createLanceStore({ directory: join(directory, 'vectors'), logger: { warn() {} } });
  const isShared = async (): Promise<boolean> =>
    db.dialect === 'postgres' && (await listDataFolders(db.read)).some((folder) => folder.place !== place);
  const rag = createRagVerification({
    db,
    vectors,
    isShared,
    areToBeMade: () => areIndexesToBeMade(directory),
  });
  const data = createVerification({
    db,
    directory: objects === undefined ? blobDirectory(directory) : '',
    objects,
    place: objects === undefined ? place : undefined,
    holdings: {
      listHolders: (blobIds) => listBlobRuns(db.scan, blobIds),
      listDocuments: rag.listHolders,
      findInNotes: (blobIds) => findBlobsInNotes(db.scan, blobIds),
      listRunsOf: (datasetId) => listRunsOfDataset(db.scan, datasetId),
      listReferences: async (page) => {
        const ofRuns = await listHeldReferences(db.scan, page);
        if (page.runIds !== undefined) return ofRuns;
        const others = mergeReferences(
          await rag.listReferences(page),
          await listPackageReferences(db.scan, page),
          page.limit,
        );
        return mergeReferences(ofRuns, others, page.limit);
      },
    },
  });
  return {
    copiedTo: db.copiedTo,
    verification: {
      measure: data.measure,
      async *verify(options) {
        const verified = yield* data.verify(options);
        if (options.datasetId !== undefined) return { ...verified, indexesToBeMade: 0 };
        return { ...verified, ...(yield* rag.verify()) };
      },
    },
    async close() {
      await vectors.close();
      objects?.close();
      await db.close();
    },
  };
}

type References = readonly { blobId: string; references: number }[];

/** Merges two lists sorted by id; returns the first `limit` entries. */
function mergeReferences(one: References, other: References, limit: number): References {
  const counts = new Map(one.map(({ blobId, references }) => [blobId, references]));
  for (const { blobId, references } of other) counts.set(blobId, (counts.get(blobId) ?? 0) + references);
  return [...counts]
    .map(([blobId, references]) => ({ blobId, references }))
    .sort((a, b) => (a.blobId < b.blobId ? -1 : 1))
    .slice(0, limit);
}

/** The locations of all data to back up or restore. */
export function storedIn(config: Config): { dataDirectory: string; blobDirectory: string; database: DatabaseOptions } {
  const directory = resolve(config.dataDir);
  return {
    dataDirectory: directory,
    blobDirectory: blobDirectory(directory),
    database: databaseOptions(config, directory),
  };
}
