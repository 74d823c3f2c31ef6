import type { Verified } from './findings.ts';
import { listDataFolders, type BlobProblem, type ChunkProblem, type Elsewhere } from '../../../storage/blobs/index.ts';
import type { ReadOnlyDatabase } from '../../../storage/database/read-only-database.ts';

/** The number of the checked data folder, if the database may have others, and those others. */
export type Folders = { folderNo: number | undefined; others: readonly { place: string; folder_no: number }[] };

/** The checked data folder, and the others of the database; all of it belongs to this one if no place is given. */
export async function readFolders(db: ReadOnlyDatabase, place: string | undefined): Promise<Folders> {
  // A data folder without a row in the database has received no content of it.
  const all = await listDataFolders(db.read);
  const own = all.find((folder) => folder.place === place);
  const folderNo = place === undefined ? undefined : (own?.folder_no ?? 0);
  return { folderNo, others: all.filter((folder) => folder !== own) };
}

/** Counts skipped content by the folder that has it. */
export function countElsewhere(
  { folderNo, others }: Folders,
  verified: Verified,
  kind: 'blobs' | 'chunks',
): Elsewhere | undefined {
  if (folderNo === undefined) return undefined;
  return {
    folderNo,
    skip(otherNo, { sizeBytes }) {
      const known = others.find((folder) => folder.folder_no === otherNo)?.place ?? `number ${otherNo}`;
      let counts = verified.elsewhere.find((folder) => folder.place === known);
      if (counts === undefined) verified.elsewhere.push((counts = { place: known, blobs: 0, chunks: 0, bytes: 0 }));
      counts[kind] += 1;
      counts.bytes += sizeBytes;
    },
  };
}

/** How many folders may have bytes that are missing here. */
export function otherFoldersOf({ others }: Folders, { problem, folderNo }: BlobProblem | ChunkProblem): number {
  return problem === 'missing' && folderNo === null ? others.length : 0;
}
