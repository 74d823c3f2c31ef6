import type { Db, Tx } from '../../../storage/database/database.ts';
import { rowsTable } from '../../../storage/database/sql.ts';
import type { UnpackedFilesTable } from '../../../storage/database/tables/engine.ts';
import { sql } from 'kysely';

export async function insertUnpackedFiles(tx: Tx, rows: readonly UnpackedFilesTable[]): Promise<void> {
  const columns = {
    run_id: 'text',
    file_id: 'text',
    blob_id: 'text',
    size_bytes: 'integer',
    problem: 'text',
    problem_sentence: 'text',
    is_damaged: 'integer',
  } as const;
  await sql`insert into unpacked_files (run_id, file_id, blob_id, size_bytes, problem, is_damaged)
    select run_id, file_id, blob_id, size_bytes, problem, is_damaged from ${rowsTable(tx, columns, rows)}`.execute(tx);
}

export async function findUnpackedFile(db: Db, runId: string, fileId: string): Promise<UnpackedFilesTable | undefined> {
  return db
    .selectFrom('unpacked_files')
    .selectAll()
    .where('run_id', '=', runId)
    .where('file_id', '=', fileId)
    .executeTakeFirst();
}

/** Deletes the unpacked files of a run; returns their blob ids, one per reference. */
export async function deleteUnpackedFiles(tx: Tx, runId: string): Promise<string[]> {
  const rows = await tx.deleteFrom('unpacked_files').where('run_id', '=', runId).returning('blob_id').execute();
  return rows.flatMap(({ blob_id }) => blob_id ?? []);
}

/** Moves the unpacked files of a run to another run. */
export async function moveUnpackedFiles(tx: Tx, fromRunId: string, toRunId: string): Promise<void> {
  await tx.updateTable('unpacked_files').set({ run_id: toRunId }).where('run_id', '=', fromRunId).execute();
}
