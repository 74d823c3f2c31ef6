import { ApiError } from '../../../api/errors.ts';
import type { paths } from '../../../api/schema.ts';
import { UnreadableFileError, type Checksums } from './checksums.ts';
import { sendForm } from './form-sender.ts';

type GroupAnswer =
  paths['/api/v1/data-management/datasets/{datasetId}/files/upload/{reqId}/files']['post']['responses'][200]['content']['application/json'];

export type FileGroup = {
  datasetId: string;
  reqId: string;
  files: readonly { fileNo: number; fileName: string; blob: Blob }[];
};

/** Outcome of one file of a group: stored, or the reason why not. */
export type FileOutcome = { fileNo: number; storedPath: string | undefined; error: Error | undefined };

/** Sends small files together. If the whole call fails, it throws the same errors as a chunk's sender. */
export type SendFileGroup = (
  group: FileGroup,
  signal: AbortSignal,
  onProgress: (sentBytes: number) => void,
) => Promise<{ files: readonly FileOutcome[]; warnings: readonly string[] }>;

export function createFileGroupSender(checksums: Pick<Checksums, 'toForm'>): SendFileGroup {
  return async ({ datasetId, reqId, files }, signal, onProgress) => {
    const { body, contentType, unreadable } = await checksums.toForm(files);
    const failed = unreadable.map(({ fileNo, message }) => outcomeOf(fileNo, new UnreadableFileError(message)));
    if (failed.length === files.length) return { files: failed, warnings: [] };
    const totalBytes = files.reduce((sum, { blob }) => sum + blob.size, 0);
    const path = `/api/v1/data-management/datasets/${encodeURIComponent(datasetId)}/files/upload/${encodeURIComponent(reqId)}/files`;
    const answer = await sendForm<GroupAnswer>(path, { body, contentType }, signal, (share) =>
      onProgress(Math.round(share * totalBytes)),
    );
    const stored = answer.files.map(({ fileNo, fileCompleted, file, error }) => {
      if (fileCompleted) return { fileNo, storedPath: file?.filePath, error: undefined };
      const { error: code, message } = error ?? { error: 'UNKNOWN', message: 'The service did not take the file' };
      // The call itself succeeded with 200; the code tells the kind of refusal.
      return outcomeOf(
        fileNo,
        new ApiError({ status: 200, code, message, requestId: undefined, retryAfterSeconds: undefined }),
      );
    });
    return { files: [...failed, ...stored], warnings: answer.warnings ?? [] };
  };
}

function outcomeOf(fileNo: number, error: Error): FileOutcome {
  return { fileNo, storedPath: undefined, error };
}
