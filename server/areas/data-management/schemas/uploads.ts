import { Type, type Static } from 'typebox';
import { IdSchema, namedObject, nullable, oneOf, TimestampSchema } from '../../../http/schemas.ts';
import { FileSchema } from './files.ts';

export const conflictPolicies = ['REPLACE', 'RENAME', 'ERROR'] as const;

export const conflictPolicy = (options: { default?: 'REPLACE' } = {}) =>
  oneOf('ConflictPolicy', conflictPolicies, {
    description:
      'Where a file stands already: take its place (the old content stays in the older version), take the next free name, or answer 409 FILE_ALREADY_EXISTS',
    ...options,
  });

export const unpackPlaces = ['PREFIX', 'FOLDER'] as const;

const unpackPlace = () =>
  oneOf('UnpackPlace', unpackPlaces, {
    description:
      'Where the entries of an archive go: where the archive stands (PREFIX), or below a folder of its name without its extension (FOLDER)',
  });

export const AnnouncementBody = namedObject('UploadAnnouncement', {
  totalFileNum: Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Number of files of the upload' }),
  totalSize: Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Bytes of all files; fewer are fine, more are refused',
  }),
  hasArchive: Type.Optional(
    Type.Boolean({ description: 'Unpack files that are zip, tar or tar.gz by content once they are complete' }),
  ),
  prefix: Type.Optional(Type.String({ description: 'Folder of the dataset in which the files are to stand' })),
  chunkSize: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Bytes of every chunk of a file but its last; at most 64 MiB' }),
  ),
  onConflict: Type.Optional(conflictPolicy()),
  unpackInto: Type.Optional(unpackPlace()),
});
export type Announcement = Static<typeof AnnouncementBody>;

export const ReqIdSchema = Type.String({ description: 'The request id, to be sent with each chunk' });

export const ChunkAnswerSchema = namedObject('ChunkAnswer', {
  reqId: IdSchema,
  fileNo: Type.Integer(),
  fileName: Type.String(),
  chunkNo: Type.Integer(),
  totalChunkNum: Type.Integer(),
  receivedChunks: Type.Integer({ description: 'Chunks of this file that have arrived, this one included' }),
  fileCompleted: Type.Boolean(),
  uploadCompleted: Type.Boolean({ description: 'All announced files are complete' }),
  file: Type.Optional(FileSchema),
  warnings: Type.Optional(Type.Array(Type.String())),
});
export type ChunkAnswer = Static<typeof ChunkAnswerSchema>;

const binary = (description: string) => Type.Unsafe<never>({ type: 'string', format: 'binary', description });

export const ChunkFormSchema = namedObject('ChunkForm', {
  reqId: Type.String({ description: 'Request id returned by pre-upload' }),
  fileNo: Type.Integer({ minimum: 0, description: 'Number of the file within the upload' }),
  fileName: Type.String({ description: 'Name or relative path of the file' }),
  totalChunkNum: Type.Integer({ minimum: 1, maximum: 100_000, description: 'Number of chunks of the file' }),
  chunkNo: Type.Integer({ minimum: 1, description: 'Current chunk, starting from 1' }),
  file: binary('Bytes of the chunk, at most 64 MiB'),
  checkSumHex: Type.Optional(
    Type.String({ description: 'Of the chunk; by its length CRC-32 (8), MD5 (32), SHA-1 (40) or SHA-256 (64)' }),
  ),
});

export const WholeFilesFormSchema = namedObject('FilesForm', {
  files: Type.Array(binary('One file'), { minItems: 1 }),
  prefix: Type.Optional(Type.String({ description: 'Folder of the dataset in which the files are to stand' })),
  onConflict: Type.Optional(conflictPolicy()),
});

export const ArchiveBodySchema = binary('The archive');

const rangeSchema = namedObject('NumberRange', { from: Type.Integer(), to: Type.Integer() });

const refusalsSchema = Type.Array(namedObject('Refusal', { path: Type.String(), reason: Type.String() }), {
  description: 'The first of the entries that did not come in, and why',
});

const paths = (description: string) =>
  Type.Array(Type.String(), { description: `The first hundred of them: ${description}` });

