import { invalid } from '../../../kernel/errors.ts';
import { parameterProblems } from '../../../kernel/parameter-problems.ts';
import type { ByteSource } from '../../../kernel/byte-source.ts';
import { fileNameOf, parsePrefix } from '../../../kernel/file-path.ts';
import { idPattern } from '../../../kernel/ids.ts';
import type { BlobStore } from '../../../storage/blobs/blob-store.ts';
import type { Database } from '../../../storage/database/database.ts';
import { isStorageFull } from '../../../storage/database/sql.ts';
import { createBlobSource } from '../../../storage/blobs/blob-source.ts';
import { dataErrors } from '../errors.ts';
import type { FileCommits } from '../files/file-commits.ts';
import { findDownload } from '../queries/downloads.ts';
import type { ArchiveQuery } from '../schemas/downloads.ts';
import { getDatasetVersion, type DatasetVersion } from '../versions/dataset-version.ts';
import { createZipEntries, type ZipSelection } from './zip-entries.ts';
import { createZipLayouts } from './zip-layouts.ts';
import { createZipSource } from './zip-source.ts';

/** The bytes to send, and their headers. */
export type Download = {
  source: ByteSource;
  /** Strong entity tag. */
  tag: string;
  contentType: string;
  fileName: string;
};

export type Downloads = {
  /**
   * The current content of a file, or that at a version. Throws DATASET_NOT_FOUND, VERSION_NOT_FOUND, FILE_NOT_FOUND, and
   * FILE_NOT_COMPLETED for a file that is still being unpacked or has failed.
   */
  file(datasetId: string, fileId: string, version?: number): Promise<Download>;
  /**
   * The files of a version as a ZIP, unaffected by later commits; `skippedFiles` are those that are not COMPLETED. Throws like
   * `file`; its source throws CONTENT_CHANGED when a purge removes files midway.
   */
  archive(datasetId: string, query: ArchiveQuery): Promise<Download & { skippedFiles: number }>;
};

export function createDownloads({
  db,
  blobs,
  commits,
}: {
  db: Database;
  blobs: Pick<BlobStore, 'open' | 'readAll'>;
  commits: Pick<FileCommits, 'closeVersion'>;
}): Downloads {
  const layouts = createZipLayouts();

  /** Closes the version first, so that it stays the same while it is read piece by piece. */
  async function getClosedVersion(datasetId: string, asked: number | undefined): Promise<DatasetVersion> {
    const found = await getDatasetVersion(db, datasetId, asked);
    const { dataset, version } = found;
    if (dataset.open_upload_id === null || version.version !== dataset.version) return found;
    try {
      await db.write((tx) => commits.closeVersion(tx, datasetId, version.version));
    } catch (error) {
      // On a full disk no commit can add to the version either, and stored data stays readable.
      if (!isStorageFull(error)) throw error;
    }
    return getDatasetVersion(db, datasetId, version.version);
  }

  return {
    async file(datasetId, fileId, asked) {
      const { version } = await getDatasetVersion(db, datasetId, asked);
      const row = await findDownload(db.read, { datasetId, fileId, version: version.version });
      if (row === undefined) throw dataErrors.FILE_NOT_FOUND({ id: fileId });
      const { path, status, error, blob_id: blobId } = row;
      if (status !== 'COMPLETED')
        throw dataErrors.FILE_NOT_COMPLETED({ path, status: error === null ? status : `${status} (${error})` });
      const source =
        blobId === null
          ? emptySource
          : createBlobSource(blobs, { id: blobId, sizeBytes: row.size_bytes, crc32: row.crc32 });
      return { source, tag: blobId ?? 'empty', contentType: row.content_type, fileName: fileNameOf(path) };
    },

    async archive(datasetId, query) {
      const { dataset, version } = await getClosedVersion(datasetId, query.version);
      const selection = selectionOf(datasetId, version.version, query);
      const entries = createZipEntries(db, selection);
      // A purge changes the version's totals, a new status the dataset's: a layout is not reused after either.
      const totals = [version.file_count, version.total_size_bytes, dataset.version, dataset.completed_count];
      const key = JSON.stringify([selection, totals]);
      const { layout, skippedFiles } = await layouts.get(key, entries);
      return {
        source: createZipSource({ layout, load: entries.load, blobs }),
        tag: layout.tag,
        contentType: 'application/zip',
        fileName: `${dataset.name}.zip`,
        skippedFiles,
      };
    },
  };
}

const emptySource: ByteSource = {
  sizeBytes: 0,
  open: async () => ({ fill: async () => 0, close: async () => {} }),
};

function selectionOf(datasetId: string, version: number, query: ArchiveQuery): ZipSelection {
  return {
    datasetId,
    version,
    below: parsePrefix('prefix', query.prefix ?? ''),
    fileType: query.fileType?.toLowerCase(),
    fileIds: query.fileIds === undefined ? undefined : parseIds(query.fileIds),
  };
}

function parseIds(list: string): string[] {
  const ids = list.split(',').map((id) => id.trim());
  const pattern = new RegExp(idPattern);
  if (!ids.every((id) => pattern.test(id))) throw invalid('fileIds', parameterProblems.MUST_BE_IDS.reason({}));
  return [...new Set(ids)].toSorted();
}
