import { languagesOf } from '../../http/accept-language.ts';
import { readMultipart, receiveForm } from '../../http/multipart.ts';
import type { AreaRoutes } from '../../http/routes.ts';
import { NoContent } from '../../http/schemas.ts';
import { discardRest } from '../../http/unread-body.ts';
import type { ArchiveUploads } from './archives/archive-uploads.ts';
import { DatasetParams } from './schemas/datasets.ts';
import { FilesSchema } from './schemas/files.ts';
import {
  AnnouncementBody,
  ArchiveBodySchema,
  ArchiveStreamAnswerSchema,
  ArchiveStreamQuery,
  ChunkAnswerSchema,
  ChunkFormSchema,
  ReqIdSchema,
  UploadParams,
  UploadStatusQuery,
  UploadStatusSchema,
  WholeFilesFormSchema,
} from './schemas/uploads.ts';
import type { UploadChunks } from './uploads/upload-chunks.ts';
import type { Uploads } from './uploads/uploads.ts';
import type { WholeChunks } from './uploads/whole-chunks.ts';
import type { WholeFileUploads } from './uploads/whole-file-uploads.ts';

export type UploadNouns = {
  uploads: Uploads;
  chunks: UploadChunks;
  wholeChunks: WholeChunks;
  wholeFiles: WholeFileUploads;
  archives: ArchiveUploads;
};

const tags = ['Uploads'];

/** The four ways to upload files: in chunks, whole, as an archive in chunks, and as a stream. */
export function uploadRoutes({ uploads, chunks, wholeChunks, wholeFiles, archives }: UploadNouns): AreaRoutes {
  return (app) => {
    app.post(
      '/datasets/:datasetId/files/upload/pre-upload',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'announceUpload',
          summary: 'Start a chunked upload',
          description:
            'Returns the request ID to send with each chunk. All files of the upload form one version of the dataset. An upload expires after 7 days without a chunk.',
          tags,
          params: DatasetParams,
          body: AnnouncementBody,
          response: { 200: ReqIdSchema },
        },
      },
      async (request, reply) => {
        const { datasetId } = request.params;
        const by = request.principal.username;
        const reqId = await uploads.announce({
          datasetId,
          by,
          announcement: request.body,
          languages: languagesOf(request.headers['accept-language']),
        });
        // Fastify would send a string as is; the contract requires JSON.
        return reply.type('application/json; charset=utf-8').serializer(JSON.stringify).send(reqId);
      },
    );
    app.post(
      '/datasets/:datasetId/files/upload/chunk',
      {
        config: {
          access: 'EDITOR',
          rateLimit: 'deferred',
          body: 'stream',
          takeWholeForm: ({ datasetId = '' }, form) => wholeChunks.receive(datasetId, form),
          streamBody: { contentType: 'multipart/form-data', schema: ChunkFormSchema },
        },
        schema: {
          operationId: 'uploadChunk',
          summary: 'Send one chunk of a file',
          description:
            'Form fields and chunks may be sent in any order, and chunks also in parallel; sending a chunk again is harmless. A chunk has at most 64 MiB, a file at most 100,000 chunks.',
          tags,
          params: DatasetParams,
          response: { 200: ChunkAnswerSchema },
        },
      },
      async (request) => {
        const { datasetId } = request.params;
        const reception = chunks.receive({ datasetId, charge: () => request.chargeRateLimit() });
        try {
          await readMultipart(request.raw, reception);
        } catch (error) {
          throw await reception.refuse(error);
        }
        return reception.finish();
      },
    );
    app.get(
      '/datasets/:datasetId/files/upload/:reqId',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'getUpload',
          summary: 'Get what an upload has received and what is missing',
          tags,
          params: UploadParams,
          querystring: UploadStatusQuery,
          response: { 200: UploadStatusSchema },
        },
      },
      ({ params, query }) => uploads.status(params.datasetId, params.reqId, query.fromFileNo),
    );
    app.delete(
      '/datasets/:datasetId/files/upload/:reqId',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'abandonUpload',
          summary: 'Cancel an upload; completed files stay in the dataset',
          tags,
          params: UploadParams,
          response: { 204: NoContent },
        },
      },
      async ({ params }) => {
        await uploads.abandon(params.datasetId, params.reqId);
        return null;
      },
    );
    app.post(
      '/datasets/:datasetId/files/upload',
      {
        config: {
          access: 'EDITOR',
          body: 'stream',
          streamBody: { contentType: 'multipart/form-data', schema: WholeFilesFormSchema },
        },
        schema: {
          operationId: 'uploadFiles',
          summary: 'Send whole files',
          description:
            'The filename of a file may be a relative path. All files form one version, or none is stored: two files of one path are refused, with RENAME both are kept.',
          tags,
          params: DatasetParams,
          response: { 201: FilesSchema },
        },
      },
      async (request) => {
        const { datasetId } = request.params;
        const reception = wholeFiles.receive({ datasetId, by: request.principal.username });
        return receiveForm(request.raw, reception);
      },
    );
    app.post(
      '/datasets/:datasetId/files/upload/stream',
      {
        config: {
          access: 'EDITOR',
          body: 'stream',
          streamBody: { contentType: 'application/octet-stream', schema: ArchiveBodySchema },
        },
        schema: {
          operationId: 'uploadArchive',
          summary: 'Send many files as one tar or zip archive',
          description:
            'The body is the archive. A tar (optionally with gzip) is unpacked as it arrives, a zip after it has arrived. The entries form one version, including the empty folders of the archive; nothing is stored if the archive is damaged or incomplete. A zip may be preceded by a program; its directory determines its entries, and a wrong entry count in its end record causes only a warning. Volume labels of a tar, and bytes after the end of the tar or its gzip stream, are skipped with a warning; sparse files are expanded. For names of a zip that are not declared as Unicode, the encoding is guessed from all of them together, with the languages of `Accept-Language` as a hint; a warning says so.',
          tags,
          params: DatasetParams,
          querystring: ArchiveStreamQuery,
          response: { 201: ArchiveStreamAnswerSchema },
        },
      },
      async (request) => {
        const body = request.raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
        try {
          return await archives.receive({
            ...request.query,
            datasetId: request.params.datasetId,
            by: request.principal.username,
            languages: languagesOf(request.headers['accept-language']),
            body,
          });
        } finally {
          discardRest(request.raw);
        }
      },
    );
  };
}
