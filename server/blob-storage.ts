// Opens the storage of file contents according to the settings: in the data folder, or in an object store.
import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { SettingError, type Config } from './config.ts';
import { blobDirectory } from './data-directory.ts';
import {
  openBlobStore,
  refuseObjectStore,
  type BlobStore,
  type BlobStoreOptions,
  type StoredObjects,
  type WorkerBlobs,
} from './storage/blobs/index.ts';
import type { ObjectMover } from './storage/blobs/s3/index.ts';
import type { ReadOnlyDatabase } from './storage/database/read-only-database.ts';

const mebibyte = 1024 * 1024;

export type ConfiguredBlobs = {
  blobs: BlobStore;
  /** Throws if the storage is currently unusable. */
  check(): Promise<void>;
};

/** Opens the configured store. Throws if the database belongs to another one. */
export async function openConfiguredBlobs(
  config: Config,
  directory: string,
  options: Omit<BlobStoreOptions, 'directory'>,
): Promise<ConfiguredBlobs> {
  const checkFolder = (): Promise<void> => access(directory, constants.W_OK);
  if (config.storageUrl === undefined) {
    await refuseObjectStore(options.db);
    return { blobs: await openBlobStore({ ...options, directory: blobDirectory(directory) }), check: checkFolder };
  }
  // Loaded on demand, because loading the S3 client takes a tenth of a second at start.
  const { createS3ObjectStore, openObjectBlobStore } = await import('./storage/blobs/s3/index.ts');
  const store = createS3ObjectStore({ ...locationOf(config), url: config.storageUrl });
  try {
    const blobs = await openObjectBlobStore({
      ...options,
      store,
      url: config.storageUrl,
      scratchDirectory: join(directory, 'object-copies'),
      scratchMaxBytes: config.storageScratchMb * mebibyte,
    });
    return {
      blobs,
      async check() {
        await checkFolder();
        await store.check();
      },
    };
  } catch (error) {
    store.close();
    throw error;
  }
}

/** The objects that `verify` reads instead of the folder; undefined if the contents are in the folder. */
export async function openStoredObjects(
  config: Config,
  db: ReadOnlyDatabase,
): Promise<(StoredObjects & { close(): void }) | undefined> {
  if (config.storageUrl === undefined) {
    await refuseObjectStore(db);
    return undefined;
  }
  const { createS3ObjectStore, openObjects } = await import('./storage/blobs/s3/index.ts');
  return openObjects(db, createS3ObjectStore({ ...locationOf(config), url: config.storageUrl }), config.storageUrl);
}

/** Opens a mover that writes objects into the configured bucket before a store is opened on it. */
export async function openObjectMover(config: Config, url: string): Promise<ObjectMover> {
  const { createObjectMover, createS3ObjectStore } = await import('./storage/blobs/s3/index.ts');
  return createObjectMover(createS3ObjectStore({ ...locationOf(config), url }), url);
}

/** The configured object store for a cluster worker, which has no database. */
export async function openWorkerObjects(config: Config, scratchDirectory: string): Promise<WorkerBlobs> {
  if (config.storageUrl === undefined) {
    throw new SettingError('A worker reads and writes an object store: set TILTH_STORAGE_URL');
  }
  const { createS3ObjectStore, openWorkerBlobs } = await import('./storage/blobs/s3/index.ts');
  const store = createS3ObjectStore({ ...locationOf(config), url: config.storageUrl });
  return openWorkerBlobs({ store, scratchDirectory, scratchMaxBytes: config.storageScratchMb * mebibyte });
}

function locationOf(config: Config): { endpoint: string | undefined; region: string | undefined } {
  return { endpoint: config.storageEndpoint, region: config.storageRegion };
}
