import type { Tx } from '../database/database.ts';
import type { Adoption, BlobStore, StagedBlob } from './blob-store.ts';
import type { Eraser } from './files/eraser.ts';
import { blobErrors } from './errors.ts';
import {
  changeReferences,
  insertBlobs,
  lockBlobsBySha256,
  type BlobRow,
  type ReferenceChange,
} from './queries/blobs.ts';
import type { StagedBlobs } from './staged-blobs.ts';

export type References = Pick<BlobStore, 'adopt' | 'prepareAdoption' | 'retain' | 'release' | 'settle'>;

/** Which rows refer to which blobs: the life of a blob between its bytes and its end. */
export function createReferences(options: {
  staged: StagedBlobs;
  eraser: Eraser;
  /** Blobs whose content has no SHA-256 yet. */
  hashLater(blobIds: readonly string[]): void;
  sweepSoon(): void;
}): References {
  const { staged, eraser, hashLater, sweepSoon } = options;

  async function prepareAdoption(tx: Tx, prepared: readonly StagedBlob[]): Promise<Adoption> {
    const checksums = [...new Set(prepared.flatMap((blob) => blob.sha256 ?? []))];
    const known = checksums.length === 0 ? [] : await lockBlobsBySha256(tx, checksums);
    const twins = new Map<string, BlobRow>();
    for (const row of known) twins.set(contentKey(row.sha256, row.size_bytes), row);
    return {
      async adopt(blobs) {
        if (blobs.length === 0) return;
        const rows: (BlobRow & { refs: number })[] = [];
        for (const blob of blobs) {
          staged.check(blob.id);
          const key = contentKey(blob.sha256, blob.sizeBytes);
          const row = rowOf(blob, blob.sha256 === null ? undefined : twins.get(key));
          if (blob.sha256 !== null && !twins.has(key)) twins.set(key, row);
          rows.push(row);
        }
        await insertBlobs(tx, rows);
      },
    };
  }

  return {
    prepareAdoption,
    async adopt(tx, blobs) {
      for (const blob of blobs) staged.check(blob.id);
      const adoption = await prepareAdoption(tx, blobs);
      await adoption.adopt(blobs);
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

const contentKey = (sha256: string | null, sizeBytes: number): string => `${sha256}:${sizeBytes}`;

function rowOf(blob: StagedBlob, twin: BlobRow | undefined): BlobRow & { refs: number } {
  const { place } = blob;
  return {
    id: blob.id,
    size_bytes: blob.sizeBytes,
    crc32: blob.crc32,
    sha256: blob.sha256,
    refs: 1,
    kind: twin?.kind ?? place.kind,
    object_id: twin?.object_id ?? (place.kind === 'empty' ? '' : place.objectId),
    object_offset: twin?.object_offset ?? (place.kind === 'pack' ? place.offset : 0),
  };
}
