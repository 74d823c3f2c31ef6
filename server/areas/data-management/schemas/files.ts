import { Type, type Static } from 'typebox';
import {
  codeFields,
  IdSchema,
  namedObject,
  nullable,
  oneOf,
  pageOf,
  pageQuery,
  sortQuery,
  TimestampSchema,
} from '../../../http/schemas.ts';
import { recordOf } from '../../../kernel/record-schema.ts';

export const fileStatuses = ['COMPLETED', 'PROCESSING', 'ERROR'] as const;

const FileStatusSchema = oneOf('FileStatus', fileStatuses);

const FileOriginSchema = namedObject(
  'FileOrigin',
  {
    connector: Type.String({ description: 'Type of the connector' }),
    name: Type.String({ description: 'URL, key, path or query at the source' }),
    taskId: IdSchema,
    runId: IdSchema,
    fetchedAt: TimestampSchema,
    evidence: Type.Optional(
      recordOf(Type.Unknown(), {
        description: 'Metadata from the source: validators, robots.txt, reservations',
      }),
    ),
  },
  { description: 'Where the content was collected from; null for an upload' },
);

export const FileSchema = namedObject('DatasetFile', {
  id: IdSchema,
  fileName: Type.String({ description: 'Last segment of the path' }),
  originalName: Type.String({ description: 'Name as sent by the client' }),
  fileType: Type.String({ description: "Lower-case extension without the dot; '' if there is none" }),
  fileSize: Type.Integer({ description: 'Bytes' }),
  status: FileStatusSchema,
  filePath: Type.String({ description: 'Path in the dataset, with / between segments' }),
  uploadTime: TimestampSchema,
  uploadedBy: Type.String({ description: 'User name' }),
  sha256: nullable(Type.String({ description: 'SHA-256 of the content, lower-case hex; null until computed' })),
  contentType: Type.String({ description: 'Media type' }),
  error: nullable(Type.String({ description: 'Reason, if the status is ERROR' })),
  ...codeFields('error'),
  updatedAt: TimestampSchema,
  origin: Type.Union([FileOriginSchema, Type.Null()]),
});
export type File = Static<typeof FileSchema>;

export const FilesSchema = Type.Array(FileSchema);

export const FolderSchema = namedObject('Folder', {
  path: Type.String(),
  name: Type.String({ description: 'Last segment of the path' }),
  fileCount: Type.Integer({ description: 'Number of files at any depth below' }),
  totalSize: Type.Integer({ description: 'Total size of these files' }),
});
export type Folder = Static<typeof FolderSchema>;

export const FilePageSchema = namedObject('DatasetFilePage', {
  ...pageOf(FileSchema).properties,
  directories: Type.Optional(
    Type.Array(FolderSchema, {
      description:
        'With directories=true: the folders on this page. Folders come before files; size and totalElements count both.',
    }),
  ),
});
export type FilePage = Static<typeof FilePageSchema>;

const version = Type.Optional(
  Type.Integer({ minimum: 1, description: 'Version of the dataset; default: the current one' }),
);

export const fileSortFields = ['filePath', 'fileSize', 'fileType', 'status', 'uploadTime', 'updatedAt'] as const;

export const FilesQuery = Type.Object({
  ...pageQuery,
  fileType: Type.Optional(Type.String({ description: "Extension without the dot, not case-sensitive; '' for none" })),
  status: Type.Optional(FileStatusSchema),
  prefix: Type.Optional(
    Type.String({ description: 'Folder: files at any depth below it; with directories=true, only directly in it' }),
  ),
  keyword: Type.Optional(
    Type.String({
      description: 'Part of the path (with directories=true: of the name); literal, not case-sensitive',
    }),
  ),
  version,
  directories: Type.Boolean({ default: false, description: 'List a single level with its folders and files' }),
  sort: sortQuery('DatasetFileSort', fileSortFields),
});
export type FilesQuery = Static<typeof FilesQuery>;

export const FileParams = Type.Object({ datasetId: IdSchema, fileId: IdSchema });
export const FileQuery = Type.Object({ version });

export const FileChangesBody = namedObject('DatasetFileChanges', {
  fileName: Type.Optional(Type.String({ description: 'New name in the same folder' })),
  filePath: Type.Optional(Type.String({ description: 'New path in the dataset' })),
});
export type FileChanges = Static<typeof FileChangesBody>;

export const purge = Type.Boolean({
  default: false,
  description: 'Erase the content from all versions instead of only creating a version without the files',
});
export const PurgeQuery = Type.Object({ purge });

export const BatchDeleteBody = namedObject('FileDeletion', {
  fileIds: Type.Array(IdSchema, { minItems: 1, maxItems: 10_000 }),
  purge: Type.Optional(purge),
});
export type BatchDelete = Static<typeof BatchDeleteBody>;

export const BatchDeleteResultSchema = namedObject('FileDeletionResult', {
  version: Type.Integer({ description: 'Version of the dataset that no longer has the files' }),
  deleted: Type.Integer({ description: 'Deleted files' }),
  notFound: Type.Array(IdSchema, { description: 'IDs that match no file in the dataset' }),
});
export type BatchDeleteResult = Static<typeof BatchDeleteResultSchema>;

export const NewDirectoryBody = namedObject('NewDirectory', {
  parentPrefix: Type.Optional(Type.String({ description: 'Parent folder; default: the root' })),
  directoryName: Type.String({ description: 'One segment of a path' }),
});
export type NewDirectory = Static<typeof NewDirectoryBody>;

export const DirectorySchema = namedObject('Directory', {
  path: Type.String(),
  name: Type.String({ description: 'Last segment of the path' }),
  createdAt: TimestampSchema,
});
export type Directory = Static<typeof DirectorySchema>;

export const DirectoryQuery = Type.Object({ path: Type.String({ description: 'The folder to delete' }), purge });
