import type { Engine } from '../../../engine/index.ts';
import { withSentences } from '../../../documents/index.ts';
import { codedReason } from '../../../kernel/sentences/index.ts';
import type { Database } from '../../../storage/database/database.ts';
import { dataErrors } from '../errors.ts';
import { findDataset } from '../queries/datasets.ts';
import { findDownload } from '../queries/downloads.ts';
import { findVersion } from '../queries/versions.ts';
import type { FilePreview, FilePreviewQuery } from '../schemas/file-previews.ts';

/** Shows the beginning of files the way runs read them. */
export type FilePreviews = {
  /** Throws DATASET_NOT_FOUND, VERSION_NOT_FOUND, FILE_NOT_FOUND, FILE_NOT_COMPLETED. */
  read(datasetId: string, fileId: string, query: FilePreviewQuery): Promise<FilePreview>;
};

export function createFilePreviews({
  db,
  engine,
}: {
  db: Database;
  engine: Pick<Engine, 'previewFile'>;
}): FilePreviews {
  return {
    async read(datasetId, fileId, { version: asked, maxBytes }) {
      const dataset = await findDataset(db.read, datasetId);
      if (dataset === undefined) throw dataErrors.DATASET_NOT_FOUND({ id: datasetId });
      const version = asked ?? dataset.version;
      if ((await findVersion(db.read, datasetId, version)) === undefined)
        throw dataErrors.VERSION_NOT_FOUND({ version });
      const row = await findDownload(db.read, { datasetId, fileId, version });
      if (row === undefined) throw dataErrors.FILE_NOT_FOUND({ id: fileId });
      const { path, status, blob_id: blobId, size_bytes: sizeBytes } = row;
      if (status !== 'COMPLETED') throw dataErrors.FILE_NOT_COMPLETED({ path, status });
      const { receipt, problem, ...found } = await engine.previewFile({ fileId, path, sizeBytes, blobId }, maxBytes);
      return {
        ...found,
        receipt: withSentences(receipt),
        ...codedReason('problem', problem),
      };
    },
  };
}
