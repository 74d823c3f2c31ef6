import type { UploadFigures, UploadSession } from './upload-session.ts';
import type { BlobStore } from '../../../storage/blobs/blob-store.ts';
import type { Database } from '../../../storage/database/database.ts';
import { touchUploads } from '../queries/uploads.ts';
import { countUploadFiles, listReceivingFiles } from '../queries/upload-files.ts';

/** Counts the files and bytes of an upload in the database and the storage. */
export async function countUpload(
  { db, blobs }: { db: Database; blobs: Pick<BlobStore, 'findAssembly'> },
  uploadId: string,
): Promise<UploadFigures> {
  const { started, completed, completedBytes } = await countUploadFiles(db.scan, uploadId);
  let receivedBytes = completedBytes;
  for (let from = 0; ;) {
    const files = await listReceivingFiles(db.scan, uploadId, from, 1_000);
    for (const { assembly_id } of files) {
      const assembly = assembly_id === null ? undefined : await blobs.findAssembly(assembly_id);
      receivedBytes += assembly?.receivedBytes ?? 0;
    }
    const last = files.at(-1);
    if (last === undefined) break;
    from = last.file_no + 1;
  }
  return { startedFiles: started, completedFiles: completed, receivedBytes };
}

/** Stores the activity of sessions that was last stored before a time. */
export async function saveActivity(
  db: Database,
  sessions: Iterable<UploadSession>,
  dueBeforeMs: number,
): Promise<void> {
  const due = [...sessions].filter(
    (session) => session.touchedAtMs <= dueBeforeMs && session.activeAtMs > session.touchedAtMs,
  );
  if (due.length === 0) return;
  const touches = due.map(({ upload, activeAtMs, calls, savedCalls }) => ({
    upload_id: upload.id,
    active: new Date(activeAtMs).toISOString(),
    more_calls: calls - savedCalls,
  }));
  const before = due.map((session) => session.touchedAtMs);
  for (const session of due) session.touchedAtMs = session.activeAtMs;
  try {
    const stored = await db.write((tx) => touchUploads(tx, touches));
    for (const [index, session] of due.entries()) {
      const own = session.savedCalls + (touches[index]?.more_calls ?? 0);
      // Calls received by other nodes count as well.
      const all = Math.max(own, stored.get(session.upload.id) ?? own);
      session.calls += all - own;
      session.savedCalls = all;
    }
  } catch (error) {
    for (const [index, session] of due.entries()) session.touchedAtMs = before[index] ?? 0;
    throw error;
  }
}
