import { reasonColumns, type Reason } from '../../../kernel/sentences/index.ts';
import { isoNow, type Clock } from '../../../kernel/clock.ts';
import type { Database, Tx } from '../../../storage/database/database.ts';
import type { ArchivesTable } from '../../../storage/database/tables/uploads.ts';
import type { FileCommits } from '../files/file-commits.ts';
import { endArchiveOf, isProcessing } from '../queries/archives.ts';
import { lockDataset } from '../queries/commits.ts';
import { closeVersionOfFinished } from '../queries/uploads.ts';
import { noEffects, storedRefusal, type IntakeReceipt } from './archive-receipt.ts';

/** Records how the unpacking of an archive ended; throws `Overtaken` if another node has it. */
export type ArchiveOutcomes = {
  /** In the transaction that commits the entries. */
  recordUnpacked(tx: Tx, archive: ArchivesTable, receipt: IntakeReceipt): Promise<void>;
  /** The file is no archive. */
  keepAsFile(archive: ArchivesTable): Promise<void>;
  fail(archive: ArchivesTable, receipt: IntakeReceipt, reason: Reason): Promise<void>;
  /** Leaves the archive to the node that has its bytes. */
  release(archive: ArchivesTable): Promise<void>;
};

/** Another node has taken over the archive because this one was silent for too long. */
export class Overtaken extends Error {}

export function createArchiveOutcomes({
  db,
  commits,
  clock,
}: {
  db: Database;
  commits: FileCommits;
  clock: Clock;
}): ArchiveOutcomes {
  async function writeReceipt(
    tx: Tx,
    archive: ArchivesTable,
    state: 'UNPACKED' | 'FAILED',
    receipt: IntakeReceipt,
    error: Reason | null,
  ): Promise<void> {
    await endArchive(tx, archive, {
      state,
      file_count: receipt.files,
      total_size_bytes: receipt.bytes,
      refused_count: receipt.refused,
      refusals: JSON.stringify(receipt.refusals.map(storedRefusal)),
      effects: JSON.stringify(receipt.effects),
      ...reasonColumns('error', error),
    });
  }

  /** Ends an archive; the last archive of a complete upload closes the version. */
  async function endArchive(tx: Tx, archive: ArchivesTable, receipt: Partial<ArchivesTable>): Promise<void> {
    const { dataset_id: datasetId, upload_id: uploadId } = archive;
    // The lock makes concurrent endings visible to each other, so that the last one closes the version.
    await lockDataset(tx, datasetId);
    const end = { ...receipt, ended_at: isoNow(clock) };
    if (!(await endArchiveOf(tx, archive.id, ownerOf(archive), end))) throw new Overtaken();
    await closeVersionOfFinished(tx, { datasetId, uploadId });
  }

  return {
    recordUnpacked: (tx, archive, receipt) => writeReceipt(tx, archive, 'UNPACKED', receipt, null),
    async keepAsFile(archive) {
      await db.write(async (tx) => {
        if (await isProcessing(tx, archive.file_id, archive.blob_id))
          await commits.setStatus(tx, {
            datasetId: archive.dataset_id,
            fileId: archive.file_id,
            status: 'COMPLETED',
          });
        await endArchive(tx, archive, { state: 'NOT_AN_ARCHIVE' });
      });
    },
    async fail(archive, receipt, reason) {
      await db.write(async (tx) => {
        if (await isProcessing(tx, archive.file_id, archive.blob_id))
          await commits.setStatus(tx, {
            datasetId: archive.dataset_id,
            fileId: archive.file_id,
            status: 'ERROR',
            error: reason,
          });
        await writeReceipt(tx, archive, 'FAILED', { ...receipt, files: 0, bytes: 0, effects: noEffects() }, reason);
      });
    },
    async release(archive) {
      await db.write((tx) => endArchiveOf(tx, archive.id, ownerOf(archive), { node_id: null }));
    },
  };
}

export function ownerOf({ node_id: nodeId }: ArchivesTable): string {
  if (nodeId === null) throw new Error('The archive was not claimed');
  return nodeId;
}
