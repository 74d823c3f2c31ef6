import { isoNow, type Clock } from '../../../kernel/clock.ts';
import { newId } from '../../../kernel/ids.ts';
import type { BlobStore, StagedBlob } from '../../../storage/blobs/blob-store.ts';
import type { Database, Tx } from '../../../storage/database/database.ts';
import type { UploadsTable } from '../../../storage/database/tables/uploads.ts';
import type { FileCommits, FileRow, NewFile } from '../files/file-commits.ts';
import { insertArchives } from '../queries/archives.ts';
import { completeUploadFiles } from '../queries/uploads.ts';

/** A file of an upload whose bytes are all there. */
export type ReadyFile = {
  upload: UploadsTable;
  fileNo: number;
  fileName: string;
  path: string;
  totalChunks: number;
  /** Null for a file of a single chunk. */
  assemblyId: string | null;
  staged: StagedBlob;
  /** Present when it is to be unpacked, and so listed as PROCESSING until then. */
  archive: { announced: boolean } | undefined;
};

export type CompletedFile = { file: FileRow; staged: StagedBlob };

/** Makes complete files part of their dataset, many at a time. */
export type UploadCommitter = {
  /** Resolves when the file survives power loss; rejects when it can't be had, and then nothing is kept of it but an assembly. */
  commit(ready: ReadyFile): Promise<CompletedFile>;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
};

type Waiter = { ready: ReadyFile; resolve(completed: CompletedFile): void; reject(error: Error): void };

/** Bounds what one transaction holds. */
const maxGroupFiles = 2_000;

/**
 * Group commit: while one group is being made durable, the next gathers; a group costs one fsync of bytes and one
 * transaction per dataset, whatever its size.
 */
export function createUploadCommitter({
  db,
  blobs,
  commits,
  clock,
  onArchives,
}: {
  db: Database;
  blobs: BlobStore;
  commits: FileCommits;
  clock: Clock;
  /** Archives were committed and wait for being unpacked. */
  onArchives(): void;
}): UploadCommitter {
  let waiting: Waiter[] = [];
  const state: { running: Promise<void> | undefined } = { running: undefined };

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const group = waiting.splice(0, maxGroupFiles);
      try {
        await blobs.flush();
      } catch (error) {
        await settle(group.map(({ ready }) => ready));
        for (const { reject } of group) reject(error as Error);
        continue;
      }
      const byDataset = Map.groupBy(group, ({ ready }) => ready.upload.dataset_id);
      await Promise.all([...byDataset.values()].map(commitGroup));
    }
  }

  /** The files of one dataset in one transaction; one that is in conflict with another file fails alone. */
  async function commitGroup(group: readonly Waiter[]): Promise<void> {
    let failures: Map<Waiter, Error>;
    const rows = new Map<Waiter, FileRow>();
    try {
      failures = await db.write((tx) => addGroup(tx, group, rows));
    } catch (error) {
      failures = new Map(group.map((waiter) => [waiter, error as Error]));
    }
    const settled = settle(
      group.filter((waiter) => !failures.has(waiter) || waiter.ready.assemblyId === null).map((waiter) => waiter.ready),
    );
    let archives = false;
    for (const waiter of group) {
      const failure = failures.get(waiter);
      const file = rows.get(waiter);
      if (failure === undefined && file !== undefined) {
        archives ||= waiter.ready.archive !== undefined;
        waiter.resolve({ file, staged: waiter.ready.staged });
      } else {
        waiter.reject(failure ?? new Error('The commit gave no outcome for this file'));
      }
    }
    if (archives) onArchives();
    await settled;
  }

  async function addGroup(tx: Tx, group: readonly Waiter[], rows: Map<Waiter, FileRow>): Promise<Map<Waiter, Error>> {
    const failures = new Map<Waiter, Error>();
    const kept = new Map<string, StagedBlob>();
    for (const waiters of Map.groupBy(group, commitKey).values()) {
      const [first] = waiters;
      if (first === undefined) continue;
      const { dataset_id: datasetId, created_by: by, on_conflict: onConflict } = first.ready.upload;
      const files = waiters.map(({ ready }) => toNewFile(ready));
      const { version, outcomes } = await commits.add(tx, { datasetId, by, onConflict, files });
      for (const [index, waiter] of waiters.entries()) {
        const outcome = outcomes[index];
        if (outcome?.kind !== 'added') {
          failures.set(waiter, outcome?.error ?? new Error('The commit gave no outcome for this file'));
          continue;
        }
        rows.set(waiter, outcome.file);
        // Of equal paths in one version only the last one keeps its bytes.
        kept.set(`${version} ${outcome.file.path}`, waiter.ready.staged);
      }
    }
    // After the outcomes: the blob of a file in conflict must stay unknown, or its assembly could not be tried again.
    if (kept.size > 0) await blobs.adopt(tx, [...kept.values()]);
    const added = [...rows].map(([{ ready }, file]) => ({ ready, file }));
    if (added.length > 0) await completeUploadFiles(tx, added.map(toUploadFile));
    const keptIds = new Set([...kept.values()].map((staged) => staged.id));
    const archives = added.filter(({ ready }) => ready.archive !== undefined && keptIds.has(ready.staged.id));
    if (archives.length > 0) await insertArchives(tx, archives.map(toArchive));
    return failures;
  }

  function toArchive({ ready, file }: { ready: ReadyFile; file: FileRow }) {
    return {
      id: newId(),
      upload_id: ready.upload.id,
      file_no: ready.fileNo,
      dataset_id: ready.upload.dataset_id,
      file_id: file.file_id,
      path: file.path,
      blob_id: ready.staged.id,
      created_by: ready.upload.created_by,
      on_conflict: ready.upload.on_conflict,
      announced: ready.archive?.announced === true ? 1 : 0,
      state: 'PENDING' as const,
      file_count: 0,
      total_size_bytes: 0,
      refused_count: 0,
      refusals: '[]',
      error: null,
      created_at: isoNow(clock),
      ended_at: null,
    };
  }

  /** Erases bytes that found no use; a failure here leaves them to the sweep of the store. */
  async function settle(files: readonly ReadyFile[]): Promise<void> {
    await blobs.settle(files.map((file) => file.staged)).catch(() => {});
  }

  return {
    commit(ready) {
      return new Promise((resolve, reject) => {
        waiting.push({ ready, resolve, reject });
        state.running ??= run().finally(() => (state.running = undefined));
      });
    },
    async idle() {
      while (state.running !== undefined) await state.running;
    },
  };
}

function commitKey({ ready: { upload } }: Waiter): string {
  return `${upload.on_conflict} ${upload.created_by}`;
}

function toNewFile({ path, fileName, staged, archive }: ReadyFile): NewFile {
  return {
    path,
    originalName: fileName,
    sizeBytes: staged.sizeBytes,
    status: archive !== undefined ? 'PROCESSING' : 'COMPLETED',
    blobId: staged.id,
  };
}

function toUploadFile({ ready, file }: { ready: ReadyFile; file: FileRow }) {
  return {
    upload_id: ready.upload.id,
    file_no: ready.fileNo,
    file_name: ready.fileName,
    path: file.path,
    total_chunks: ready.totalChunks,
    assembly_id: ready.assemblyId,
    state: 'COMPLETED' as const,
    file_id: file.file_id,
    blob_id: ready.staged.id,
    size_bytes: ready.staged.sizeBytes,
    crc32: ready.staged.crc32,
  };
}
