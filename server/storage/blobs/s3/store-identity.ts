import { newId } from '../../../kernel/ids.ts';
import type { Database } from '../../database/database.ts';
import { isMissingFile } from '../files/file-operations.ts';
import { crc32 } from '../hashing/crc32.ts';
import { hasStoredBytes } from '../queries/blobs.ts';
import { findObjectStore, insertObjectStore } from '../queries/object-stores.ts';
import type { ObjectStore } from './object-store.ts';

/** Database and storage do not belong together; the message says what to do. */
export class StorageMismatchError extends Error {
  override readonly name = 'StorageMismatchError';
}

/** The object that says which installation owns the folder of a bucket. */
export const markerKey = 'tilth-installation';

/**
 * Makes sure that the folder of the bucket belongs to this database, which takes possession of an empty one at its first start:
 * the sweep of another installation would erase what it does not know.
 */
export async function claimObjectStore(db: Database, store: ObjectStore, url: string): Promise<void> {
  const known = await findObjectStore(db.read);
  const owner = await readMarker(store);
  if (known === undefined) {
    if (owner !== undefined)
      throw new StorageMismatchError(`${url} belongs to another installation: its database is not this one`);
    if (await hasStoredBytes(db.read))
      throw new StorageMismatchError(
        `the files of this installation are in its data folder, not in ${url}: start it without TILTH_STORAGE_URL, or use an empty database`,
      );
    await db.write((tx) => insertObjectStore(tx, { marker: newId(), url, first_used_at: new Date().toISOString() }));
    return claimObjectStore(db, store, url);
  }
  if (owner === undefined) {
    if (await hasStoredBytes(db.read))
      throw new StorageMismatchError(
        `${url} has none of the files of this installation, which were stored in ${known.url}: set TILTH_STORAGE_URL to where they are`,
      );
    await writeMarker(store, known.marker, url);
    return;
  }
  if (owner !== known.marker)
    throw new StorageMismatchError(
      `${url} belongs to another installation; the files of this one were stored in ${known.url}`,
    );
}

/** For a start without an object store: its files must not be in one. */
export async function refuseObjectStore(db: Pick<Database, 'read'>): Promise<void> {
  const known = await findObjectStore(db.read);
  if (known !== undefined && (await hasStoredBytes(db.read)))
    throw new StorageMismatchError(`the files of this installation are in ${known.url}: set TILTH_STORAGE_URL to it`);
}

/** For a check that changes nothing: the folder of the bucket must be that of this database. */
export async function requireObjectStore(db: Pick<Database, 'read'>, store: ObjectStore, url: string): Promise<void> {
  const known = await findObjectStore(db.read);
  if (known === undefined)
    throw new StorageMismatchError(`the files of this installation are in its data folder, not in ${url}`);
  if ((await readMarker(store)) !== known.marker)
    throw new StorageMismatchError(
      `${url} does not belong to this installation; its files were stored in ${known.url}`,
    );
}

export async function readMarker(store: ObjectStore): Promise<string | undefined> {
  const bytes = Buffer.alloc(64);
  try {
    return bytes.subarray(0, await store.read(markerKey, bytes, 0)).toString('utf8');
  } catch (error) {
    if (isMissingFile(error)) return undefined;
    throw error;
  }
}

/** Writes the marker; a service that would have let it be overwritten is not used. */
export async function writeMarker(store: ObjectStore, marker: string, url: string): Promise<void> {
  const put = (text: string): Promise<void> => store.put(markerKey, Buffer.from(text), crc32(Buffer.from(text)));
  await put(marker).catch(async (error: unknown) => {
    if ((await readMarker(store)) !== marker) throw error;
  });
  const isOverwritten = await put('probe').then(
    () => true,
    () => false,
  );
  if (!isOverwritten) return;
  await store.remove(markerKey);
  throw new StorageMismatchError(
    `the object store of ${url} overwrites objects although it was asked not to (If-None-Match): it can not be used`,
  );
}
