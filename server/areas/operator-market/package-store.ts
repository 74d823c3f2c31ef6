import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { Database, Db } from '../../storage/database/database.ts';
import { findPackageBlob, listReferencesPage } from './queries/versions.ts';

/** The stored packages of published operators. */
export type PackageStore = {
  /** The stored bytes of a package, unchecked; undefined if no version has that digest. */
  read(digest: string): Promise<Uint8Array | undefined>;
};

export function createPackageStore({ db, blobs }: { db: Database; blobs: BlobStore }): PackageStore {
  return {
    async read(digest) {
      const blobId = await findPackageBlob(db.read, digest);
      if (blobId === undefined) return undefined;
      const pieces: Buffer[] = [];
      for await (const { bytes } of blobs.readAll([blobId])) pieces.push(Buffer.from(bytes));
      return Buffer.concat(pieces);
    },
  };
}

/** Number of references from packages per blob, ordered by id, after `afterId`. */
export async function listPackageReferences(
  db: Db,
  page: { afterId: string; limit: number },
): Promise<{ blobId: string; references: number }[]> {
  return listReferencesPage(db, page);
}
