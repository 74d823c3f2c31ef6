import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import type { TestContext } from 'node:test';
import type { BlobStoreOptions } from '../../server/storage/blobs/blob-store-options.ts';
import type { BlobStore, StagedBlob } from '../../server/storage/blobs/blob-store.ts';
import { isMissingFile, openBlobStore } from '../../server/storage/blobs/index.ts';
import {
  createS3ObjectStore,
  markerKey,
  openObjectBlobStore,
  type ObjectBlobStoreOptions,
} from '../../server/storage/blobs/s3/index.ts';
import type { Database } from '../../server/storage/database/database.ts';
import { forAnyDatabase, openNewSqlite } from './databases.ts';
import { credentialsOf, sharedS3, versitygw } from './versitygw.ts';

export type TestStore = {
  store: BlobStore;
  db: Database;
  directory: string;
  /** Closes the store and reopens it over the same folder and database. */
  reopen(options: Partial<TestStoreOptions>): Promise<TestStore>;
};

/** A store over a fresh folder (and database, unless one is given), closed and removed with the test. */
export async function openTestStore(t: TestContext, options: Partial<BlobStoreOptions> = {}): Promise<TestStore> {
  const root = await mkdtemp(join(tmpdir(), 'tilth-blobs-'));
  const db = options.db ?? (await openNewSqlite(join(root, 'database.sqlite')));
  const directory = options.directory ?? join(root, 'blobs');
  let store = await openBlobStore({ ...options, directory, db });
  t.after(async () => {
    await store.close();
    if (options.db === undefined) await db.close();
    await rm(root, { recursive: true, force: true });
  });
  const open = (): TestStore => ({
    store,
    db,
    directory,
    async reopen(changes) {
      await store.close();
      store = await openBlobStore({ ...options, ...changes, directory, db });
      return open();
    },
  });
  return open();
}

type StoreTest = (
  open: (options?: Partial<TestStoreOptions>) => Promise<TestStore>,
  kind: 'folder' | 'S3',
) => Promise<void>;

/** Options of both kinds of store; those of the folder are ignored over S3. */
type TestStoreOptions = Partial<BlobStoreOptions> & Partial<ObjectBlobStoreOptions>;

/**
 * The same test over a folder and over an S3 server, each with one database; `npm run test:long` runs both databases.
 */
export function forEachStore(name: string, run: StoreTest): void {
  forFolder(name, run);
  forAnyDatabase(
    `${name} [S3]`,
    (t, open) =>
      run(async (options = {}) => openTestObjectStore(t, { ...options, db: options.db ?? (await open()) }), 'S3'),
    [versitygw],
  );
}

export function forFolder(name: string, run: StoreTest): void {
  forAnyDatabase(`${name} [folder]`, (t, open) =>
    run(async (options = {}) => openTestStore(t, { ...options, db: options.db ?? (await open()) }), 'folder'),
  );
}

/** A store over a folder of the shared S3 server; `directory` is where that server keeps its objects as files. */
export async function openTestObjectStore(
  t: TestContext,
  { endpoint, ...options }: Partial<TestStoreOptions> & { db: Database; endpoint?: string; prefix?: string },
): Promise<TestStore & { url: string }> {
  const server = await sharedS3();
  Object.assign(process.env, credentialsOf(server));
  const prefix = options.prefix ?? `test-${randomUUID()}`;
  const url = `s3://${server.bucket}/${prefix}`;
  const scratchDirectory = await mkdtemp(join(tmpdir(), 'tilth-scratch-'));
  const { db } = options;
  const openStore = (changes: Partial<TestStoreOptions>): Promise<BlobStore> =>
    openObjectBlobStore({
      store: createS3ObjectStore({ url, endpoint: endpoint ?? server.endpoint, stallMs: 2_000 }),
      url,
      scratchDirectory: join(scratchDirectory, 'copies'),
      scratchMaxBytes: 2 ** 30,
      ...options,
      ...changes,
      db,
    });
  let store = await openStore({});
  t.after(async () => {
    await store.close();
    await rm(scratchDirectory, { recursive: true, force: true });
  });
  const open = (): TestStore & { url: string } => ({
    store,
    db,
    directory: join(server.folder, prefix),
    url,
    async reopen(changes) {
      await store.close();
      store = await openStore(changes);
      return open();
    },
  });
  return open();
}

/** The files or objects of a store in one of its folders, except the one that names its owner. */
export async function listStoredFiles(directory: string, folder = ''): Promise<string[]> {
  const entries = await readdir(join(directory, folder), { recursive: true, withFileTypes: true }).catch(
    (error: unknown) => {
      // In an object store a folder exists only while it has objects.
      if (isMissingFile(error)) return [];
      throw error;
    },
  );
  return entries
    .filter((entry) => entry.isFile() && entry.name !== markerKey)
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)));
}

/** Deterministic bytes that differ by number and place. */
export function patternBytes(number: number, sizeBytes: number): Buffer {
  const words = new Uint32Array(Math.ceil(sizeBytes / 4));
  let state = (number * 2_654_435_761) >>> 0 || 1;
  for (let index = 0; index < words.length; index++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    words[index] = state;
  }
  return Buffer.from(words.buffer, 0, sizeBytes);
}

/** Writes one blob in pieces of odd sizes. */
export async function writeBlob(store: BlobStore, bytes: Uint8Array, pieceBytes = 65_000): Promise<StagedBlob> {
  const writer = store.create();
  for (let from = 0; from < bytes.length; from += pieceBytes) {
    await writer.write(bytes.subarray(from, from + pieceBytes));
  }
  return writer.finish();
}

/** Flushes and adopts staged blobs, as a commit of files does. */
export async function adoptAll(store: BlobStore, db: Database, staged: readonly StagedBlob[]): Promise<void> {
  await store.flush();
  await db.write((tx) => store.adopt(tx, staged));
  await store.settle(staged);
}

/** The SHA-256 of a blob, as soon as it is known. */
export async function sha256Of(store: BlobStore, blobId: string): Promise<string> {
  for (;;) {
    const sha256 = (await store.find(blobId))?.sha256;
    if (typeof sha256 === 'string') return sha256;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export async function readBlob(store: BlobStore, blobId: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const { bytes } of store.readAll([blobId])) pieces.push(Buffer.from(bytes));
  return Buffer.concat(pieces);
}
