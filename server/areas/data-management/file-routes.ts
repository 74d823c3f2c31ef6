import type { AreaRoutes } from '../../http/routes.ts';
import { NoContent } from '../../http/schemas.ts';
import type { Purges } from './purges/purges.ts';
import type { FilePreviews } from './files/file-previews.ts';
import type { Files } from './files/files.ts';
import { DatasetParams } from './schemas/datasets.ts';
import { FilePreviewQuery, FilePreviewSchema } from './schemas/file-previews.ts';
import {
  BatchDeleteBody,
  BatchDeleteResultSchema,
  DirectoryQuery,
  DirectorySchema,
  FileChangesBody,
  FilePageSchema,
  FileParams,
  FileQuery,
  FileSchema,
  FilesQuery,
  NewDirectoryBody,
  PurgeQuery,
} from './schemas/files.ts';

const tags = ['Files'];

/** Files and folders of a dataset, except for their content. */
export function fileRoutes({
  files,
  filePreviews,
  purges,
}: {
  files: Files;
  filePreviews: FilePreviews;
  purges: Purges;
}): AreaRoutes {
  return (app) => {
    app.get(
      '/datasets/:datasetId/files',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'listFiles',
          summary: 'List files by path',
          tags,
          params: DatasetParams,
          querystring: FilesQuery,
          response: { 200: FilePageSchema },
        },
      },
      (request) => files.list(request.params.datasetId, request.query),
    );
    app.get(
      '/datasets/:datasetId/files/:fileId',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'getFile',
          summary: 'Get a file, now or as it was at a version',
          tags,
          params: FileParams,
          querystring: FileQuery,
          response: { 200: FileSchema },
        },
      },
      (request) => files.get(request.params.datasetId, request.params.fileId, request.query.version),
    );
    app.get(
      '/datasets/:datasetId/files/:fileId/preview',
      {
        config: { access: 'VIEWER' },
        schema: {
          operationId: 'previewFile',
          summary: 'Show the beginning of a file as a run reads it',
          description:
            'Decodes text, decompresses files (.gz, .zst, .bz2), and returns rows of Parquet files and JSON arrays as JSON Lines and documents as ' +
            'their text with its receipt. Reads only as much as `maxBytes` requires.',
          tags,
          params: FileParams,
          querystring: FilePreviewQuery,
          response: { 200: FilePreviewSchema },
        },
      },
      ({ params, query }) => filePreviews.read(params.datasetId, params.fileId, query),
    );
    app.patch(
      '/datasets/:datasetId/files/:fileId',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'updateFile',
          summary: 'Rename or move a file',
          tags,
          params: FileParams,
          body: FileChangesBody,
          response: { 200: FileSchema },
        },
      },
      ({ params, body, principal }) => files.update(params.datasetId, params.fileId, body, principal.username),
    );
    app.delete(
      '/datasets/:datasetId/files/:fileId',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'deleteFile',
          summary: 'Delete a file; older versions keep it unless it is purged',
          tags,
          params: FileParams,
          querystring: PurgeQuery,
          response: { 204: NoContent },
        },
      },
      async ({ params, query, principal }) => {
        await purges.remove(params.datasetId, params.fileId, query.purge, principal.username);
        return null;
      },
    );
    app.post(
      '/datasets/:datasetId/files/batch-delete',
      {
        // 10,000 ids of 64 characters.
        bodyLimit: 1024 * 1024,
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'deleteFiles',
          summary: 'Delete several files in one version',
          tags,
          params: DatasetParams,
          body: BatchDeleteBody,
          response: { 200: BatchDeleteResultSchema },
        },
      },
      (request) => purges.removeMany(request.params.datasetId, request.body, request.principal.username),
    );
    app.post(
      '/datasets/:datasetId/files/directories',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'createDirectory',
          summary: 'Create a folder, which stays even when empty',
          tags,
          params: DatasetParams,
          body: NewDirectoryBody,
          response: { 201: DirectorySchema },
        },
      },
      (request) => files.createDirectory(request.params.datasetId, request.body, request.principal.username),
    );
    app.delete(
      '/datasets/:datasetId/files/directories',
      {
        config: { access: 'EDITOR' },
        schema: {
          operationId: 'deleteDirectory',
          summary: 'Delete a folder and everything in it',
          tags,
          params: DatasetParams,
          querystring: DirectoryQuery,
          response: { 204: NoContent },
        },
      },
      async ({ params, query, principal }) => {
        await purges.removeDirectory(params.datasetId, query.path, query.purge, principal.username);
        return null;
      },
    );
  };
}
