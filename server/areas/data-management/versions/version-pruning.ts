import { invalid } from '../../../kernel/errors.ts';
import { parameterProblems } from '../../../kernel/parameter-problems.ts';
import type { BlobStore } from '../../../storage/blobs/blob-store.ts';
import type { Database, Db, Tx } from '../../../storage/database/database.ts';
import { freeingSpace } from '../../../storage/disk-space/index.ts';
import { dataErrors } from '../errors.ts';
import { deleteFileRows, lockDataset } from '../queries/commits.ts';
import { findDataset } from '../queries/datasets.ts';
import { deleteDirectoryRows } from '../queries/folders.ts';
import { firstPlace, type ChangePlace } from '../queries/version-changes.ts';
import {
  countPrunable,
  deletePrunable,
  findNthNewest,
  listForsakenDirectories,
  listForsakenFiles,
  measurePrunable,
  sumUnshared,
  type PruneRule,
} from '../queries/version-pruning.ts';
import type { Pruned, PruneRequest } from '../schemas/versions.ts';
import type { VersionUses } from './version-uses.ts';

/** Deletes old versions with the content that only they have. */
export type VersionPruning = {
  /**
   * Deletes the versions that `keepLast` and `before` don't protect, but never the current one, one with a name, or one that a
   * stored run read; `dryRun` only returns what that would free. Throws DATASET_NOT_FOUND.
   */
  prune(datasetId: string, request: PruneRequest): Promise<Pruned>;
};

/** A transaction of this many rows takes a few milliseconds: other writers hardly notice. */
const sliceSize = 2_000;

export function createVersionPruning({
  db,
  blobs,
  uses,
}: {
  db: Database;
  blobs: Pick<BlobStore, 'release'>;
  uses: VersionUses;
}): VersionPruning {
  async function ruleOf(read: Db, datasetId: string, { keepLast, before }: PruneRequest): Promise<PruneRule> {
    const dataset = await findDataset(read, datasetId);
    if (dataset === undefined) throw dataErrors.DATASET_NOT_FOUND({ id: datasetId });
    const keepFrom = keepLast === undefined ? dataset.version : await findNthNewest(read, datasetId, keepLast);
    const used = await uses.listVersionsRead(read, datasetId);
    return { datasetId, keepFrom: keepFrom ?? 0, keepSince: before ?? null, used };
  }

  async function measure(datasetId: string, request: PruneRequest): Promise<Pruned> {
    const rule = await ruleOf(db.scan, datasetId, request);
    return { dryRun: true, ...(await countPrunable(db.scan, rule)), ...(await measurePrunable(db.scan, rule)) };
  }

  /** Erases one slice; `next` is where to continue, undefined at the end. */
  async function eraseSlice(
    tx: Tx,
    datasetId: string,
    after: ChangePlace,
  ): Promise<{ next: ChangePlace | undefined; files: number; bytes: number }> {
    await lockDataset(tx, datasetId);
    const rows = await listForsakenFiles(tx, datasetId, after, sliceSize);
    const last = rows.at(-1);
    if (last === undefined) return { next: undefined, files: 0, bytes: 0 };
    const blobIds = rows.flatMap((row) => row.blob_id ?? []);
    const bytes = await sumUnshared(tx, blobIds);
    await deleteFileRows(
      tx,
      rows.map((row) => row.row_id),
    );
    await blobs.release(tx, blobIds);
    return { next: { version: last.ended_version ?? 0, path: last.path }, files: rows.length, bytes };
  }

  async function eraseFolders(tx: Tx, datasetId: string): Promise<boolean> {
    const rows = await listForsakenDirectories(tx, datasetId, sliceSize);
    if (rows.length > 0)
      await deleteDirectoryRows(
        tx,
        rows.map((row) => row.row_id),
      );
    return rows.length === sliceSize;
  }

  return {
    async prune(datasetId, request) {
      if (request.keepLast === undefined && request.before === undefined)
        throw invalid('keepLast', parameterProblems.IS_REQUIRED_TO_PRUNE.reason({}));
      if (request.dryRun === true) return measure(datasetId, request);
      return freeingSpace(async () => {
        const counts = await db.write(async (tx) => {
          if ((await lockDataset(tx, datasetId)) === undefined) throw dataErrors.DATASET_NOT_FOUND({ id: datasetId });
          const rule = await ruleOf(tx, datasetId, request);
          const counted = await countPrunable(tx, rule);
          if (counted.versions > 0) await deletePrunable(tx, rule);
          return counted;
        });
        // The next call erases what an interrupted one leaves behind.
        const erased = { files: 0, bytes: 0 };
        for (let after: ChangePlace | undefined = firstPlace; after !== undefined;) {
          const from: ChangePlace = after;
          const slice = await db.write((tx) => eraseSlice(tx, datasetId, from));
          after = slice.next;
          erased.files += slice.files;
          erased.bytes += slice.bytes;
        }
        while (await db.write((tx) => eraseFolders(tx, datasetId)));
        return { dryRun: false, ...counts, ...erased };
      });
    },
  };
}
