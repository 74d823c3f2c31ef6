import { receiveForm } from '../../http/multipart.ts';
import type { AreaRoutes } from '../../http/routes.ts';
import { FileGroupAnswerSchema, FileGroupFormSchema } from './schemas/file-groups.ts';
import { UploadParams } from './schemas/uploads.ts';
import type { FileGroups } from './uploads/file-groups.ts';

/** Many small files of an announced upload in one request. */
export function fileGroupRoutes({ fileGroups }: { fileGroups: FileGroups }): AreaRoutes {
  return (app) => {
    app.post(
      '/datasets/:datasetId/files/upload/:reqId/files',
      {
        config: {
          access: 'EDITOR',
          rateLimit: 'deferred',
          body: 'stream',
          streamBody: { contentType: 'multipart/form-data', schema: FileGroupFormSchema },
        },
        schema: {
          operationId: 'uploadSmallFiles',
          summary: 'Send many small files of an upload',
          description:
            'For files that fit in one chunk: the form contains `fileNo`, `fileName`, optionally `checkSumHex`, then `file`, repeated for ' +
            'each file. Each refused file is listed with its reason, and the others are stored; sending a file again is harmless.',
          tags: ['Uploads'],
          params: UploadParams,
          response: { 200: FileGroupAnswerSchema },
        },
      },
      async (request) => {
        const { datasetId, reqId } = request.params;
        const reception = fileGroups.receive({ datasetId, uploadId: reqId, charge: () => request.chargeRateLimit() });
        return receiveForm(request.raw, reception);
      },
    );
  };
}
