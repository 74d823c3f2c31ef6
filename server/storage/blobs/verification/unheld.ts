import type { Db } from '../../database/database.ts';
import type { ReadOnlyDatabase } from '../../database/read-only-database.ts';
import {
  findAssemblies,
  findBlobsInUse,
  findInColumn,
  listAssembliesInUse,
  listBlobsInUse,
  listHolderColumns,
  type HolderColumn,
  type StoredThing,
} from '../queries/holders.ts';

/** Bytes that are kept although nothing refers to them: a blob, or the received chunks of an upload. */
export type Unheld = StoredThing & { of: 'BLOB' | 'CHUNKS' };

/** Each page scans the tables that hold blobs. */
const idsPerPage = 50_000;

/**
 * Yields blobs that are recorded as in use, and received chunks, that no row refers to: they would never be erased.
 * `findOthers` finds the holders of blobs that name them elsewhere than in a column of their own.
 */
export async function* listUnheld({
  db,
  findOthers,
}: {
  db: ReadOnlyDatabase;
  findOthers(blobIds: readonly string[]): Promise<Iterable<string>>;
}): AsyncGenerator<Unheld, void, void> {
  const blobs = await listHolderColumns(db.scan, 'blob');
  for await (const page of pages((afterId) => listBlobsInUse(db.scan, afterId, idsPerPage)))
    for (const one of await unheldOf(db, page, { columns: blobs, findStill: findBlobsInUse, findOthers }))
      yield { ...one, of: 'BLOB' };
  const assemblies = await listHolderColumns(db.scan, 'assembly');
  for await (const page of pages((afterId) => listAssembliesInUse(db.scan, afterId, idsPerPage)))
    for (const one of await unheldOf(db, page, { columns: assemblies, findStill: findAssemblies }))
      yield { ...one, of: 'CHUNKS' };
}

async function unheldOf(
  db: ReadOnlyDatabase,
  page: readonly StoredThing[],
  {
    columns,
    findStill,
    findOthers,
  }: {
    columns: readonly HolderColumn[];
    findStill(db: Db, ids: readonly string[]): Promise<string[]>;
    findOthers?(ids: readonly string[]): Promise<Iterable<string>>;
  },
): Promise<StoredThing[]> {
  let unheld = new Map(page.map((one) => [one.id, one]));
  // A running service may have passed one from a holder to another between two reads: twice, it has hardly.
  for (let look = 0; look < 2 && unheld.size > 0; look += 1) {
    const left = new Map(unheld);
    for (const column of columns)
      if (left.size > 0) for (const id of await findInColumn(db.scan, column, [...left.keys()])) left.delete(id);
    if (findOthers !== undefined && left.size > 0) for (const id of await findOthers([...left.keys()])) left.delete(id);
    unheld = left;
  }
  if (unheld.size === 0) return [];
  // Some may have been released since the page was read.
  const still = new Set(await findStill(db.scan, [...unheld.keys()]));
  return [...unheld.values()].filter(({ id }) => still.has(id));
}

async function* pages(list: (afterId: string) => Promise<StoredThing[]>): AsyncGenerator<StoredThing[]> {
  for (let afterId = ''; ;) {
    const page = await list(afterId);
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    afterId = last.id;
  }
}
