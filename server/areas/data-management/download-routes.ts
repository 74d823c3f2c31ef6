import { sendContent } from '../../http/byte-response.ts';
import type { AreaRoutes } from '../../http/routes.ts';
import type { Downloads } from './downloads/downloads.ts';
import { DatasetParams } from './schemas/datasets.ts';
import { conditionsNote, downloadResponses } from '../../http/download-schemas.ts';
import { DataManagementErrorSchema } from '../../http/schemas.ts';
import { ArchiveQuery, DownloadQuery, skippedFilesHeader } from './schemas/downloads.ts';
import { FileParams } from './schemas/files.ts';

const tags = ['Files'];

/** The content of files, individually and as archives. */
export function downloadRoutes({ downloads }: { downloads: Downloads }): AreaRoutes {
  return (app) => {
    app.get(
      '/datasets/:datasetId/files/:fileId/download',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'downloadFile',
          summary: 'Download a file, now or as it was at a version',
          description: `Only COMPLETED files; others are 409 FILE_NOT_COMPLETED. ${conditionsNote}`,
          tags,
          params: FileParams,
          querystring: DownloadQuery,
          response: downloadResponses('The bytes of the file', 'application/octet-stream', {
            error: DataManagementErrorSchema,
          }),
        },
      },
      async (request, reply) => {
        const { datasetId, fileId } = request.params;
        return sendContent(request, reply, await downloads.file(datasetId, fileId, request.query.version));
      },
    );
    app.get(
      '/datasets/:datasetId/files/download',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'downloadFiles',
          summary: 'Download the files of a version as one ZIP',
          description:
            'Contains the COMPLETED files and the explicit empty folders of one version, regardless of later commits. ' +
            `Equal content gives an equal archive. ${conditionsNote}`,
          tags,
          params: DatasetParams,
          querystring: ArchiveQuery,
          response: downloadResponses('The archive', 'application/zip', {
            headers: skippedFilesHeader,
            error: DataManagementErrorSchema,
          }),
        },
      },
      async (request, reply) => {
        const { skippedFiles, ...content } = await downloads.archive(request.params.datasetId, request.query);
        return sendContent(request, reply, {
          ...content,
          headers: { 'x-tilth-skipped-files': String(skippedFiles) },
        });
      },
    );
  };
}
