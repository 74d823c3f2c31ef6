import { isoNow, type Clock } from '../../../kernel/clock.ts';
import type { BlobStore } from '../../../storage/blobs/blob-store.ts';
import type { Database } from '../../../storage/database/database.ts';
import { noSignals, type Signals } from '../../../storage/database/signals.ts';
import { deleteArchiveReceipts, deleteOrphanedReceipts } from '../queries/archives.ts';
import { closeVersionOf, deleteUpload, endUpload, listEndedUploads, listForsakenUploads } from '../queries/uploads.ts';
import type { UploadSessions } from './upload-sessions.ts';
import type { UploadSettings } from '../upload-settings.ts';
import { deleteUploadFilesTo, listUploadFiles } from '../queries/upload-files.ts';

/** Ends idle uploads and erases the data of ended ones. */
export type UploadExpiry = {
  /** Runs once; returns the number of uploads whose rows and chunks were erased. Stops between slices on the signal. */
  sweep(signal?: AbortSignal): Promise<number>;
};

const batch = 1_000;

export function createUploadExpiry({
  db,
  blobs,
  clock,
  sessions,
  settings,
  signals = noSignals,
}: {
  db: Database;
  blobs: BlobStore;
  clock: Clock;
  sessions: UploadSessions;
  settings: UploadSettings;
  signals?: Signals;
}): UploadExpiry {
  async function endIdle(): Promise<void> {
    // Activity that is recorded only in memory counts too.
    await sessions.save();
    const before = new Date(clock.now().getTime() - settings.idleMs).toISOString();
    for (;;) {
      const ids = await listForsakenUploads(db.scan, before, batch);
      for (const id of ids) {
        sessions.end(id);
        await db.write(async (tx) => {
          await endUpload(tx, id, isoNow(clock));
          await closeVersionOf(tx, id);
        });
        // A concurrent call may have started another session.
        sessions.end(id);
        signals.send('upload-ended', id);
      }
      if (ids.length < batch) return;
    }
  }

  /** Erases in slices, so that an upload of a million files never blocks the writers. */
  async function erase(uploadId: string, signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      if (signal?.aborted === true) return;
      const files = await listUploadFiles(db.scan, uploadId, batch);
      const last = files.at(-1);
      if (last === undefined) break;
      const assemblies = files.flatMap((file) => file.assembly_id ?? []);
      if (assemblies.length > 0) await blobs.dropAssemblies(assemblies);
      await db.write((tx) => deleteUploadFilesTo(tx, uploadId, last.file_no));
    }
    await db.write(async (tx) => {
      await deleteArchiveReceipts(tx, uploadId);
      await deleteUpload(tx, uploadId);
    });
  }

  return {
    async sweep(signal) {
      await endIdle();
      let erased = 0;
      for (;;) {
        const ids = await listEndedUploads(db.scan, batch);
        for (const id of ids) {
          await erase(id, signal);
          if (signal?.aborted === true) return erased;
          erased++;
        }
        if (ids.length < batch) break;
      }
      if (erased > 0) await db.write(deleteOrphanedReceipts);
      return erased;
    },
  };
}
