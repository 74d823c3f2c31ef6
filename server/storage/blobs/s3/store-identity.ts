import { newId } from '../../../kernel/ids.ts';
import type { Database } from '../../database/database.ts';
import { isMissingFile } from '../files/file-operations.ts';
import { crc32 } from '../../../kernel/crc32.ts';
import { hasStoredBytes } from '../queries/blobs.ts';
import { findObjectStore, insertObjectStore } from '../queries/object-stores.ts';
import type { ObjectStore } from './object-store.ts';

/** Database and storage do not belong together; the message says what to do. */
export class StorageMismatchError extends Error {
  override readonly name = 'StorageMismatchError';
}

/** The object that identifies the installation that owns the bucket's folder. */
export const markerKey = 'tilth-installation';

/**
 * Ensures that the bucket's folder belongs to this database, which claims an empty folder at its first start: the sweep of
 * another installation would erase objects that it does not know.
 */
export async function claimObjectStore(db: Database, store: ObjectStore, url: string, isApart = false): Promise<void> {
  // In this order: another node that starts with the same empty database writes the marker to the database first, then to the bucket.
  const owner = await readMarker(store);
  const known = await findObjectStore(db.read);
  if (known === undefined) {
    if (owner !== undefined)
      throw new StorageMismatchError(`${url} belongs to another installation: its database is not this one`);
    if (await hasStoredBytes(db.read))
      throw new StorageMismatchError(
        `the files of this installation are in its data folder, not in ${url}: start it without TILTH_STORAGE_URL, or use an empty database`,
      );
    // Checked before the database records the folder as its own.
    await requireApart(store, url);
    await db.write((tx) => insertObjectStore(tx, { marker: newId(), url, first_used_at: new Date().toISOString() }));
    return claimObjectStore(db, store, url, true);
  }
  if (owner === undefined) {
    if ((await hasStoredBytes(db.read)) && (await readMarker(store)) === undefined)
      throw new StorageMismatchError(
        isSameFolder(url, known.url)
          ? replaced(url, known.marker, owner)
          : `${url} has none of the files of this installation, which were stored in ${known.url}: set TILTH_STORAGE_URL to where they are`,
      );
    if (!isApart) await requireApart(store, url);
    await writeMarker(store, known.marker, url);
    return;
  }
  if (owner !== known.marker)
    throw new StorageMismatchError(
      isSameFolder(url, known.url)
        ? replaced(url, known.marker, owner)
        : `${url} belongs to another installation; the files of this one were stored in ${known.url}`,
    );
}

/** Throws if the folder is inside an installation's folder or contains one: the sweep of one could erase the objects of the other. */
async function requireApart(store: ObjectStore, url: string): Promise<void> {
  await requireNoneAround(store, url);
  for await (const page of store.list(''))
    for (const { key } of page)
      if (key.endsWith(`/${markerKey}`))
        throw new StorageMismatchError(
          `the folder ${folderOf(url)}/${key.slice(0, -markerKey.length - 1)} of an installation is inside ${url}: ${besideIt}`,
        );
}

const besideIt = 'set TILTH_STORAGE_URL to a folder beside it';

/** Throws if the folder is inside the folder of an installation. */
export async function requireNoneAround(store: ObjectStore, url: string): Promise<void> {
  const around = await store.findAround(markerKey);
  if (around !== undefined)
    throw new StorageMismatchError(`${url} is inside the folder ${around} of an installation: ${besideIt}`);
}

const folderOf = (url: string): string => url.replace(/\/+$/, '');
const isSameFolder = (one: string, other: string): boolean => folderOf(one) === folderOf(other);

/** Message for a folder with the recorded URL but another marker, or none: what happened and what to do. */
function replaced(url: string, marker: string, owner: string | undefined): string {
  const [what, condition] =
    owner === undefined
      ? [`the object ${markerKey} is missing in ${url}`, '']
      : [`the object ${markerKey} in ${url} is of another installation`, ', if no other one uses the folder'];
  return (
    `${what}: the folder was emptied or replaced, or TILTH_STORAGE_ENDPOINT names another service. ` +
    `Bring its objects back, from a copy or from versions of the bucket. To go on with what is there${condition}, ` +
    `store ${markerKey} with the content ${marker} again: npm start -- verify then names what is lost`
  );
}

/** For a start without an object store: throws if the installation's files are in one. */
export async function refuseObjectStore(db: Pick<Database, 'read'>): Promise<void> {
  const known = await findObjectStore(db.read);
  if (known !== undefined && (await hasStoredBytes(db.read)))
    throw new StorageMismatchError(`the files of this installation are in ${known.url}: set TILTH_STORAGE_URL to it`);
}

/** For a read-only check: throws unless the bucket's folder belongs to this database. */
export async function requireObjectStore(db: Pick<Database, 'read'>, store: ObjectStore, url: string): Promise<void> {
  const known = await findObjectStore(db.read);
  if (known === undefined)
    throw new StorageMismatchError(`the files of this installation are in its data folder, not in ${url}`);
  const owner = await readMarker(store);
  if (owner !== known.marker)
    throw new StorageMismatchError(
      isSameFolder(url, known.url)
        ? replaced(url, known.marker, owner)
        : `${url} does not belong to this installation; its files were stored in ${known.url}`,
    );
}

export async function readMarker(store: ObjectStore): Promise<string | undefined> {
  const bytes = Buffer.alloc(64);
  try {
    // A marker stored by hand may end with a line break.
    return bytes
      .subarray(0, await store.read(markerKey, bytes, 0))
      .toString('utf8')
      .trimEnd();
  } catch (error) {
    if (isMissingFile(error)) return undefined;
    throw error;
  }
}

/** Writes the marker; throws if the service allows it to be overwritten. */
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
