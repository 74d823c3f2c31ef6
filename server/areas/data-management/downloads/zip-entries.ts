import type { Database } from '../../../storage/database/database.ts';
import { dataErrors } from '../errors.ts';
import {
  listDownloads,
  listDownloadsById,
  listEmptyDirectories,
  type DownloadFilter,
  type DownloadRow,
} from '../queries/downloads.ts';
import type { ZipBatch } from './zip-layout.ts';
import type { ZipEntry } from './zip-records.ts';

/** Which files of a version go into an archive. */
export type ZipSelection = DownloadFilter & { fileIds?: readonly string[] | undefined };

/** Entries after one path, up to and including another. */
export type ZipBatchKey = { of: 'directories' | 'files'; after: string; upTo: string };

export type ZipEntries = {
  /** Empty folders, then files, each in path order; throws FILE_NOT_FOUND for an unknown id. */
  batches(): AsyncIterable<ZipBatch<ZipBatchKey>>;
  /** Loads the entries of a batch again. */
  load(key: ZipBatchKey): Promise<ZipEntry[]>;
  /** Files left out because they are not COMPLETED; known after the batches have been iterated. */
  readonly skippedFiles: number;
};

const batchSize = 1_024;

/** Reads the entries of an archive from the database, a batch at a time. */
export function createZipEntries(db: Database, selection: ZipSelection): ZipEntries {
  const { fileIds, fileType } = selection;
  let skippedFiles = 0;

  async function* directories(): AsyncGenerator<ZipBatch<ZipBatchKey>> {
    for (let after = ''; ;) {
      const rows = await listEmptyDirectories(db.scan, selection, after, { limit: batchSize });
      const last = rows.at(-1);
      if (last === undefined) return;
      yield { key: { of: 'directories', after, upTo: last.path }, entries: rows.map(directoryEntry) };
      after = last.path;
    }
  }

  async function* files(): AsyncGenerator<ZipBatch<ZipBatchKey>> {
    for (let after = ''; ;) {
      const rows = await listDownloads(db.scan, selection, after, { limit: batchSize });
      const last = rows.at(-1);
      if (last === undefined) return;
      const entries = completeEntries(rows);
      skippedFiles += rows.length - entries.length;
      yield { key: { of: 'files', after, upTo: last.path }, entries };
      after = last.path;
    }
  }

  /** The selected files, few enough to fit into a URL. */
  async function listWanted(ids: readonly string[]): Promise<DownloadRow[]> {
    const rows = await listDownloadsById(db.scan, selection, ids);
    const found = new Set(rows.map((row) => row.file_id));
    const missing = ids.find((id) => !found.has(id));
    if (missing !== undefined) throw dataErrors.FILE_NOT_FOUND({ id: missing });
    const folder = selection.below === '' ? '' : `${selection.below}/`;
    return rows.filter((row) => row.path.startsWith(folder) && (fileType === undefined || row.file_type === fileType));
  }

  return {
    async *batches() {
      skippedFiles = 0;
      if (fileIds !== undefined) {
        const rows = await listWanted(fileIds);
        const entries = completeEntries(rows);
        skippedFiles = rows.length - entries.length;
        yield { key: { of: 'files', after: '', upTo: rows.at(-1)?.path ?? '' }, entries };
        return;
      }
      // A folder has no file type.
      if (fileType === undefined) yield* directories();
      yield* files();
    },
    async load({ of, after, upTo }) {
      if (fileIds !== undefined) return completeEntries(await listWanted(fileIds));
      if (of === 'directories')
        return (await listEmptyDirectories(db.scan, selection, after, { upTo })).map(directoryEntry);
      return completeEntries(await listDownloads(db.scan, selection, after, { upTo }));
    },
    get skippedFiles() {
      return skippedFiles;
    },
  };
}

function completeEntries(rows: readonly DownloadRow[]): ZipEntry[] {
  const entries: ZipEntry[] = [];
  for (const row of rows) if (row.status === 'COMPLETED') entries.push(fileEntry(row));
  return entries;
}

function fileEntry({ path, size_bytes, crc32, uploaded_at, blob_id }: DownloadRow): ZipEntry {
  const sizeBytes = blob_id === null ? 0 : size_bytes;
  return { path, sizeBytes, crc32, modifiedAtMs: Date.parse(uploaded_at), blobId: blob_id };
}

function directoryEntry({ path, created_at }: { path: string; created_at: string }): ZipEntry {
  return { path: `${path}/`, sizeBytes: 0, crc32: 0, modifiedAtMs: Date.parse(created_at), blobId: null };
}
