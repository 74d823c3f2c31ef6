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

/** The object that says which installation owns the folder of a bucket. */
export const markerKey = 'tilth-installation';

/**
 * Makes sure that the folder of the bucket belongs to this database, which takes possession of an empty one at its first start:
 * the sweep of another installation would erase what it does not know.
 */
export async function claimObjectStore(db: Database, store: ObjectStore, url: string, isApart = false): Promise<void> {
  // In this order: another node that starts over the same empty database stores the marker there first, then in the bucket.
  const owner = await readMarker(store);
  const known = await findObjectStore(db.read);
  if (known === undefined) {
    if (owner !== undefined)
      throw new StorageMismatchError(`${url} belongs to another installation: its database is not this one`);
    if (await hasStoredBytes(db.read))
      throw new StorageMismatchError(
        `the files of this installation are in its data folder, not in ${url}: start it without TILTH_STORAGE_URL, or use an empty database`,
      );
    // Before the database remembers the folder as its own.
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

/** Throws if the folder is inside that of an installation, or has one inside: what one stores could be where the other erases. */
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

/** Throws if the folder is inside that of an installation. */
export async function requireNoneAround(store: ObjectStore, url: string): Promise<void> {
  const around = await store.findAround(markerKey);
  if (around !== undefined)
    throw new StorageMismatchError(`${url} is inside the folder ${around} of an installation: ${besideIt}`);
}

const folderOf = (url: string): string => url.replace(/\/+$/, '');
const isSameFolder = (one: string, other: string): boolean => folderOf(one) === folderOf(other);

/** What to do when the folder is where it was, and is not what it was. */
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
    // One that was stored by hand may end in a line end.
    return bytes
      .subarray(0, await store.read(markerKey, bytes, 0))
      .toString('utf8')
      .trimEnd();
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