/** What entries of an archive did to other files. */
const effectsSchemas = {
  replaced: Type.Integer({
    description: 'Entries that took the place of a file, whose content stays in the older version',
  }),
  replacedPaths: paths('paths of replaced files'),
  renamed: Type.Integer({ description: 'Entries that came in under another name, for theirs was taken' }),
  renames: Type.Array(namedObject('RenamedEntry', { path: Type.String(), renamedTo: Type.String() }), {
    description: 'The first hundred of them',
  }),
  overwritten: Type.Integer({
    description: 'Entries that a later one of the same path in the archive has overwritten; they are not among files',
  }),
  overwrittenPaths: paths('paths that came more than once'),
};

export const UploadParams = Type.Object({ datasetId: IdSchema, reqId: IdSchema });

export const UploadStatusQuery = Type.Object({
  fromFileNo: Type.Integer({ minimum: 0, default: 0, description: 'First file number of the lists' }),
});

export const UploadStatusSchema = namedObject('Upload', {
  reqId: IdSchema,
  datasetId: IdSchema,
  hasArchive: Type.Boolean(),
  totalFileNum: Type.Integer(),
  totalSize: Type.Integer(),
  prefix: Type.String(),
  chunkSize: nullable(Type.Integer()),
  onConflict: oneOf('ConflictPolicy', conflictPolicies),
  unpackInto: oneOf('UnpackPlace', unpackPlaces),
  createdAt: TimestampSchema,
  createdBy: Type.String(),
  expiresAt: TimestampSchema,
  uploadCompleted: Type.Boolean(),
  completedFiles: Type.Integer(),
  incompleteFiles: Type.Integer({ description: 'Files of which some chunks have arrived' }),
  missingFiles: Type.Integer({ description: 'Files of which nothing has arrived' }),
  receivedBytes: Type.Integer(),
  completed: Type.Array(rangeSchema, { description: 'Numbers of complete files from fromFileNo on, as ranges' }),
  incomplete: Type.Array(
    namedObject('IncompleteFile', {
      fileNo: Type.Integer(),
      fileName: Type.String(),
      totalChunkNum: Type.Integer(),
      chunkSize: nullable(Type.Integer({ description: 'Bytes of every chunk but the last, once it is known' })),
      receivedChunks: Type.Integer(),
      receivedBytes: Type.Integer(),
      missingChunks: Type.Array(rangeSchema, { description: 'The first thousand missing chunks, as ranges' }),
    }),
  ),
  nextFileNo: nullable(Type.Integer({ description: 'fromFileNo with which the lists go on; null at their end' })),
  archives: Type.Array(
    namedObject('ArchiveReceipt', {
      fileNo: Type.Integer(),
      filePath: Type.String(),
      status: oneOf('ArchiveStatus', ['PROCESSING', 'UNPACKED', 'ERROR', 'NOT_AN_ARCHIVE']),
      files: Type.Integer({ description: 'Entries that came in' }),
      bytes: Type.Integer(),
      refused: Type.Integer({ description: 'Entries that did not come in' }),
      refusals: refusalsSchema,
      ...effectsSchemas,
      error: nullable(Type.String()),
    }),
    { description: 'What became of the first 200 archives of the upload' },
  ),
});
export type UploadStatus = Static<typeof UploadStatusSchema>;
export type ArchiveReceipt = UploadStatus['archives'][number];
export type IncompleteFile = UploadStatus['incomplete'][number];

export const ArchiveStreamQuery = Type.Object({
  format: oneOf('ArchiveFormat', ['tar', 'zip'], { description: 'tar is taken compressed by gzip, too' }),
  prefix: Type.Optional(Type.String({ description: 'Folder of the dataset in which the entries are to stand' })),
  onConflict: Type.Optional(conflictPolicy()),
  unpackInto: Type.Optional(unpackPlace()),
  fileName: Type.Optional(
    Type.String({ description: 'Name of the archive, after which the folder is named when unpackInto is FOLDER' }),
  ),
});

export const ArchiveStreamAnswerSchema = namedObject('ArchiveAnswer', {
  files: Type.Integer({ description: 'Entries that came in' }),
  bytes: Type.Integer(),
  failed: Type.Integer({ description: 'Entries that did not come in' }),
  failures: refusalsSchema,
  ...effectsSchemas,
});
export type ArchiveStreamAnswer = Static<typeof ArchiveStreamAnswerSchema>;
