import { capitalized, inputProblems, reasonColumns, storedReason } from '../../../kernel/sentences/index.ts';
import { storedProblem } from '../../orders/shard.ts';
import { compressionOf } from '../../../tables/compression/compressed-names.ts';
import type { StagedBlob } from '../../../storage/blobs/blob-store.ts';
import type { UnpackedFilesTable } from '../../../storage/database/tables/engine.ts';
import type { Drive } from '../drive-context.ts';
import type { InputFile } from '../job.ts';
import { findUnpackedFile, insertUnpackedFiles } from '../queries/unpacked-files.ts';
import { WorkerLost } from '../pools/worker-lost.ts';
import type { WorkerPool } from '../shards/worker-pool.ts';
import { isUnpackable, lostUnpacking } from './unpacker.ts';
import type { Unpacked } from '../../orders/unpack-jobs.ts';

/** Unpacked files and bytes per transaction. */
const filesAtOnce = 100;
const bytesAtOnce = 32 << 20;

/**
 * The input of a run, with compressed files replaced by their content. Each unpacked file is a checkpoint: a plan that
 * is made again uses it.
 */
export async function* unpackInputs(
  drive: Drive,
  inputs: AsyncIterable<readonly InputFile[]>,
): AsyncGenerator<InputFile[]> {
  const { db, blobs, run, context, pool } = drive;
  let ready: InputFile[] = [];
  let rows: UnpackedFilesTable[] = [];
  let staged: StagedBlob[] = [];

  async function store(): Promise<void> {
    if (rows.length === 0) return;
    const [stored, adopted] = [rows, staged];
    [rows, staged] = [[], []];
    try {
      await blobs.flush();
      await context.checkpoint({}, async (tx) => {
        await insertUnpackedFiles(tx, stored);
        await blobs.adopt(tx, adopted);
      });
    } finally {
      await blobs.settle(adopted);
    }
  }

  async function unpackFile(file: InputFile): Promise<UnpackedFilesTable> {
    const known = await findUnpackedFile(db.read, run.id, file.fileId);
    if (known !== undefined) return known;
    const { content, problem, isDamaged } = await unpackBy(pool, file, context.signal);
    if (content !== undefined) staged.push(content);
    const row: UnpackedFilesTable = {
      run_id: run.id,
      file_id: file.fileId,
      blob_id: content?.id ?? null,
      size_bytes: content?.sizeBytes ?? 0,
      ...reasonColumns('problem', problem ?? null),
      is_damaged: isDamaged ? 1 : 0,
    };
    rows.push(row);
    return row;
  }

  try {
    for await (const slice of inputs) {
      for (const file of slice) {
        ready.push(isUnpackable(file) ? unpackedFile(file, await unpackFile(file)) : file);
        const bytes = staged.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
        if (rows.length < filesAtOnce && bytes < bytesAtOnce) continue;
        await store();
        yield ready;
        ready = [];
      }
      await store();
      yield ready;
      ready = [];
    }
  } finally {
    await blobs.settle(staged);
  }
}

/** A file that crashes the worker counts as unreadable. */
async function unpackBy(pool: WorkerPool, file: InputFile, signal: AbortSignal): Promise<Unpacked<StagedBlob>> {
  try {
    return await pool.run('unpack', { file }, signal);
  } catch (error) {
    if (error instanceof WorkerLost) return lostUnpacking(file.path, error);
    throw error;
  }
}

function unpackedFile(file: InputFile, row: UnpackedFilesTable): InputFile {
  const { blob_id: blobId, size_bytes, is_damaged } = row;
  const problem = storedReason('problem', row);
  const compression = compressionOf(file.path);
  if (blobId === null || compression === undefined || file.blobId === null) {
    const why = problem ?? capitalized(inputProblems.NOT_UNPACKED.reason({}));
    return { ...file, ...(is_damaged === 1 ? { blobId: null } : {}), ...storedProblem(why) };
  }
  const packed = {
    compression,
    blobId: file.blobId,
    sizeBytes: file.sizeBytes,
    ...(problem === null ? {} : storedProblem(problem)),
  };
  return { ...file, blobId, sizeBytes: size_bytes, packed };
}
