import type { Db, Tx } from '../../../storage/database/database.ts';
import type { ExportedFilesTable } from '../../../storage/database/tables/engine.ts';

export async function insertExportedFile(tx: Tx, row: ExportedFilesTable): Promise<void> {
  await tx.insertInto('exported_files').values(row).execute();
}

/** The files of a result in order. */
export async function listExportedFiles(db: Db, runId: string): Promise<ExportedFilesTable[]> {
  return db.selectFrom('exported_files').selectAll().where('run_id', '=', runId).orderBy('file_no').execute();
}

/** Deletes the exported files of a run; returns their blob ids, one per reference. */
export async function deleteExportedFiles(tx: Tx, runId: string): Promise<string[]> {
  const rows = await tx.deleteFrom('exported_files').where('run_id', '=', runId).returning('blob_id').execute();
  return rows.map(({ blob_id }) => blob_id);
}

/** Moves the exported files of a run to another run. */
export async function moveExportedFiles(tx: Tx, fromRunId: string, toRunId: string): Promise<void> {
  await tx.updateTable('exported_files').set({ run_id: toRunId }).where('run_id', '=', fromRunId).execute();
}
