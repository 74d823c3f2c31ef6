import type { BlobStore, StagedBlob } from './blob-store.ts';
import type { Eraser } from './files/eraser.ts';
import { blobErrors } from './errors.ts';
import type { LateDigests } from './hashing/late-digests.ts';
import {
  changeReferences,
  insertBlobs,
  insertBlobsOfFolder,
  type BlobRow,
  type ReferenceChange,
} from './queries/blobs.ts';
import type { StagedBlobs } from './staged-blobs.ts';

export type References = Pick<BlobStore, 'adopt' | 'retain' | 'release' | 'settle'>;

/** Tracks which rows refer to which blobs, from adoption to deletion. */
export function createReferences(options: {
  staged: StagedBlobs;
  lateDigests: LateDigests;
  eraser: Eraser;
  /** Number of the data folder if several services may share the database. */
  folderNo: number | undefined;
  /** Queues blobs without a SHA-256 for hashing. */
  hashLater(blobIds: readonly string[]): void;
  sweepSoon(): void;
}): References {
  const { staged, lateDigests, eraser, folderNo, hashLater, sweepSoon } = options;

  return {
    async adopt(tx, blobs) {
      if (blobs.length === 0) return;
      for (const blob of blobs) {
        staged.check(blob.id);
        blob.sha256 ??= lateDigests.takeReady(blob.id);
      }
      if (folderNo === undefined) await insertBlobs(tx, blobs.map(rowOf));
      else
        await insertBlobsOfFolder(
          tx,
          blobs.map((blob) => ({ ...rowOf(blob), folder_no: folderNo })),
        );
    },
    async retain(tx, blobIds) {
      await change(blobIds, 1, (changes) => changeReferences(tx, changes));
    },
    async release(tx, blobIds) {
      await change(blobIds, -1, (changes) => changeReferences(tx, changes));
      sweepSoon();
    },
    async settle(blobs) {
      for (const blob of blobs) staged.forget(blob.id);
      const files = blobs.flatMap(({ place }) => (place.kind === 'file' ? [place.objectId] : []));
      if (files.length > 0) await eraser.eraseNow({ files });
      hashLater(blobs.filter(({ sha256 }) => sha256 === null).map(({ id }) => id));
    },
  };
}

async function change(
  blobIds: readonly string[],
  sign: 1 | -1,
  apply: (changes: readonly ReferenceChange[]) => Promise<number>,
): Promise<void> {
  if (blobIds.length === 0) return;
  const amounts = new Map<string, number>();
  for (const id of blobIds) amounts.set(id, (amounts.get(id) ?? 0) + sign);
  const changes = [...amounts].map(([id, amount]) => ({ id, amount }));
  if ((await apply(changes)) === changes.length) return;
  throw blobErrors.BLOB_MISSING({ id: changes.length === 1 ? (changes[0]?.id ?? '') : 'one of the files' });
}

function rowOf(blob: StagedBlob): Omit<BlobRow, 'folder_no'> & { refs: number } {
  const { place } = blob;
  return {
    id: blob.id,
    size_bytes: blob.sizeBytes,
    crc32: blob.crc32,
    sha256: blob.sha256,
    refs: 1,
    kind: place.kind,
    object_id: place.kind === 'empty' ? '' : place.objectId,
    object_offset: place.kind === 'pack' ? place.offset : 0,
  };
}
